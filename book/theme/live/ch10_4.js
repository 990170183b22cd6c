// Section 10.4 and its interlude: a sentence of the reader's, translated with
// attention and without, token by token.

import { element } from "./controls.js";
import { most, strange } from "./heads.js";
import { t } from "./words.js";

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

// Tokens, the first n of them written, with room for the others.
function unfolding(tokens, n) {
    const [now, later] = [tokens.slice(0, n), tokens.slice(n)].map(some => some.join(" "));
    return element("span", {}, now, element("span", { class: "live-later" }, now && later && " ", later));
}

async function translator(figure, { result, show, length }) {
    const { words } = await figure.ask({ words: {} });
    const unknown = strange();
    figure.result.prepend(unknown);
    const output = written(figure, { show, length });
    const sentence = figure.text({
        label: t("English sentence"), value: "The red car is new.", list: words, maxlength: 120,
        examples: ["The red car is new.", "The cats do not see the red cars.", "Is the queen looking at me?"],
    }, translate);
    figure.button(t("Translate"), translate);
    figure.button(t("Token by token"), () => output.step());
    async function translate() {
        const answer = await figure.ask({ translate: { sentence: sentence.value } });
        unknown.update(answer.unknown);
        result(answer);
        output.begin();
        output.run();
    }
    await translate();
}

export const figures = {
    // With attention: its weights row by row, and the other model beside it.
    translate(figure) {
        let answer;
        const both = figure.table();
        const map = figure.heatmap({
            title: t("Alignment"), range: [0, 1],
            told: (...of) => t("written {0}, read {1}, weight {2}", ...of),
        });
        figure.result.append(both, map);
        const tokens = model => model.tokens.filter(token => token !== "<eos>");
        return translator(figure, {
            result(given) { answer = given; },
            length: () => Math.max(answer.attention.tokens.length, answer.fixed.tokens.length),
            show(n) {
                const { read, attention, fixed } = answer;
                both.update({
                    head: ["", t("French")],
                    rows: [
                        [t("with attention"), unfolding(tokens(attention), n)],
                        [t("without"), unfolding(tokens(fixed), n)],
                    ],
                });
                map.update(attention.weights, { rows: attention.tokens, columns: read, shown: n });
                const all = n >= attention.tokens.length;
                if (n > 0 && (all || PAUSE === 0)) {
                    const last = Math.min(n, attention.tokens.length) - 1;
                    const [french, without] = [attention, fixed].map(one => tokens(one).slice(0, n).join(" "));
                    figure.say(t("{0} — “{1}” attends to {2}. Without attention: {3}",
                        french, attention.tokens[last], most(attention.weights[last], read), without), true);
                }
            },
        });
    },

    // Without it: the interlude's decoder has one vector for all steps.
    fixed(figure) {
        let answer;
        const read = element("p", {});
        const french = element("p", { class: "live-text", lang: "fr" });
        figure.result.append(read, french);
        return translator(figure, {
            result(given) {
                answer = given;
                read.textContent = t("Read: {0}", answer.read.join(" "));
            },
            length: () => answer.fixed.tokens.length,
            show(n) {
                const { tokens } = answer.fixed;
                french.replaceChildren(unfolding(tokens, n));
                if (n === tokens.length) {
                    figure.say(tokens.join(" "), true);
                }
            },
        });
    },
};
