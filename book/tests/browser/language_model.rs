//! The live figure of the language model: a story, token by token.

use super::on_phone;

#[test]
fn a_story_is_written() {
    on_phone(&[("ch10_7/language_model.html", |tab| {
        tab.touch("story");
        let text = "one('.live-text').textContent";
        assert!(tab.text(text).starts_with("One day the mole "));
        let bars = tab.eval("all('.live-bar').length");
        assert!(matches!(bars.as_i64(), Some(10 | 11)), "{bars}");
        tab.shows("keys and values of 5 positions");
        // The coldest model takes the most probable token, alone.
        tab.press("temperature", "Home");
        let first = "one('.live-bars tbody tr')";
        tab.wait(&format!("{first}.textContent.includes('◂ drawn')"));
        tab.wait(&format!("{first}.cells[1].textContent === '1.000'"));
        tab.press("One token", "Enter");
        tab.shows("keys and values of 6 positions");
        tab.shows("computed for this token: 1.");
        tab.press("A whole line", "Enter");
        let idle = "all('button').some(one => one.textContent === 'A whole line')";
        tab.wait(&format!("{text}.length > 80 && {idle}"));
        tab.press("Causal attention, layer 1, head 4", "Enter");
        let title = "one('.live-title').textContent";
        tab.wait(&format!("{title} === 'Causal attention, layer 1, head 4'"));
        // Another beginning, and a word that the model does not know.
        tab.enter("beginning of a story", "the fox and the owl");
        tab.shows("keys and values of 6 positions");
        tab.enter("beginning of a story", "the zebra");
        tab.shows("is not in the stories");
        tab.press("Start over", "Enter");
        tab.wait(&format!("{text}.startsWith('One day the mole ')"));
    })]);
}
