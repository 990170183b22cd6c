//! The heat maps of static figures, read cell by cell.

use super::everywhere;

const MAP: &str = "document.querySelector('#figure-10-1-1 svg')";
const CELL: &str = "document.querySelector('#figure-10-1-1 .cell').textContent";

#[test]
fn a_heat_map_is_read_with_keys_and_pointer() {
    everywhere("ch10_1.html", |tab| {
        tab.wait(&format!("{MAP}.tabIndex === 0"));
        tab.eval(&format!("{MAP}.focus()"));
        tab.key("ArrowDown");
        tab.wait("document.querySelector('#figure-10-1-1 .cell')");
        // The first key may have been what loaded the script.
        tab.key("Home");
        tab.key("ArrowDown");
        tab.key("ArrowDown");
        tab.key("ArrowDown");
        tab.key("End");
        assert_eq!(tab.text(CELL), "query to read, key book, weight 0.920");
        tab.key("ArrowUp");
        assert_eq!(tab.text(CELL), "query a glance, key book, weight 0.017");
        tab.key("Escape");
        assert_eq!(tab.text(CELL), "");
        // The middle of the panel's frame: the cup, at a glance.
        let frame = "document.querySelector('#figure-10-1-1 svg > rect')";
        tab.point(frame, false);
        tab.wait(&format!("{CELL} === 'query a glance, key cup, weight 0.948'"));
        assert!(tab.eval("location.pathname") == "/ch10_1.html");
    });
}

/// The strips of 10.7 name the place and the token of a number, and what is masked.
#[test]
fn strips_are_read_with_keys() {
    everywhere("ch10_7.html", |tab| {
        let figure = "document.querySelector('figure:has([data-strips])')";
        let cell = format!("{figure}.querySelector('.cell')?.textContent");
        tab.wait(&format!("{figure}.querySelector('svg').tabIndex === 0"));
        tab.eval(&format!("{figure}.querySelector('svg').focus()"));
        tab.key("Home");
        tab.wait(&format!("{figure}.querySelector('.cell')"));
        tab.key("Home");
        let says = |tab: &mut super::Tab, wanted: &str| {
            let text = tab.text(&cell);
            assert!(text.starts_with(wanted), "{text}");
        };
        says(tab, "x: row of “the”: number 0, value ");
        tab.key("ArrowDown");
        tab.key("End");
        tab.key("ArrowRight");
        says(tab, "k: the, number 0, value ");
        tab.key("ArrowLeft");
        tab.key("ArrowDown");
        tab.key("ArrowDown");
        tab.key("End");
        says(tab, "÷ √16, masked: number 9, value none");
        tab.key("ArrowDown");
        says(tab, "softmax: <pad>, value 0");
    });
}

/// Every heat map of the book can be read, and each of its cells has a number.
#[test]
fn all_heat_maps_are_whole() {
    for page in ["ch10_3.html", "ch10_5.html", "ch10_6.html", "ch10_7.html"] {
        everywhere(page, |tab| {
            let maps = tab.eval(
                "[...document.querySelectorAll('.heatmaps > g')].map(g => \
                 [g.dataset.rows * g.dataset.columns, g.dataset.values.split(' ').length])",
            );
            let maps = maps.as_array().expect("a list");
            assert!(!maps.is_empty(), "{page}");
            assert!(maps.iter().all(|map| map[0] == map[1]), "{page}: {maps:?}");
            let svg = "document.querySelector('svg:has(.heatmaps)')";
            let readout = format!("{svg}.closest('figure').querySelector('.cell')");
            tab.eval(&format!("{svg}.focus()"));
            tab.key("ArrowRight");
            tab.wait(&readout.clone());
            tab.key("ArrowRight");
            let text = tab.text(&format!("{readout}.textContent"));
            let ends = |c: char| c.is_ascii_digit();
            assert!(text.contains("weight") && text.ends_with(ends), "{page}: {text}");
        });
    }
}
