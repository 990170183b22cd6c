//! Questions: choices by keys, and the reason of the one that was chosen.

use super::everywhere;

#[test]
fn what_was_chosen_is_framed_in_the_answer() {
    everywhere("ch10_1.html", |tab| {
        let question = "document.querySelector('.question')";
        tab.eval(&format!("{question}.querySelector('input').focus()"));
        tab.key("ArrowDown");
        tab.wait(&format!("{question}.querySelectorAll('input')[1].checked"));
        tab.eval(&format!("{question}.querySelector('summary').focus()"));
        tab.key("Enter");
        tab.wait(&format!("{question}.querySelector('details').open"));
        let framed = tab.eval(&format!(
            "[...{question}.querySelectorAll('details > ol > li')]\
             .map(one => getComputedStyle(one).outlineStyle)"
        ));
        assert_eq!(framed, serde_json::json!(["none", "solid", "none"]));
    });
}
