//! Figures on a phone: whole, or they say that they scroll.

use super::{everywhere, host};

#[test]
fn diagrams_are_whole_or_say_that_they_scroll() {
    for (page, figure) in [("ch10_3.html", "10-3-2"), ("ch10_7.html", "10-7-2")] {
        everywhere(page, |tab| {
            let wide = "one => one.scrollWidth > one.clientWidth";
            let whole = format!(
                "!([document.querySelector('#figure-{figure} .scroll')].some({wide}))"
            );
            tab.wait(&whole);
            let boxes = "[...document.querySelectorAll('figure.plot .scroll')]";
            tab.wait(&format!(
                "{boxes}.filter({wide}).every(one => one.classList.contains('wide'))"
            ));
        });
    }
}

/// So are the live figures.
#[test]
fn live_figures_are_whole() {
    for (page, figure) in [
        ("ch10_1.html", "desk"),
        ("ch10_6.html", "order"),
        ("ch10_6/coreference.html", "it"),
        ("ch10_7.html", "translator"),
    ] {
        everywhere(page, |tab| {
            tab.touch(figure);
            tab.wait(&format!(
                "[...{}.querySelectorAll('.live-scroll')]\
                 .every(one => one.scrollWidth <= one.clientWidth)",
                host(figure)
            ));
        });
    }
}
