//! Section 10.1: the query on the desk, and what every page has: a heat map that is
//! read cell by cell, a question, a link to the other language.

use super::{Tab, on_phone};
use serde_json::Value;

#[test]
fn section_10_1() {
    on_phone(&[("ch10_1.html", |tab| {
        // A worker that can be made to hear nothing, and time that is up when told.
        tab.eval(
            "window.deaf = false, \
             window.Worker = class extends Worker { \
                postMessage(message) { deaf || super.postMessage(message); } }, \
             window.later = setTimeout, \
             window.setTimeout = (act, time) => \
                time < 30000 ? later(act, time) : void (window.tooLate = act), 0",
        );
        the_desk_answers(tab);
        a_silent_worker_is_given_up(tab);
        a_heat_map_is_read_with_keys_and_pointer(tab);
        what_was_chosen_is_framed_in_the_answer(tab);
        a_page_leads_to_its_heading_in_the_other_language(tab);
    })]);
}

fn the_desk_answers(tab: &mut Tab) {
    tab.touch("desk");
    let chinese = "performance.getEntriesByType('resource')\
                   .some(one => one.name.includes('words.zh'))";
    assert_eq!(tab.eval(chinese), false, "English pages load no Chinese");
    tab.says("The largest weight, 0.92, is on the book.");
    tab.whole();
    // Without the wish to read, the cup.
    tab.press("the wish to read", "Home");
    tab.says("0.95, is on the cup");
    tab.press("temperature", "End");
    tab.says("0.21, is on the cup");
    tab.press("to read", "Enter");
    tab.says("is on the book");
    // The cells of the heat map, with the keyboard.
    tab.eval("one('td[tabindex=\"0\"]').focus()");
    tab.key("End");
    let label = tab.text("document.activeElement.ariaLabel");
    assert!(label.starts_with("query yours, key book, weight 0.2"), "{label}");
    // As it was in the beginning.
    tab.press("Start over", "Enter");
    tab.says("0.92, is on the book");
}

fn a_silent_worker_is_given_up(tab: &mut Tab) {
    let busy = "one('.live-result').ariaBusy";
    tab.eval("deaf = true");
    tab.press("temperature", "End");
    assert_eq!(tab.text(busy), "true");
    tab.eval("tooLate()");
    tab.refuses("there was no answer in 30 seconds. “Start over” tries again");
    assert_eq!(tab.eval(busy), Value::Null);
    tab.eval("deaf = false");
    tab.press("Start over", "Enter");
    tab.says("0.92, is on the book");
    // Nobody has to wait for it.
    tab.eval("deaf = true");
    tab.press("temperature", "End");
    tab.eval("deaf = false, window.silent = one('.live-body'), 0");
    tab.press("Start over", "Enter");
    tab.wait("one('.live-body') !== silent");
    tab.says("0.92, is on the book");
}

fn a_heat_map_is_read_with_keys_and_pointer(tab: &mut Tab) {
    tab.at("#figure-10-1-1");
    tab.wait("one('svg').tabIndex === 0");
    tab.eval("one('svg').focus()");
    // The first key may be what loads the script.
    tab.key("ArrowDown");
    tab.wait("one('.cell')");
    let says = "one('.cell').textContent";
    for key in ["Home", "ArrowDown", "ArrowDown", "ArrowDown", "End"] {
        tab.key(key);
    }
    assert_eq!(tab.text(says), "query to read, key book, weight 0.920");
    tab.key("ArrowUp");
    assert_eq!(tab.text(says), "query a glance, key book, weight 0.017");
    tab.key("Escape");
    assert_eq!(tab.text(says), "");
    // The middle of the panel's frame: the cup, at a glance.
    tab.point("one('svg > rect')", false);
    tab.wait(&format!("{says} === 'query a glance, key cup, weight 0.948'"));
    assert_eq!(tab.text("location.pathname"), "/ch10_1.html", "no key has turned it");
}

fn what_was_chosen_is_framed_in_the_answer(tab: &mut Tab) {
    tab.at(".question");
    tab.eval("one('input').focus()");
    tab.key("ArrowDown");
    tab.wait("all('input')[1].checked");
    tab.eval("one('summary').focus()");
    tab.key("Enter");
    tab.wait("one('details').open");
    let frames = "all('details > ol > li').map(one => getComputedStyle(one).outlineStyle)\
                  .join(' ')";
    assert_eq!(tab.text(frames), "none solid none");
}

fn a_page_leads_to_its_heading_in_the_other_language(tab: &mut Tab) {
    tab.at(":root");
    for (address, language) in [
        ("/zh/ch10_1.html#from-soft-to-hard", "zh-CN"),
        ("/ch10_1.html#from-soft-to-hard", "en"),
    ] {
        assert_eq!(tab.text("one('a.language').lang"), language);
        // In one go: what loads late moves what stands below it.
        tab.eval(
            "one('#from-soft-to-hard').scrollIntoView({ behavior: 'instant' }), \
             one('a.language').click()",
        );
        tab.wait(&format!("location.pathname + location.hash === '{address}'"));
        tab.wait(&format!(
            "document.readyState === 'complete' && host.lang === '{language}'"
        ));
    }
}
