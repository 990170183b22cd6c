//! How a live figure ends: it is closed, or the worker behind it is silent.

use super::{everywhere, host};
use serde_json::Value;

#[test]
fn a_figure_is_closed_and_opened_again() {
    everywhere("ch10_1.html", |tab| {
        tab.touch("desk");
        tab.focus("desk", "Close");
        tab.key("Enter");
        let button = format!("{}.querySelector(':scope > button')", host("desk"));
        tab.wait(&format!("document.activeElement === {button}"));
        assert_eq!(tab.eval("document.querySelector('.live-body')"), Value::Null);
        tab.key("Enter");
        tab.wait(&format!("{}.querySelector('.live-said')", host("desk")));
        assert_eq!(tab.said("desk"), "The largest weight, 0.92, is on the book.");
    });
}

#[test]
fn a_silent_worker_is_given_up() {
    everywhere("ch10_1.html", |tab| {
        // A worker that hears nothing more, and minutes that last six seconds.
        tab.eval(
            "window.deaf = false; \
             window.Worker = class extends Worker { \
                postMessage(message) { deaf || super.postMessage(message); } }; \
             const later = setTimeout; \
             window.setTimeout = (act, time) => \
                later(act, time >= 30000 ? time / 10 : time); 0",
        );
        tab.touch("desk");
        let host = host("desk");
        let busy = format!("{host}.querySelector('.live-result').ariaBusy");
        tab.eval("deaf = true");
        tab.focus("desk", "temperature");
        tab.key("End");
        assert_eq!(tab.text(&busy), "true");
        tab.wait(&format!(
            "{host}.querySelector('.live-error').textContent\
             === 'there was no answer in 30 seconds. “Start over” tries again'"
        ));
        assert_eq!(tab.eval(&busy), Value::Null);
        tab.eval("deaf = false");
        tab.focus("desk", "Start over");
        tab.key("Enter");
        tab.wait(&format!("{host}.textContent.includes('0.92, is on the book')"));
        assert_eq!(tab.error("desk"), "");
        // Nobody has to wait for it.
        tab.eval("deaf = true");
        tab.focus("desk", "temperature");
        tab.key("End");
        let body = format!("{host}.querySelector('.live-body')");
        tab.eval(&format!(
            "window.silent = {body}; window.setTimeout = () => 0; deaf = false"
        ));
        tab.focus("desk", "Start over");
        tab.key("Enter");
        tab.wait(&format!("{body} !== silent"));
        assert_eq!(tab.error("desk"), "");
    });
}
