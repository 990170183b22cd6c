// Section 10.4 and its interlude: a sentence of the reader's, translated with
// attention and without, token by token.

import { element } from "./controls.js";
import { most } from "./heads.js";

// Milliseconds from token to token; none for who wants nothing to move.
const PAUSE = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 220;

// Shows what was translated, a token more with each call of step(), all of it
// with run().
function written(figure, { show, length }) {
    let [shown, running] = [0, 0];
    return {
        begin() { [shown, running] = [0, running + 1]; show(0); },
        step() { running += 1; shown = shown < length() ? shown + 1 : 1; show(shown); },
        async run() {
            const own = running += 1;
            shown = PAUSE ? shown : length();
            while (running === own && !figure.closed && shown < length()) {
                shown += 1;
                show(shown);
                await new Promise(done => setTimeout(done, PAUSE));
            }
            show(shown);
        },
    };
}

function strange(unknown) {
    return unknown.length ? `Not in the vocabulary, read as <unk>: ${unknown.join(", ")}.` : "";
}

async function translator(figure, { result, show, length }) {
    const { words } = await figure.ask({ words: {} }, { keep: true });
    const output = written(figure, { show, length });
    const sentence = figure.text({
        label: "English sentence", value: "The red car is new.", list: words, maxlength: 120,
        examples: ["The red car is new.", "The cats do not see the red cars.", "Is the queen looking at me?"],
    }, translate);
    figure.button("Translate", translate);
    figure.button("Token by token", () => output.step());
    async function translate() {
        result(await figure.ask({ translate: { sentence: sentence.value } }));
        output.begin();
        output.run();
    }
    await translate();
}

export const figures = {
    // With attention: its weights row by row, and the other model beside it.
    translate(figure) {
        let answer;
        const unknown = element("p", {});
        const both = figure.table({ head: [], rows: [] });
        const map = figure.heatmap({
            title: "Alignment", rows: [], columns: [], values: [], range: [0, 1],
            names: { row: "written", column: "read" },
        });
        figure.result.append(unknown, both, map);
        const tokens = (model, n) => model.tokens.slice(0, n).filter(token => token !== "<eos>").join(" ");
        return translator(figure, {
            result(given) {
                answer = given;
                unknown.textContent = strange(answer.unknown);
                unknown.hidden = answer.unknown.length === 0;
            },
            length: () => Math.max(answer.attention.tokens.length, answer.fixed.tokens.length),
            show(n) {
                const { read, attention, fixed } = answer;
                both.update({
                    head: ["", "French"],
                    rows: [["with attention", tokens(attention, n)], ["without", tokens(fixed, n)]],
                });
                map.update(attention.weights.slice(0, n), { rows: attention.tokens.slice(0, n), columns: read });
                const all = n >= attention.tokens.length;
                if (n > 0 && (all || PAUSE === 0)) {
                    const last = Math.min(n, attention.tokens.length) - 1;
                    figure.say(`${tokens(attention, n)} — “${attention.tokens[last]}” attends to `
                        + `${most(attention.weights[last], read)}. Without attention: ${tokens(fixed, n)}`);
                }
            },
        });
    },

    // Without it: the interlude's decoder has one vector for all steps.
    fixed(figure) {
        let answer;
        const unknown = element("p", {});
        const read = element("p", {});
        const french = element("p", { class: "live-text", lang: "fr" });
        figure.result.append(unknown, read, french);
        return translator(figure, {
            result(given) {
                answer = given;
                unknown.textContent = strange(answer.unknown);
                unknown.hidden = answer.unknown.length === 0;
                read.textContent = `Read: ${answer.read.join(" ")}`;
            },
            length: () => answer.fixed.tokens.length,
            show(n) {
                const tokens = answer.fixed.tokens.slice(0, n);
                french.textContent = tokens.join(" ") || "\u00a0";
                if (n === answer.fixed.tokens.length) {
                    figure.say(tokens.join(" "));
                }
            },
        });
    },
};
