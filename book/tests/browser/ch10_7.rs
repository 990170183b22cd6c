//! The live figure of section 10.7: the Transformer, its attentions, and one token
//! on its way through one block; and the strips of a static figure.

use super::{Tab, on_phone};
use serde_json::json;

#[test]
fn section_10_7() {
    on_phone(&[("ch10_7.html", |tab| {
        tab.at("#figure-10-7-2");
        tab.wait("one('.scroll').scrollWidth <= one('.scroll').clientWidth");
        tab.touch("translator");
        tab.whole();
        a_token_goes_through_a_block(tab);
        tab.press("Start over", "Enter");
        tab.wait("!one('.live-way').open");
        a_sentence_is_translated_with_all_attentions(tab);
        strips_are_read_with_keys(tab);
    })]);
}

fn a_token_goes_through_a_block(tab: &mut Tab) {
    let module = "performance.getEntriesByType('resource')\
                  .some(one => one.name.includes('ch10_7_block.wasm'))";
    assert_eq!(tab.eval(module), false, "loaded before it is opened");
    tab.eval("one('.live-way summary').focus()");
    tab.key("Enter");
    let stages = "all('.live-way .live-stages details')";
    // A row, two attentions of five stages, a network of three, the next tokens.
    tab.wait(&format!("{stages}.length === 15"));
    let title = "one('.live-way summary').textContent";
    let from = "Inside layer 2, head 1: from “la” to the next token";
    assert_eq!(tab.text(title), from);
    // Every listing is there.
    let missing = "(async () => { const missing = []; \
        for (const a of all('.live-way a')) { \
            const page = await (await fetch(a.href)).text(); \
            if (!page.includes(`id=\"${a.hash.slice(1)}\"`)) missing.push(a.href); \
        } return missing; })()";
    assert_eq!(tab.eval(missing), json!([]));
    // Each number is read by the keyboard, and by a screen reader.
    let q = format!("{stages}[1].querySelector('.live-strip')");
    tab.eval(&format!("{q}.querySelector('td[data-row]').focus()"));
    tab.key("ArrowRight");
    let said = tab.text("document.activeElement.ariaLabel");
    assert!(said.starts_with("number 2, value "), "{said}");
    let readout = format!("{q}.querySelector('.live-readout').textContent");
    assert_eq!(tab.text(&readout), said);
    tab.eval(&format!("{stages}[7].querySelector('summary').focus()"));
    tab.key("Enter");
    let car = format!("{stages}[7].querySelectorAll('tr')[3].textContent");
    tab.wait(&format!("{stages}[7].open && {car}.startsWith('car')"));
    // Another token: the row of "the" in the encoder, as in Figure 10.7.3.
    tab.eval("one('[aria-label=\"Tokens read\"] button').focus()");
    tab.key("Enter");
    tab.wait(&format!("{stages}.length === 9 && {title}.includes('“the”')"));
    tab.press("head", "ArrowDown");
    tab.wait(&format!("{title}.includes('head 2')"));
    let weight = format!("{stages}[2].querySelectorAll('tbody tr')[2].cells[4]");
    tab.wait(&format!("Number({weight}.textContent) > 0.5"));
}

fn a_sentence_is_translated_with_all_attentions(tab: &mut Tab) {
    tab.says("la voiture rouge est neuve .");
    tab.says("“voiture” attends to “car”");
    // Three attentions, each with eight heads.
    let count = "[all('.live-result > :not(.live-way) .live-map').length, \
                 all('.live-head').length]";
    assert_eq!(tab.eval(count), json!([3, 24]));
    let title = "one('.live-title').textContent";
    assert_eq!(tab.text(title), "Cross-attention, layer 2, head 1");
    tab.press("layer", "ArrowUp");
    tab.wait(&format!("{title} === 'Cross-attention, layer 1, head 1'"));
    tab.press("Decoder self-attention, layer 2, head 3", "Enter");
    tab.wait(&format!("{title} === 'Cross-attention, layer 2, head 3'"));
    assert_eq!(tab.eval("all('.live-head[aria-pressed=true]').length"), 3);
    // A token is chosen: one that is written, one that is read.
    tab.eval("one('[aria-label=\"Tokens written\"]').children[2].focus()");
    tab.key("Enter");
    tab.says("“rouge” attends to “red”");
    let red = "one('[aria-label=\"Tokens read\"]').children[1]";
    // A token that was pressed stays while the pointer goes to the maps.
    tab.point(red, false);
    tab.says("“rouge” attends to “red”");
    tab.point(red, true);
    tab.says("“red” attends to ");
    assert_eq!(tab.text(&format!("{red}.ariaPressed")), "true");
    // The width of the beam is the number of hypotheses.
    tab.press("width of the beam", "Home");
    tab.wait("one('.live-table').tBodies[0].rows.length === 1");
    tab.enter("English sentence", "The young kings are in the garden.");
    tab.says("les jeunes rois sont dans le jardin .");
    let long = "one two three four five six seven eight nine ten";
    tab.enter("English sentence", long);
    tab.refuses("the model reads at most 9");
    // The answer to the sentence before is gone, and the reason is in view.
    tab.wait("one('.live-result').hidden");
    tab.wait(
        "one('.live-error').getBoundingClientRect().top - \
         one('input[type=text]').getBoundingClientRect().bottom < 400",
    );
    tab.press("Start over", "Enter");
    tab.says("la voiture rouge est neuve .");
}

/// They name the place and the token of a number, and what is masked.
fn strips_are_read_with_keys(tab: &mut Tab) {
    tab.at("figure:has([data-strips])");
    tab.wait("one('svg').tabIndex === 0");
    tab.eval("one('svg').focus()");
    tab.key("Home");
    tab.wait("one('.cell')");
    for (keys, says) in [
        (&["Home"][..], "x: row of “the”: number 0, value "),
        (&["ArrowDown", "End", "ArrowRight"], "k: the, number 0, value "),
        (
            &["ArrowLeft", "ArrowDown", "ArrowDown", "End"],
            "÷ √16, masked: number 9, value none",
        ),
        (&["ArrowDown"], "softmax: <pad>, value 0"),
    ] {
        keys.iter().for_each(|key| tab.key(key));
        let text = tab.text("one('.cell').textContent");
        assert!(text.starts_with(says), "{text}");
    }
}
