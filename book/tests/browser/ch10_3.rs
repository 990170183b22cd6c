//! The live figures of section 10.3: masks over scores, an example by hand, and the
//! width.

use super::{Tab, on_phone};

#[test]
fn section_10_3() {
    on_phone(&[
        ("ch10_3.html", |tab| {
            scores_and_masks(tab);
            an_example_is_computed_by_hand(tab);
            tab.at("#figure-10-3-2");
            tab.wait("one('.scroll').scrollWidth <= one('.scroll').clientWidth");
            // What shows hidden lines stands above the first one that is shown.
            tab.at(":root");
            tab.wait(
                "all('pre:has(.boring)').every(pre => \
                    pre.querySelector('.buttons').getBoundingClientRect().bottom \
                    <= pre.querySelector('code').getBoundingClientRect().top + 1)",
            );
        }),
        ("ch10_3/scaling.html", a_width),
    ]);
}

fn scores_and_masks(tab: &mut Tab) {
    tab.touch("scores");
    // The weights of Figure 10.3.2: 0.5, 0.2, 0.3 and 0.
    let cells = "all('.live-map td[data-row]')";
    let weights =
        format!("{cells}.slice(0, 4).map(cell => cell.textContent).join(' ')");
    assert_eq!(tab.text(&weights), "0.4967 0.2020 0.3013 0.0000");
    tab.press("length", "Home");
    tab.shows("Nothing is allowed for query 0, 1, 2, 3");
    tab.press("mask", "Home"); // none
    tab.shows("Outputs: 20.90");
    // Ticking a pair off makes a mask of its own.
    tab.wait("one('[aria-label=\"query 0 may attend to pair 3\"]')");
    tab.press("query 0 may attend to pair 3", " ");
    tab.shows("Outputs: 18.05");
    tab.wait("one('select').value === 'cells'");
    tab.focus("score of query 0 and pair 0");
    tab.write("1e38");
    tab.refuses("smaller than 8e37");
    tab.eval("document.activeElement.select()");
    tab.key("Backspace");
    tab.refuses("is not a number");
    tab.write("100");
    tab.shows("Outputs: 10.00");
    tab.eval(&format!("{cells}[0].focus()"));
    tab.key("ArrowDown");
    let label = tab.text("document.activeElement.ariaLabel");
    assert!(label.starts_with("query 1, pair 0, weight 0."), "{label}");
}

fn an_example_is_computed_by_hand(tab: &mut Tab) {
    tab.touch("by_hand");
    let row = |at: usize| {
        format!(
            "[...all('.live-table tbody tr')[{at}].children]\
             .map(cell => cell.textContent).join(' ')"
        )
    };
    assert_eq!(tab.text(&row(0)), "q · k 0.6613 0.1899 0.2844 ");
    assert_eq!(tab.text(&row(3)), "weight 0.4028 0.2886 0.3086 1.0000");
    assert!(tab.text(&row(4)).ends_with(" 0.5697"));
    // A longer key, and a number that is too large.
    tab.focus("key 0, number 0");
    tab.write("5");
    tab.shows("1.6013");
    tab.write("6");
    tab.refuses("each number must be from −5");
    tab.eval("document.activeElement.select()");
    tab.key("Backspace");
    tab.refuses("number 0 of key 0 is not a number");
    tab.write("2.2082");
    tab.wait(&format!("{}.startsWith('q · k 0.6613')", row(0)));
    tab.whole();
}

fn a_width(tab: &mut Tab) {
    tab.touch("scaling");
    tab.says("Width 64: not divided, the largest weight is 0.8");
    tab.press("width d", "Home");
    tab.says("Width 1: ");
    tab.key("End");
    tab.says("Width 1024: not divided, the largest weight is 0.97");
    let said = "one('.live-said').textContent";
    let before = tab.text(said);
    tab.press("Draw other vectors", "Enter");
    tab.wait(&format!("{said} !== {before:?}"));
}
