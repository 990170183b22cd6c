//! The live figures of section 10.6: positions that turn, a sentence in other
//! orders, and what "it" refers to.

use super::{Tab, on_phone};

#[test]
fn section_10_6() {
    on_phone(&[
        ("ch10_6.html", |tab| {
            positions_turn(tab);
            orders_change(tab);
        }),
        ("ch10_6/coreference.html", it_refers_to_what_the_last_word_says),
    ]);
}

fn positions_turn(tab: &mut Tab) {
    tab.touch("positions");
    tab.says("Row 20 times itself turned by 4.00: dot product 11.66");
    tab.shows("row 24 of the table differ");
    tab.press("turned by this many positions", "ArrowRight");
    tab.says("turned by 4.25");
    tab.shows("The table has no such row");
    tab.press("position", "Home");
    tab.says("Row 0 times");
}

fn orders_change(tab: &mut Tab) {
    tab.touch("order");
    tab.whole();
    tab.says("largest difference 0.0000. The order is lost.");
    tab.press("positions added", " ");
    tab.says("The order makes a difference.");
    tab.press("order", "Home"); // dog bites man
    tab.says("All other orders are compared with this one.");
    tab.press("positions added", " ");
    tab.press("causal mask", " ");
    tab.press("order", "End");
    tab.says("The order makes a difference.");
}

fn it_refers_to_what_the_last_word_says(tab: &mut Tab) {
    tab.touch("it");
    tab.whole();
    tab.says("“it” is the animal.");
    tab.eval(
        "(() => { const why = all('select')[3]; \
           why.value = 'wide'; why.dispatchEvent(new Event('input')); })()",
    );
    tab.says("“it” is the street.");
    // A word is masked, and all of them.
    let word = |at: usize| format!("one('.live-tokens').children[{at}]");
    tab.eval(&format!("{}.focus()", word(6)));
    tab.key("Enter");
    tab.says("Masked: street.");
    assert_eq!(tab.text(&format!("{}.ariaPressed", word(6))), "true");
    let cell = "one('.live-map').tBodies[0].rows[2].cells[7].textContent";
    tab.wait(&format!("{cell} === '0.00'"));
    for at in [0, 1, 2, 3, 4, 5, 7, 8, 9, 10] {
        tab.eval(&format!("{}.click()", word(at)));
        tab.wait(&format!("{}.ariaPressed === 'true'", word(at)));
    }
    tab.eval(&format!("{}.click()", word(11)));
    tab.refuses("every word is masked");
    tab.press("Start over", "Enter");
    tab.says("“it” is the animal.");
}
