//! The live figures of section 10.6: positions that turn, a sentence in other
//! orders, and what "it" refers to.

use super::{Tab, everywhere, host};

fn says(tab: &mut Tab, figure: &str, text: &str) {
    tab.wait(&format!(
        "{}.querySelector('.live-said').textContent.includes({text:?})",
        host(figure)
    ));
}

#[test]
fn positions_turn_and_orders_change() {
    everywhere("ch10_6.html", |tab| {
        tab.touch("positions");
        says(tab, "positions", "Row 20 times itself turned by 4.00: dot product 11.66");
        let readout = host("positions");
        tab.wait(&format!(
            "{readout}.textContent.includes('row 24 of the table differ')"
        ));
        tab.focus("positions", "turned by so many positions");
        tab.key("ArrowRight");
        says(tab, "positions", "turned by 4.25");
        tab.wait(&format!(
            "{readout}.textContent.includes('The table has no row there')"
        ));
        tab.focus("positions", "position");
        tab.key("Home");
        says(tab, "positions", "Row 0 times");
        assert_eq!(tab.error("positions"), "");

        tab.touch("order");
        says(tab, "order", "largest difference 0.0000. The order is lost.");
        tab.focus("order", "positions added");
        tab.key(" ");
        says(tab, "order", "The order makes a difference.");
        tab.focus("order", "order");
        tab.key("Home"); // dog bites man
        says(tab, "order", "This is the order that the others are compared with.");
        tab.focus("order", "positions added");
        tab.key(" ");
        tab.focus("order", "causal mask");
        tab.key(" ");
        tab.focus("order", "order");
        tab.key("End");
        says(tab, "order", "The order makes a difference.");
        assert_eq!(tab.error("order"), "");
    });
}

#[test]
fn it_refers_to_what_the_last_word_says() {
    everywhere("ch10_6/coreference.html", |tab| {
        tab.touch("it");
        says(tab, "it", "“it” is the animal.");
        tab.eval(&format!(
            "(() => {{ const why = [...{}.querySelectorAll('select')][3]; \
               why.value = 'wide'; why.dispatchEvent(new Event('input')); }})()",
            host("it")
        ));
        says(tab, "it", "“it” is the street.");
        // A word is masked, and all of them.
        let word = |at: usize| {
            format!("{}.querySelector('.live-tokens').children[{at}]", host("it"))
        };
        tab.eval(&format!("{}.focus()", word(6)));
        tab.key("Enter");
        says(tab, "it", "Masked: street.");
        assert_eq!(tab.text(&format!("{}.ariaPressed", word(6))), "true");
        let cell = format!(
            "{}.querySelector('.live-map').tBodies[0].rows[2].cells[7].textContent",
            host("it")
        );
        tab.wait(&format!("{cell} === '0.00'"));
        for at in [0, 1, 2, 3, 4, 5, 7, 8, 9, 10] {
            tab.eval(&format!("{}.click()", word(at)));
            tab.wait(&format!("{}.ariaPressed === 'true'", word(at)));
        }
        tab.eval(&format!("{}.click()", word(11)));
        tab.wait(&format!(
            "{}.querySelector('.live-error').textContent.includes('every word is masked')",
            host("it")
        ));
        tab.focus("it", "Start over");
        tab.key("Enter");
        says(tab, "it", "“it” is the animal.");
        assert_eq!(tab.error("it"), "");
    });
}
