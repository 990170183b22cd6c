//! The live figure of section 10.5: the game of pairs.

use super::{Tab, on_phone};

#[test]
fn section_10_5() {
    on_phone(&[("ch10_5.html", |tab| {
        tab.eval(
            "window.compared = 0, \
             window.Worker = class extends Worker { \
                postMessage(message) { \
                    compared += Number('compare' in (message.question ?? {})); \
                    super.postMessage(message); \
                } }, 0",
        );
        the_game_is_dealt_and_played(tab);
        tab.press("Start over", "Enter");
        tab.wait("one('.live-body') !== played");
        tab.answered();
        totals_are_those_of_the_last_tick(tab);
        one_head_is_looked_into(tab);
    })]);
}

fn the_game_is_dealt_and_played(tab: &mut Tab) {
    tab.touch("game");
    tab.eval("window.played = one('.live-body'), 0");
    let all_right = "8 of 8 left neighbours, 8 of 8 partners.";
    tab.shows(all_right);
    // Figure 10.5.1: card 2 attends to card 5, its partner, with head 0.
    let cell = "all('.live-map td[data-row]')[2 * 8 + 5]";
    let label = tab.text(&format!("{cell}.ariaLabel"));
    let start = "card that asks: 2 B, card attended to: 5 B, weight 0.8";
    assert!(label.starts_with(start), "{label}");
    tab.eval(&format!("{cell}.focus()"));
    tab.key("ArrowRight");
    let label = tab.text("document.activeElement.ariaLabel");
    assert!(label.contains("card attended to: 6 C"), "{label}");
    // Without head 0 the partner is lost, and the left neighbour is not.
    tab.press("head 0", " ");
    tab.shows("Head 0, off");
    tab.shows("3.71");
    tab.shows("8 of 8 left neighbours");
    tab.key(" ");
    tab.shows(all_right);
    tab.press("model", "ArrowDown"); // one head
    tab.shows("0.955");
    tab.key("End"); // by hand
    tab.shows(all_right);
    // Pictures change places: each stays on two cards.
    let pictures = "all('[aria-label^=picture]')\
                    .map(one => one.selectedOptions[0].text).join('')";
    assert_eq!(tab.text(pictures), "DABACBCD");
    tab.press("picture of card 0", "Home");
    tab.wait(&format!("{pictures} === 'ADBACBCD'"));
    tab.shows(all_right);
    tab.press("Deal", "Enter");
    tab.wait(&format!("{pictures} !== 'ADBACBCD'"));
    // What the heads get right on other circles is still there.
    tab.wait("!all('td').some(cell => cell.textContent === '–')");
}

/// Of many ticks only the last counts, and until it is answered the totals say
/// that they are of another.
fn totals_are_those_of_the_last_tick(tab: &mut Tab) {
    tab.shows("The same heads on 256 circles");
    tab.focus("head 0");
    tab.eval("compared = 0");
    tab.eval("Array.from({ length: 21 }, () => document.activeElement.click()).length");
    let totals = "all('.live-scroll').at(-1)";
    assert_eq!(tab.text(&format!("{totals}.ariaBusy")), "true");
    tab.answered();
    tab.wait(&format!("{totals}.textContent.includes('3.71')"));
    tab.wait("compared === 1 || compared === 2");
    tab.key(" ");
    tab.answered();
}

fn one_head_is_looked_into(tab: &mut Tab) {
    tab.eval("one('.live-way summary').focus()");
    tab.key("Enter");
    tab.wait("all('.live-way .live-strip').length === 4");
    // Card 3 asks: in head 1, as in its map, it attends to card 2.
    for (label, count) in [("head", 1), ("card that asks", 3)] {
        tab.focus(label);
        (0..count).for_each(|_| tab.key("ArrowDown"));
    }
    let title = "one('.live-way .live-strip .live-title').textContent";
    tab.wait(&format!("{title}.startsWith('q of card 3, 16, to ±')"));
    tab.wait(
        "all('.live-way tbody tr').some(row => row.textContent.startsWith('2 B') \
         && Number(row.cells[3].textContent) > 0.95)",
    );
    // Another model has heads of another width.
    tab.press("model", "End");
    tab.key("ArrowUp");
    tab.wait(&format!("{title}.startsWith('q of card 3, 8, to ±')"));
}
