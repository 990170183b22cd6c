//! The live figure of the head that copies: letters, and two maps.

use super::{everywhere, host};

#[test]
fn letters_are_copied() {
    everywhere("ch10_7/induction.html", |tab| {
        tab.touch("copying");
        let host = host("copying");
        let text = format!("{host}.querySelector('.live-result').textContent");
        let says = |text: &str| {
            format!("{host}.querySelector('.live-said').textContent.includes({text:?})")
        };
        // The letters of Figure 10.7.13: what came after the last p?
        tab.wait(&says("After letter 20, “p”, comes “d”"));
        let all = "there before, the most probable letter came 11 of 11 times";
        tab.wait(&format!("{text}.includes({all:?})"));
        let maps = format!("{host}.querySelectorAll('.live-map')");
        assert_eq!(tab.eval(&format!("{maps}.length")), 2);
        let last =
            format!("{maps}[1].querySelector('[data-row=\"8\"][data-column=\"1\"]')");
        tab.eval(&format!("{last}.focus()"));
        tab.wait(&format!(
            "{host}.querySelectorAll('.live-readout')[1].textContent\
             .startsWith('after u, attends to j, weight 1.00')"
        ));
        // Another letter, by the keyboard.
        tab.eval(&format!("{host}.querySelectorAll('.live-tokens button')[8].focus()"));
        tab.key("Enter");
        tab.wait(&says("After letter 9, “u”, comes “j”"));
        // Without the heads of the second layer nothing is copied.
        for head in ["layer 2, head 1 works", "layer 2, head 2 works"] {
            tab.focus("copying", head);
            tab.key(" ");
        }
        tab.wait(&format!("/came [0-3] of 11 times/.test({text})"));
        tab.focus("copying", "Start over");
        tab.key("Enter");
        tab.wait(&format!("{text}.includes({all:?})"));
        tab.focus("copying", "letters from a to z");
        tab.write("abc 7");
        tab.key("Enter");
        tab.wait(&format!("{host}.textContent.includes('“7” is no letter')"));
        tab.focus("copying", "Other letters");
        tab.key("Enter");
        tab.wait(&format!("{text}.includes('20, “')"));
        let letters = format!("{host}.querySelector('input[type=text]').value");
        let before = tab.text(&letters);
        tab.focus("copying", "Shuffle");
        tab.key("Enter");
        tab.wait(&format!("{letters}.length === 20 && {letters} !== {before:?}"));
        tab.answered("copying");
        tab.focus("copying", "period");
        tab.key("End");
        tab.wait(&format!("{letters}.length === 32"));
        tab.answered("copying");
        assert_eq!(tab.error("copying"), "");
    });
}
