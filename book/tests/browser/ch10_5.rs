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
