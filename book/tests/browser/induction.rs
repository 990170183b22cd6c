//! The live figure of the head that copies: letters, and two maps.

use super::on_phone;

#[test]
fn letters_are_copied() {
    on_phone(&[("ch10_7/induction.html", |tab| {
        tab.touch("copying");
        // The letters of Figure 10.7.13: what came after the last p?
        tab.says("After letter 20, “p”, comes “d”");
        let all = "there before, the most probable letter came 11 of 11 times";
        tab.shows(all);
        assert_eq!(tab.eval("all('.live-map').length"), 2);
        tab.eval(
            "all('.live-map')[1]\
             .querySelector('[data-row=\"8\"][data-column=\"1\"]').focus()",
        );
        tab.wait(
            "all('.live-readout')[1].textContent\
             .startsWith('after u, attends to j, weight 1.00')",
        );
        // Another letter, by the keyboard.
        tab.eval("all('.live-tokens button')[8].focus()");
        tab.key("Enter");
        tab.says("After letter 9, “u”, comes “j”");
        // Without the heads of the second layer nothing is copied.
        tab.press("layer 2, head 1 works", " ");
        tab.press("layer 2, head 2 works", " ");
        tab.wait("/came [0-3] of 11 times/.test(host.textContent)");
        tab.press("Start over", "Enter");
        tab.shows(all);
        tab.enter("letters from a to z", "abc 7");
        tab.shows("“7” is no letter");
        tab.enter("letters from a to z", "x");
        tab.shows("No letter is there twice");
        tab.enter("letters from a to z", "aaaaaa");
        tab.says("After letter 6, “a”, comes");
        tab.press("Other letters", "Enter");
        tab.shows("20, “");
        let letters = "one('input[type=text]').value";
        let before = tab.text(letters);
        tab.press("Shuffle", "Enter");
        tab.wait(&format!("{letters}.length === 20 && {letters} !== {before:?}"));
        tab.answered();
        tab.press("period", "End");
        tab.wait(&format!("{letters}.length === 32"));
        tab.answered();
    })]);
}
