//! The live figure of section 10.1: a query on the desk.

use super::{everywhere, host};
use serde_json::Value;

#[test]
fn the_desk_answers() {
    everywhere("ch10_1.html", |tab| {
        tab.touch("desk");
        let loaded = "performance.getEntriesByType('resource').map(one => one.name)";
        let chinese = tab.eval(&format!("{loaded}.join().includes('words.zh')"));
        assert_eq!(chinese, Value::Bool(false), "English pages load no Chinese");
        assert_eq!(tab.said("desk"), "The largest weight, 0.92, is on the book.");
        // Without the wish to read, the cup.
        tab.focus("desk", "the wish to read");
        tab.key("Home");
        tab.wait(&format!(
            "{}.textContent.includes('0.95, is on the cup')",
            host("desk")
        ));
        tab.focus("desk", "temperature");
        tab.key("End");
        tab.wait(&format!(
            "{}.textContent.includes('0.21, is on the cup')",
            host("desk")
        ));
        tab.focus("desk", "to read");
        tab.key("Enter");
        tab.wait(&format!("{}.textContent.includes('is on the book')", host("desk")));
        assert_eq!(tab.error("desk"), "");
        // The cells of the heat map, with the keyboard.
        let cell = format!("{}.querySelector('td[tabindex=\"0\"]')", host("desk"));
        tab.eval(&format!("{cell}.focus()"));
        tab.key("End");
        let label = tab.text("document.activeElement.getAttribute('aria-label')");
        assert!(label.starts_with("query yours, key book, weight 0.2"), "{label}");
        // As it was in the beginning.
        tab.focus("desk", "Start over");
        tab.key("Enter");
        tab.wait(&format!(
            "{}.textContent.includes('0.92, is on the book')",
            host("desk")
        ));
        assert!(tab.eval("location.pathname") == "/ch10_1.html");
    });
}
