//! The live figures of section 10.2: a kernel over fifty points, and training.

use super::{Tab, on_phone};

#[test]
fn section_10_2() {
    on_phone(&[
        ("ch10_2.html", w_is_trained_step_by_step),
        ("ch10_2/kernels.html", |tab| {
            a_kernel_and_its_width(tab);
            a_point_is_moved(tab);
        }),
    ]);
}

fn a_kernel_and_its_width(tab: &mut Tab) {
    tab.touch("estimate");
    // As Figure 10.2.2.
    tab.shows("Mean squared error 0.4936; a query attends to 30.1 keys.");
    tab.press("kernel", "ArrowDown");
    tab.shows("0.3170; a query attends to 17.4 keys");
    tab.press("width", "Home");
    tab.shows("queries have no key in their window, so their output is 0");
    tab.press("kernel", "End"); // the constant
    tab.shows("Mean squared error 0.9299");
    tab.shows("no effect"); // the width
    tab.press("Start over", "Enter");
    tab.shows("Mean squared error 0.4936");
}

fn a_point_is_moved(tab: &mut Tab) {
    let said = "one('.live-said').textContent";
    let before = tab.text(said);
    tab.press("y of the point", "End");
    tab.wait(&format!("{said} !== {before:?}"));
    // Back by the pointer: the ring is around the point that was moved.
    let moved = tab.text(said);
    let height = "Number(one('circle[fill=none]').getAttribute('cy'))";
    let high = tab.eval(height);
    tab.eval(
        "(() => { \
            const ring = one('circle[fill=none]'); \
            ring.scrollIntoView({ block: 'center', behavior: 'instant' }); \
            const box = ring.getBoundingClientRect(); \
            const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]; \
            const svg = ring.ownerSVGElement; \
            svg.setPointerCapture = () => {}; \
            for (const [type, down] of \
                [['pointerdown', 0], ['pointermove', 50], ['pointerup', 50]]) { \
                svg.dispatchEvent(new PointerEvent(type, \
                    { clientX: x, clientY: y + down, bubbles: true })); \
            } })()",
    );
    tab.wait(&format!("{said} !== {moved:?}"));
    tab.wait(&format!("{height} > {high} + 20"));
    // The heat map, by the arrow keys.
    tab.eval("one('.live-dense').focus()");
    tab.key("ArrowDown");
    tab.key("Home");
    let readout = tab.text("one('.live-readout').textContent");
    let cell = "query 0.1, key 0.13, value 0.43, weight 0.";
    assert!(readout.starts_with(cell), "{readout}");
}

fn w_is_trained_step_by_step(tab: &mut Tab) {
    tab.touch("training");
    // The table of "Training", and "A point as its own key".
    tab.shows("0 steps: w is 0.1571, the loss 45.60, its gradient −7.425");
    tab.press("1 step", "Enter");
    tab.key("Enter");
    tab.shows("2 steps: w is 3.754");
    let first = tab.text("one('.live-table tbody tr').innerText");
    assert!(first.contains("45.60") && first.contains("3.869"), "{first}");
    tab.press("Back to the start", "Enter");
    tab.shows("0 steps: w is 0.1571");
    tab.press("a point is among its own keys", " ");
    tab.answered();
    tab.press("5 steps", "Enter");
    tab.shows("5 steps: w is 5.85");
    tab.press("100 steps", "Enter");
    tab.shows("105 steps: w is 22.");
    // Step by step by itself, until it is told to pause.
    tab.press("Play", "Enter");
    let last = "Number(all('.live-table tbody tr').at(-1).cells[0].textContent)";
    tab.wait(&format!("{last} > 106"));
    tab.press("Pause", "Enter");
    tab.shows("Play");
    let steps = tab.eval(last).as_u64().expect("a number");
    tab.shows(&format!("{steps} steps: w is"));
    assert!(steps < 205, "it pauses");
}
