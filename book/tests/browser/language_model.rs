//! The live figure of the language model: a story, token by token.

use super::{everywhere, host};

#[test]
fn a_story_is_written() {
    everywhere("ch10_7/language_model.html", |tab| {
        tab.touch("story");
        let host = host("story");
        let text = format!("{host}.querySelector('.live-text').textContent");
        assert!(tab.text(&text).starts_with("One day the mole "));
        let bars = format!("{host}.querySelectorAll('.live-bar').length");
        assert!(matches!(tab.eval(&bars).as_i64(), Some(10 | 11)));
        let cached = |count: usize| {
            format!(
                "{host}.querySelector('.live-result').textContent\
                 .includes('keys and values of {count} positions')"
            )
        };
        tab.wait(&cached(5));
        // The coldest model takes the most probable token, alone.
        tab.focus("story", "temperature");
        tab.key("Home");
        let first = format!("{host}.querySelector('.live-bars tbody tr')");
        tab.wait(&format!("{first}.textContent.includes('◂ drawn')"));
        tab.wait(&format!("{first}.cells[1].textContent === '1.000'"));
        tab.focus("story", "One token");
        tab.key("Enter");
        tab.wait(&cached(6));
        tab.wait(&format!(
            "{host}.textContent.includes('computed for this token: 1.')"
        ));
        tab.focus("story", "A whole line");
        tab.key("Enter");
        let line = format!("[...{host}.querySelectorAll('button')]");
        let idle = format!("{line}.some(one => one.textContent === 'A whole line')");
        tab.wait(&format!("{text}.length > 80 && {idle}"));
        let head = "[aria-label=\"Causal attention, layer 1, head 4\"]";
        tab.eval(&format!("{host}.querySelector('{head}').focus()"));
        tab.key("Enter");
        let title = format!("{host}.querySelector('.live-title').textContent");
        tab.wait(&format!("{title} === 'Causal attention, layer 1, head 4'"));
        // Another beginning, and a word that the model does not know.
        tab.focus("story", "beginning of a story");
        tab.write("the fox and the owl");
        tab.key("Enter");
        tab.wait(&cached(6));
        tab.focus("story", "beginning of a story");
        tab.write("the zebra");
        tab.key("Enter");
        tab.wait(&format!("{host}.textContent.includes('is not in the stories')"));
        tab.focus("story", "Start over");
        tab.key("Enter");
        tab.wait(&format!("{text}.startsWith('One day the mole ')"));
        assert_eq!(tab.error("story"), "");
    });
}
