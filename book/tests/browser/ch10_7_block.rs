//! In the live figure of section 10.7: one token through one block.

use super::{everywhere, host};

#[test]
fn a_token_goes_through_a_block() {
    everywhere("ch10_7.html", |tab| {
        tab.touch("translator");
        let host = host("translator");
        let module = "performance.getEntriesByType('resource')\
                      .some(one => one.name.includes('ch10_7_block.wasm'))";
        assert_eq!(tab.eval(module), false, "loaded before it is opened");
        let way = format!("{host}.querySelector('.live-way')");
        tab.eval(&format!("{way}.querySelector('summary').focus()"));
        tab.key("Enter");
        let stages = format!("{way}.querySelectorAll('.live-stages details')");
        // A row, two attentions of five stages, a network of three, the next tokens.
        tab.wait(&format!("{stages}.length === 15"));
        let title = format!("{way}.querySelector('summary').textContent");
        let from = "Inside layer 2, head 1: from “la” to the next token";
        assert_eq!(tab.text(&title), from);
        // Every listing is there.
        let missing = format!(
            "(async () => {{ const missing = []; \
               for (const a of {way}.querySelectorAll('a')) {{ \
                   const page = await (await fetch(a.href)).text(); \
                   if (!page.includes(`id=\"${{a.hash.slice(1)}}\"`)) missing.push(a.href); \
               }} return missing; }})()"
        );
        assert_eq!(tab.eval(&missing), serde_json::json!([]));
        // Each number is read by the keyboard, and by a screen reader.
        let q = format!("{stages}[1].querySelector('.live-strip')");
        tab.eval(&format!("{q}.querySelector('td[data-row]').focus()"));
        tab.key("ArrowRight");
        let said = "document.activeElement.getAttribute('aria-label')";
        assert!(tab.text(said).starts_with("number 2, value "));
        let readout = format!("{q}.querySelector('.live-readout').textContent");
        assert_eq!(tab.text(&readout), tab.text(said));
        let car = format!("[...{stages}[7].querySelectorAll('tr')].at(3)");
        tab.eval(&format!("{stages}[7].querySelector('summary').focus()"));
        tab.key("Enter");
        tab.wait(&format!("{stages}[7].open && {car}.textContent.startsWith('car')"));
        // Another token: the row of "the" in the encoder, as in Figure 10.7.3.
        tab.eval(&format!(
            "{host}.querySelector('[aria-label=\"Tokens read\"] button').focus()"
        ));
        tab.key("Enter");
        tab.wait(&format!("{stages}.length === 9 && {title}.includes('“the”')"));
        tab.focus("translator", "head");
        tab.key("ArrowDown");
        tab.wait(&format!("{title}.includes('head 2')"));
        let weight = format!("{stages}[2].querySelectorAll('tbody tr')[2].cells[4]");
        tab.wait(&format!("Number({weight}.textContent) > 0.5"));
        assert_eq!(tab.error("translator"), "");
    });
}
