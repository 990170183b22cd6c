//! The live figures of section 10.3: masks over scores, and the width.

use super::{Tab, everywhere, host};

fn says(tab: &mut Tab, figure: &str, text: &str) {
    tab.wait(&format!("{}.textContent.includes({text:?})", host(figure)));
}

/// Focuses the input of this accessible name.
fn enter(tab: &mut Tab, name: &str) {
    let host = host("scores");
    let found = format!("{host}.querySelector('[aria-label={name:?}]')");
    tab.wait(&found);
    tab.eval(&format!("{found}.focus()"));
}

#[test]
fn scores_and_masks() {
    everywhere("ch10_3.html", |tab| {
        tab.touch("scores");
        // The weights of Figure 10.3.2: 0.5, 0.2, 0.3 and 0.
        let cells =
            format!("{}.querySelectorAll('.live-map td[data-row]')", host("scores"));
        let weights = tab.text(&format!(
            "[...{cells}].slice(0, 4).map(cell => cell.textContent).join(' ')"
        ));
        assert_eq!(weights, "0.4967 0.2020 0.3013 0.0000");
        tab.focus("scores", "length");
        tab.key("Home");
        says(tab, "scores", "Nothing is allowed for query 0, 1, 2, 3");
        tab.focus("scores", "mask");
        tab.key("Home"); // none
        says(tab, "scores", "Outputs: 20.90");
        // Ticking a pair off makes a mask of its own.
        enter(tab, "query 0 may attend to pair 3");
        tab.key(" ");
        says(tab, "scores", "Outputs: 18.05");
        tab.wait(&format!(
            "{}.querySelector('select').value === 'cells'",
            host("scores")
        ));
        enter(tab, "score of query 0 and pair 0");
        tab.write("1e38");
        tab.wait(&format!(
            "{}.querySelector('.live-error').textContent.includes('smaller than 8e37')",
            host("scores")
        ));
        tab.eval("document.activeElement.select()");
        tab.key("Backspace");
        tab.wait(&format!(
            "{}.querySelector('.live-error').textContent.includes('is not a number')",
            host("scores")
        ));
        tab.write("100");
        says(tab, "scores", "Outputs: 10.00");
        assert_eq!(tab.error("scores"), "");
        tab.eval(&format!("{cells}[0].focus()"));
        tab.key("ArrowDown");
        let label = tab.text("document.activeElement.getAttribute('aria-label')");
        assert!(label.starts_with("query 1, pair 0, weight 0."), "{label}");
    });
}

#[test]
fn a_width() {
    everywhere("ch10_3/scaling.html", |tab| {
        tab.touch("scaling");
        says(tab, "scaling", "Width 64: not divided, the largest weight is 0.8");
        tab.focus("scaling", "width d");
        tab.key("Home");
        says(tab, "scaling", "Width 1: ");
        tab.key("End");
        says(tab, "scaling", "Width 1024: not divided, the largest weight is 0.97");
        let before = tab.said("scaling");
        tab.focus("scaling", "Draw other vectors");
        tab.key("Enter");
        let said =
            format!("{}.querySelector('.live-said').textContent", host("scaling"));
        tab.wait(&format!("{said} !== {before:?}"));
        assert_eq!(tab.error("scaling"), "");
    });
}

#[test]
fn an_example_is_computed_by_hand() {
    everywhere("ch10_3.html", |tab| {
        tab.touch("by_hand");
        let host = host("by_hand");
        let row = |at: usize| {
            format!(
                "[...{host}.querySelectorAll('.live-table tbody tr')[{at}].children]\
                 .map(cell => cell.textContent).join(' ')"
            )
        };
        assert_eq!(tab.text(&row(0)), "q · k 0.6613 0.1899 0.2844 ");
        assert_eq!(tab.text(&row(3)), "weight 0.4028 0.2886 0.3086 1.0000");
        assert!(tab.text(&row(4)).ends_with(" 0.5697"));
        // A longer key, and a number that is too large.
        let input = format!("{host}.querySelector('[aria-label=\"key 0, number 0\"]')");
        tab.eval(&format!("{input}.focus()"));
        tab.write("5");
        tab.wait(&format!("({}).startsWith('q · k 1.6013')", row(0)));
        tab.write("6");
        says(tab, "by_hand", "each number must be from -5");
        tab.write("2.2082");
        tab.wait(&format!("({}).startsWith('q · k 0.6613')", row(0)));
        assert_eq!(tab.error("by_hand"), "");
    });
}
