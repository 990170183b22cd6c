// Section 10.7: a sentence of the reader's, translated by the Transformer, with
// its three attentions.

import { element, number } from "./controls.js";
import { heads, most } from "./heads.js";

export const figures = {
    async translator(figure) {
        const { words } = await figure.ask({ words: {} }, { keep: true });
        const chosen = { layer: 1, head: 0 };
        let answer;
        let chosenToken = { side: "written", at: 1 }; // the token whose attentions are shown
        let pinned = false; // chosen by a click: the pointer on its way to the maps changes nothing

        const sentence = figure.text(
            {
                label: "English sentence", value: "The red car is new.", list: words, maxlength: 120,
                examples: ["The red car is new.", "The cats do not see the red cars.", "Is the queen looking at me?"],
            }, translate);
        figure.button("Translate", translate);
        const width = figure.slider(
            { label: "width of the beam", min: 1, max: 8, step: 1, value: 4 }, translate);
        const layer = figure.select(
            { label: "layer", options: [1, 2].map(n => ({ value: n - 1, label: String(n) })), value: chosen.layer },
            value => { chosen.layer = Number(value); draw(); });
        const head = figure.select(
            { label: "head", options: [1, 2, 3, 4].map(n => ({ value: n - 1, label: String(n) })), value: chosen.head },
            value => { chosen.head = Number(value); draw(); });

        const unknown = element("p", {});
        const french = element("p", { class: "live-text", lang: "fr" });
        const found = figure.table({ head: [], rows: [] });
        const read = element("div", { class: "live-tokens", role: "group", "aria-label": "Tokens read" });
        const written = element("div", { class: "live-tokens", role: "group", "aria-label": "Tokens written" });
        const summary = figure.table({ head: [], rows: [] });
        const onChoice = () => {
            layer.value = chosen.layer;
            head.value = chosen.head;
            draw();
        };
        const shared = { chosen, onChoice };
        const encoder = heads({ ...shared, title: "Encoder self-attention" });
        const decoder = heads({ ...shared, title: "Decoder self-attention" });
        const cross = heads({ ...shared, title: "Cross-attention" });
        figure.result.append(
            unknown, french, found,
            element("p", {}, "Point at a token, or press it to keep it:"), read, written, summary,
            cross, decoder, encoder);

        async function translate() {
            answer = await figure.ask({ translate: { sentence: sentence.value, width: width.value } });
            const { unknown: strange, hypotheses } = answer;
            unknown.hidden = strange.length === 0;
            unknown.textContent = `Not in the vocabulary, read as <unk>: ${strange.join(", ")}.`;
            french.textContent = hypotheses[0].text || "(nothing)";
            found.update({
                caption: "Hypotheses at the end of the beam search",
                head: ["French", "probability"],
                rows: hypotheses.map(({ text, probability }) => [text || "(nothing)", number(probability, 4)]),
            });
            pinned = false;
            const last = (chosenToken.side === "read" ? answer.read : answer.written).length - 1;
            chosenToken.at = Math.min(chosenToken.at, last);
            buttons();
            draw();
        }

        function buttons() {
            for (const [side, box, tokens] of [["read", read, answer.read], ["written", written, answer.written]]) {
                box.replaceChildren(...tokens.map((token, at) => {
                    const choose = () => {
                        chosenToken = { side, at };
                        draw();
                    };
                    const pin = () => {
                        pinned = true;
                        choose();
                    };
                    return element("button", { type: "button", onclick: pin, onpointermove: event => {
                        if (event.pointerType === "mouse" && !pinned) {
                            choose();
                        }
                    } }, token);
                }));
            }
        }

        function draw() {
            const { layer: l, head: h } = chosen;
            [...read.children].forEach((one, at) => one.setAttribute(
                "aria-pressed", String(chosenToken.side === "read" && chosenToken.at === at)));
            [...written.children].forEach((one, at) => one.setAttribute(
                "aria-pressed", String(chosenToken.side === "written" && chosenToken.at === at)));
            const steps = answer.input.map((token, t) => `${token} → ${answer.written[t]}`);
            const source = chosenToken.side === "read" ? [chosenToken.at] : [];
            const target = chosenToken.side === "written" ? [chosenToken.at] : [];
            encoder.update(answer.encoder, {
                rows: answer.read, columns: answer.read, marked: { rows: source },
            });
            decoder.update(answer.decoder, {
                rows: steps, columns: answer.input, marked: { rows: target },
            });
            cross.update(answer.cross, {
                rows: steps, columns: answer.read, marked: { rows: target, columns: source },
            });
            const which = `layer ${l + 1}, head ${h + 1}`;
            if (chosenToken.side === "written") {
                const t = chosenToken.at;
                const across = most(answer.cross[l][h][t], answer.read);
                summary.update({
                    caption: `To write “${answer.written[t]}” after “${answer.input[t]}”: ${which}`,
                    head: ["", "attends to"],
                    rows: [
                        ["cross-attention", across],
                        ["decoder self-attention", most(answer.decoder[l][h][t], answer.input)],
                    ],
                });
                figure.say(`${french.textContent} “${answer.written[t]}” attends to ${across}.`);
            } else {
                const s = chosenToken.at;
                const own = most(answer.encoder[l][h][s], answer.read);
                const column = answer.cross[l][h].map(row => row[s]);
                summary.update({
                    caption: `“${answer.read[s]}”: ${which}`,
                    head: ["", ""],
                    rows: [
                        ["encoder self-attention: it attends to", own],
                        ["cross-attention: it gets from the steps", most(column, answer.written)],
                    ],
                });
                figure.say(`${french.textContent} “${answer.read[s]}” attends to ${own}.`);
            }
        }
        await translate();
    },
};
