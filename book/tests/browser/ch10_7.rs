//! The live figure of section 10.7: the Transformer and its attentions.

use super::{Tab, everywhere, host};

fn says(tab: &mut Tab, text: &str) {
    tab.wait(&format!(
        "{}.querySelector('.live-said').textContent.includes({text:?})",
        host("translator")
    ));
}

#[test]
fn a_sentence_is_translated_with_all_attentions() {
    everywhere("ch10_7.html", |tab| {
        tab.touch("translator");
        says(tab, "la voiture rouge est neuve .");
        says(tab, "“voiture” attends to “car”");
        let host = host("translator");
        // Three attentions, each with eight heads.
        for (what, count) in [(".live-map", 3), (".live-head", 24)] {
            let all = format!("{host}.querySelectorAll('{what}').length");
            assert_eq!(tab.eval(&all), count);
        }
        let title = format!("{host}.querySelector('.live-title').textContent");
        let pressed =
            format!("{host}.querySelectorAll('.live-head[aria-pressed=true]')");
        assert_eq!(tab.text(&title), "Cross-attention, layer 2, head 1");
        tab.focus("translator", "layer");
        tab.key("ArrowUp");
        tab.wait(&format!("{title} === 'Cross-attention, layer 1, head 1'"));
        let head = "[aria-label=\"Decoder self-attention, layer 2, head 3\"]";
        tab.eval(&format!("{host}.querySelector('{head}').focus()"));
        tab.key("Enter");
        tab.wait(&format!("{title} === 'Cross-attention, layer 2, head 3'"));
        assert_eq!(tab.eval(&format!("{pressed}.length")), 3);
        // A token is chosen: one that is written, one that is read.
        let token = |side: &str, at: usize| {
            format!(
                "{host}.querySelector('[aria-label=\"Tokens {side}\"]').children[{at}]"
            )
        };
        tab.eval(&format!("{}.focus()", token("written", 2)));
        tab.key("Enter");
        says(tab, "“rouge” attends to “red”");
        let red = token("read", 1);
        // A token that was pressed stays while the pointer goes to the maps.
        tab.point(&red, false);
        says(tab, "“rouge” attends to “red”");
        tab.point(&red, true);
        says(tab, "“red” attends to ");
        assert_eq!(tab.text(&format!("{red}.getAttribute('aria-pressed')")), "true");
        // The width of the beam is the number of hypotheses.
        let found =
            format!("{host}.querySelectorAll('.live-table')[0].tBodies[0].rows");
        tab.focus("translator", "width of the beam");
        tab.key("Home");
        tab.wait(&format!("{found}.length === 1"));
        tab.focus("translator", "English sentence");
        tab.write("The young kings are in the garden.");
        tab.key("Enter");
        says(tab, "les jeunes rois sont dans le jardin .");
        tab.focus("translator", "English sentence");
        tab.write("one two three four five six seven eight nine ten");
        tab.key("Enter");
        tab.wait(&format!("{host}.textContent.includes('the model reads at most 9')"));
        // The answer to the sentence before is gone, and the reason is in view.
        let gone = format!("{host}.querySelector('.live-result').hidden");
        tab.wait(&gone);
        let below = format!(
            "{host}.querySelector('.live-error').getBoundingClientRect().top - \
             {host}.querySelector('input[type=text]').getBoundingClientRect().bottom < 400"
        );
        tab.wait(&below);
        tab.focus("translator", "Start over");
        tab.key("Enter");
        says(tab, "la voiture rouge est neuve .");
        assert_eq!(tab.error("translator"), "");
    });
}
