// Section 10.7: a sentence of the reader's, translated by the Transformer, with
// its three attentions.

import { way } from "./block.js";
import { element, number, press } from "./controls.js";
import { heads, most, strange } from "./heads.js";
import { t } from "./words.js";

export const figures = {
    async translator(figure) {
        const { words } = await figure.ask({ words: {} });
        const chosen = { layer: 1, head: 0 };
        let [answer, translated] = [null, ""];
        let chosenToken = { side: "written", at: 1 }; // the token whose attentions are shown
        let pinned = false; // chosen by a click: the pointer on its way to the maps changes nothing

        const sentence = figure.text(
            {
                label: t("English sentence"), value: "The red car is new.", list: words, maxlength: 120,
                examples: ["The red car is new.", "The cats do not see the red cars.", "Is the queen looking at me?"],
            }, translate);
        figure.button(t("Translate"), translate);
        const width = figure.slider(
            { label: t("width of the beam"), min: 1, max: 8, step: 1, value: 4 }, translate);
        const layer = figure.select(
            { label: t("layer"), options: [1, 2].map(n => ({ value: n - 1, label: String(n) })), value: chosen.layer },
            value => { chosen.layer = Number(value); draw(); });
        const head = figure.select(
            { label: t("head"), options: [1, 2, 3, 4].map(n => ({ value: n - 1, label: String(n) })), value: chosen.head },
            value => { chosen.head = Number(value); draw(); });

        const unknown = strange();
        const french = element("p", { class: "live-text", lang: "fr" });
        const found = figure.table();
        const read = element("div", { class: "live-tokens", role: "group", "aria-label": t("Tokens read") });
        const written = element("div", { class: "live-tokens", role: "group", "aria-label": t("Tokens written") });
        const summary = figure.table();
        const onChoice = () => {
            layer.value = chosen.layer;
            head.value = chosen.head;
            draw();
        };
        const shared = { chosen, onChoice };
        const encoder = heads({ ...shared, title: t("Encoder self-attention") });
        const decoder = heads({ ...shared, title: t("Decoder self-attention") });
        const cross = heads({ ...shared, title: t("Cross-attention") });
        const inside = way(figure, figure.another("ch10_7_block"));
        figure.result.append(
            unknown, french, found,
            element("p", {}, t("Point at a token, or press it to keep it:")), read, written, summary,
            inside, cross, decoder, encoder);

        async function translate() {
            const text = sentence.value;
            answer = await figure.ask({ translate: { sentence: text, width: width.value } });
            translated = text;
            const { hypotheses } = answer;
            unknown.update(answer.unknown);
            french.textContent = hypotheses[0].text || t("(nothing)");
            found.update({
                caption: t("Hypotheses at the end of the beam search"),
                head: [t("French"), t("probability")],
                rows: hypotheses.map(({ text, probability }) => [text || t("(nothing)"), number(probability, 4)]),
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
            const steps = answer.input.map((token, at) => `${token} → ${answer.written[at]}`);
            const source = chosenToken.side === "read" ? [chosenToken.at] : [];
            const target = chosenToken.side === "written" ? [chosenToken.at] : [];
            press(read, source[0]);
            press(written, target[0]);
            encoder.update(answer.encoder, {
                rows: answer.read, columns: answer.read, marked: { rows: source },
            });
            decoder.update(answer.decoder, {
                rows: steps, columns: answer.input, marked: { rows: target },
            });
            cross.update(answer.cross, {
                rows: steps, columns: answer.read, marked: { rows: target, columns: source },
            });
            const wrote = chosenToken.side === "written";
            inside.update({
                sentence: translated, at: chosenToken.at, layer: l, head: h,
                written: wrote ? answer.input.slice(1) : null,
            }, (wrote ? answer.input : answer.read)[chosenToken.at]);
            if (wrote) {
                const { at } = chosenToken;
                const across = most(answer.cross[l][h][at], answer.read);
                summary.update({
                    caption: t("To write “{0}” after “{1}”: layer {2}, head {3}",
                        answer.written[at], answer.input[at], l + 1, h + 1),
                    head: ["", t("attends to")],
                    rows: [
                        [t("cross-attention"), across],
                        [t("decoder self-attention"), most(answer.decoder[l][h][at], answer.input)],
                    ],
                });
                figure.say(t("{0} “{1}” attends to {2}.", french.textContent, answer.written[at], across), true);
            } else {
                const s = chosenToken.at;
                const own = most(answer.encoder[l][h][s], answer.read);
                const column = answer.cross[l][h].map(row => row[s]);
                summary.update({
                    caption: t("“{0}”: layer {1}, head {2}", answer.read[s], l + 1, h + 1),
                    head: ["", ""],
                    rows: [
                        [t("encoder self-attention: it attends to"), own],
                        [t("cross-attention: steps that attend to it"), most(column, answer.written)],
                    ],
                });
                figure.say(t("{0} “{1}” attends to {2}.", french.textContent, answer.read[s], own), true);
            }
        }
        await translate();
    },
};
