//! The live figures of section 10.2: a kernel over fifty points, and training.

use super::{Tab, everywhere, host};

fn says(tab: &mut Tab, figure: &str, text: &str) {
    tab.wait(&format!("{}.textContent.includes({text:?})", host(figure)));
}

#[test]
fn a_kernel_and_its_width() {
    everywhere("ch10_2.html", |tab| {
        tab.touch("estimate");
        // As Figure 10.2.2.
        says(
            tab,
            "estimate",
            "Mean squared error 0.4936; a query attends to 30.1 keys.",
        );
        tab.focus("estimate", "kernel");
        tab.key("ArrowDown");
        says(tab, "estimate", "0.3170; a query attends to 17.4 keys");
        tab.focus("estimate", "width");
        tab.key("Home");
        says(tab, "estimate", "queries have no key in their window and get 0");
        tab.focus("estimate", "kernel");
        tab.key("End"); // the constant
        says(tab, "estimate", "Mean squared error 0.9299");
        says(tab, "estimate", "no effect"); // the width
        assert_eq!(tab.error("estimate"), "");
    });
}

#[test]
fn a_point_is_moved() {
    everywhere("ch10_2/kernels.html", |tab| {
        tab.touch("estimate");
        let before = tab.said("estimate");
        tab.focus("estimate", "y of the point");
        tab.key("End");
        let host = host("estimate");
        let said = format!("{host}.querySelector('.live-said').textContent");
        tab.wait(&format!("{said} !== {before:?}"));
        // Back by the pointer: the ring is around the point that was moved.
        let moved = tab.said("estimate");
        let place = |tab: &mut Tab| {
            let x =
                format!("{host}.querySelector('circle[fill=none]').getAttribute('cy')");
            tab.text(&x).parse::<f64>().expect("a number")
        };
        let high = place(tab);
        tab.eval(&format!(
            "(() => {{ \
                const ring = {host}.querySelector('circle[fill=none]'); \
                ring.scrollIntoView({{ block: 'center', behavior: 'instant' }}); \
                const box = ring.getBoundingClientRect(); \
                const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]; \
                const svg = ring.ownerSVGElement; \
                svg.setPointerCapture = () => {{}}; \
                for (const [type, down] of \
                    [['pointerdown', 0], ['pointermove', 50], ['pointerup', 50]]) {{ \
                    svg.dispatchEvent(new PointerEvent(type, \
                        {{ clientX: x, clientY: y + down, bubbles: true }})); \
                }} }})()"
        ));
        tab.wait(&format!("{said} !== {moved:?}"));
        assert!(place(tab) > high + 20.0);
        // The heat map, by the arrow keys.
        tab.eval(&format!("{host}.querySelector('.live-dense').focus()"));
        tab.key("ArrowDown");
        tab.key("Home");
        let readout =
            tab.text(&format!("{host}.querySelector('.live-readout').textContent"));
        assert!(
            readout.starts_with("query 0.1, key 0.13, value 0.43, weight 0."),
            "{readout}"
        );
        assert_eq!(tab.error("estimate"), "");
    });
}

#[test]
fn w_is_trained_step_by_step() {
    everywhere("ch10_2.html", |tab| {
        tab.touch("training");
        // The table of "Training", and "A point as its own key".
        says(
            tab,
            "training",
            "0 steps: w is 0.1571, the loss 45.60, its gradient −7.425",
        );
        tab.focus("training", "1 step");
        tab.key("Enter");
        tab.key("Enter");
        says(tab, "training", "2 steps: w is 3.754");
        let rows =
            format!("{}.querySelectorAll('.live-table tbody tr')", host("training"));
        let first = tab.text(&format!("[...{rows}][0].innerText"));
        assert!(first.contains("45.60") && first.contains("3.869"), "{first}");
        tab.focus("training", "Back to the start");
        tab.key("Enter");
        says(tab, "training", "0 steps: w is 0.1571");
        tab.focus("training", "a point is among its own keys");
        tab.key(" ");
        tab.answered("training");
        tab.focus("training", "5 steps");
        tab.key("Enter");
        says(tab, "training", "5 steps: w is 5.85");
        tab.focus("training", "100 steps");
        tab.key("Enter");
        says(tab, "training", "105 steps: w is 22.");
        // Step by step by itself, until it is told to pause.
        tab.focus("training", "Play");
        tab.key("Enter");
        let rows =
            format!("{}.querySelectorAll('.live-table tbody tr')", host("training"));
        let last = format!("Number([...{rows}].at(-1).cells[0].textContent)");
        tab.wait(&format!("{last} > 106"));
        tab.focus("training", "Pause");
        tab.key("Enter");
        tab.wait(&format!("{}.textContent.includes('Play')", host("training")));
        let steps = tab.eval(&last).as_u64().expect("a number");
        says(tab, "training", &format!("{steps} steps: w is"));
        assert!(steps < 205, "it pauses");
        assert_eq!(tab.error("training"), "");
    });
}
