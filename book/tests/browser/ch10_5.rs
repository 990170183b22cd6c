//! The live figure of section 10.5: the game of pairs.

use super::{Tab, everywhere, host};

fn says(tab: &mut Tab, text: &str) {
    tab.wait(&format!("{}.textContent.includes({text:?})", host("game")));
}

#[test]
fn the_game_is_dealt_and_played() {
    everywhere("ch10_5.html", |tab| {
        tab.touch("game");
        says(tab, "8 of 8 left neighbours, 8 of 8 partners.");
        // Figure 10.5.1: card 2 attends to card 5, its partner, with head 0.
        let cells =
            format!("{}.querySelectorAll('.live-map td[data-row]')", host("game"));
        let label = tab.text(&format!("{cells}[2 * 8 + 5].getAttribute('aria-label')"));
        let start = "card that asks: 2 B, card attended to: 5 B, weight 0.8";
        assert!(label.starts_with(start), "{label}");
        tab.eval(&format!("{cells}[2 * 8 + 5].focus()"));
        tab.key("ArrowRight");
        let label = tab.text("document.activeElement.getAttribute('aria-label')");
        assert!(label.contains("card attended to: 6 C"), "{label}");
        // Without head 0 the partner is lost, and the left neighbour is not.
        tab.focus("game", "head 0");
        tab.key(" ");
        says(tab, "Head 0, off");
        says(tab, "3.71");
        says(tab, "8 of 8 left neighbours");
        tab.key(" ");
        says(tab, "8 of 8 left neighbours, 8 of 8 partners.");
        tab.focus("game", "model");
        tab.key("ArrowDown"); // one head
        says(tab, "0.955");
        tab.key("End"); // by hand
        says(tab, "8 of 8 left neighbours, 8 of 8 partners.");
        // Pictures change places: each stays on two cards.
        let picture = format!(
            "{}.querySelector('[aria-label=\"picture of card 0\"]')",
            host("game")
        );
        let pictures = format!(
            "[...{}.querySelectorAll('[aria-label^=picture]')]\
             .map(one => one.selectedOptions[0].text).join('')",
            host("game")
        );
        assert_eq!(tab.text(&pictures), "DABACBCD");
        tab.eval(&format!("{picture}.focus()"));
        tab.key("Home");
        tab.wait(&format!("{pictures} === 'ADBACBCD'"));
        says(tab, "8 of 8 left neighbours, 8 of 8 partners.");
        tab.focus("game", "Deal");
        tab.key("Enter");
        tab.wait(&format!("{pictures} !== 'ADBACBCD'"));
        // What the heads get right on other circles is still there.
        tab.wait(&format!(
            "![...{}.querySelectorAll('td')].some(cell => cell.textContent === '–')",
            host("game")
        ));
        assert_eq!(tab.error("game"), "");
    });
}

/// Of many ticks only the last counts, and until it is answered the totals say
/// that they are of another.
#[test]
fn totals_are_those_of_the_last_tick() {
    everywhere("ch10_5.html", |tab| {
        tab.eval(
            "window.compared = 0; \
             window.Worker = class extends Worker { \
                postMessage(message) { \
                    compared += Number('compare' in (message.question ?? {})); \
                    super.postMessage(message); \
                } }; 0",
        );
        tab.touch("game");
        says(tab, "The same heads on 256 circles");
        tab.focus("game", "head 0");
        let before = tab.eval("compared").as_i64().expect("a count");
        tab.eval("for (let i = 0; i < 21; i += 1) document.activeElement.click()");
        let totals =
            format!("[...{}.querySelectorAll('.live-scroll')].at(-1)", host("game"));
        assert_eq!(tab.text(&format!("{totals}.ariaBusy")), "true");
        tab.answered("game");
        assert!(tab.text(&format!("{totals}.textContent")).contains("3.71"));
        let after = tab.eval("compared").as_i64().expect("a count");
        assert!((1..=2).contains(&(after - before)), "{before}, {after}");
    });
}

#[test]
fn one_head_is_looked_into() {
    everywhere("ch10_5.html", |tab| {
        tab.touch("game");
        let host = host("game");
        let way = format!("{host}.querySelector('.live-way')");
        tab.eval(&format!("{way}.querySelector('summary').focus()"));
        tab.key("Enter");
        let strips = format!("{way}.querySelectorAll('.live-strip')");
        tab.wait(&format!("{strips}.length === 4"));
        // Card 3 asks: in head 1, as in its map, it attends to card 2.
        for (label, count) in [("head", 1), ("card that asks", 3)] {
            tab.focus("game", label);
            (0..count).for_each(|_| tab.key("ArrowDown"));
        }
        let title = format!("{strips}[0].querySelector('.live-title').textContent");
        tab.wait(&format!("{title}.startsWith('q of card 3, 16, to ±')"));
        let left = format!("{way}.querySelectorAll('tbody tr')");
        tab.wait(&format!(
            "[...{left}].some(row => row.textContent.startsWith('2 B') \
             && Number(row.cells[3].textContent) > 0.95)"
        ));
        // Another model has heads of another width.
        tab.focus("game", "model");
        tab.key("End");
        tab.key("ArrowUp");
        tab.wait(&format!("{title}.startsWith('q of card 3, 8, to ±')"));
        assert_eq!(tab.error("game"), "");
    });
}
