// Section 10.3: masked softmax and the weighted sum over four pairs, and what
// the width does to scores.

import { bar, element, number } from "./controls.js";
import { t } from "./words.js";

const PAIRS = [0, 1, 2, 3];
const SCORES = [[1.9, 1, 1.4, 0.7], [0.2, 1.1, 0.6, 2], [1, 1, 1, 1], [3, 0, -3, 1.5]];
const VALUES = [10, 20, 30, 40];
// The first query of the example by hand, its keys and its values.
const QUERY = [0.3367, 0.1288];
const KEYS = [[2.2082, -0.638], [0.4617, 0.2674], [0.5349, 0.8094]];
const KEY_VALUES = [[1.1103, -1.6898], [-0.989, 0.958], [1.3221, 0.8172]];
const KINDS = [
    { value: "none", label: t("none") },
    { value: "length", label: t("a length") },
    { value: "lengths", label: t("a length for each query") },
    { value: "causal", label: t("causal") },
    { value: "causal_within", label: t("causal, within a length") },
    { value: "cells", label: t("pair by pair") },
];

const sum = row => row.reduce((a, b) => a + b);

// The number of an input, or a line that says which is none.
function entered(input, name) {
    if (!Number.isFinite(input.valueAsNumber)) {
        throw new Error(`${name} is not a number: give one, such as 1.5`);
    }
    return input.valueAsNumber;
}

// An input for a number, of a table of them.
const typed = (name, value, oninput) => element("input", {
    type: "number", step: 0.1, value, "aria-label": name, oninput,
});

export const figures = {
    // Scores, values and a mask.
    async scores(figure) {
        const kind = figure.select({ label: t("mask"), options: KINDS, value: "length" }, show);
        const length = figure.slider({ label: t("length"), min: 0, max: 4, step: 1, value: 3 }, show);
        const lengths = PAIRS.map(q => figure.slider(
            { label: t("length for query {0}", q), min: 0, max: 4, step: 1, value: q + 1 }, show));
        const guarded = figure.guarded(show);
        const scores = SCORES.map((row, q) => row.map((score, k) =>
            typed(t("score of query {0} and pair {1}", q, k), score, guarded)));
        const values = VALUES.map((value, k) => typed(t("value of pair {0}", k), value, guarded));
        const allow = figure.guarded(() => {
            kind.value = "cells";
            return show();
        });
        const allowed = PAIRS.map(q => PAIRS.map(k => element("input", {
            type: "checkbox", "aria-label": t("query {0} may attend to pair {1}", q, k), oninput: allow,
        })));
        const row = (name, cells) => element("tr", {}, element("th", { scope: "row" }, name),
            ...cells.map(cell => element("td", {}, cell)));
        const grid = (caption, ...rows) => element("div", { class: "live-scroll" },
            element("table", { class: "live-entries" }, element("caption", {}, caption),
                element("thead", {}, element("tr", {}, element("td", {}),
                    ...PAIRS.map(k => element("th", { scope: "col" }, t("pair {0}", k))))),
                element("tbody", {}, ...rows)));
        figure.controls.append(
            grid(t("Scores and values"), ...scores.map((cells, q) => row(t("query {0}", q), cells)),
                row(t("value"), values)),
            grid(t("Allowed"), ...allowed.map((cells, q) => row(t("query {0}", q), cells))));
        const map = figure.heatmap({
            rows: PAIRS, columns: PAIRS, values: PAIRS.map(() => PAIRS.map(() => null)),
            title: t("Weights"), range: [0, 1], digits: 4,
            told: (...of) => t("query {0}, pair {1}, weight {2}", ...of),
        });
        const sums = figure.table();
        figure.result.append(element("div", { class: "live-pair" }, map, sums));

        function mask() {
            switch (kind.value) {
                case "length":
                case "causal_within":
                    return { [kind.value]: length.value };
                case "lengths":
                    return { lengths: lengths.map(one => one.value) };
                case "cells":
                    return { cells: allowed.map(row => row.map(cell => cell.checked)) };
                default:
                    return kind.value;
            }
        }
        async function show() {
            length.element.hidden = !["length", "causal_within"].includes(kind.value);
            lengths.forEach(one => { one.element.hidden = kind.value !== "lengths"; });
            const question = {
                scores: scores.map((row, q) => row.map((cell, k) =>
                    entered(cell, `The score of query ${q} and pair ${k}`))),
                values: values.map((cell, k) => entered(cell, `The value of pair ${k}`)),
                mask: mask(),
            };
            const answer = await figure.ask({ scores: question });
            answer.allowed.forEach((row, q) => row.forEach((cell, k) => { allowed[q][k].checked = cell; }));
            map.update(answer.weights);
            sums.update({
                caption: t("Outputs"),
                head: ["", t("sum of weights"), t("output")],
                rows: PAIRS.map(q => [
                    t("query {0}", q), number(sum(answer.weights[q])), number(answer.output[q], 4),
                ]),
            });
            const nothing = PAIRS.filter(q => !answer.allowed[q].includes(true));
            const outputs = t("Outputs: {0}.", answer.output.map(x => number(x)).join(t(", ")));
            figure.say(nothing.length
                ? t("Nothing is allowed for query {0}: weights of 0. {1}", nothing.join(t(", ")), outputs)
                : outputs, nothing.length === 0);
        }
        await show();
    },

    // One query and three pairs: all numbers of the example by hand.
    async by_hand(figure) {
        const guarded = figure.guarded(show);
        const pair = (name, values) => {
            const label = i => t("{0}, number {1}", name, i);
            const cells = values.map((value, i) => typed(label(i), value, guarded));
            return { name, cells, numbers: () => cells.map((cell, i) => entered(cell, label(i))) };
        };
        const query = pair(t("query"), QUERY);
        const keys = KEYS.map((key, k) => pair(t("key {0}", k), key));
        const values = KEY_VALUES.map((value, k) => pair(t("value {0}", k), value));
        figure.controls.append(element("div", { class: "live-scroll" }, element("table", { class: "live-entries live-long" },
            element("caption", {}, t("Numbers from −5 to 5")),
            element("tbody", {}, ...[query, ...keys, ...values].map(({ name, cells }) => element("tr", {},
                element("th", { scope: "row" }, name), ...cells.map(cell => element("td", {}, cell))))))));
        const steps = figure.table();
        figure.result.append(steps);

        async function show() {
            const answer = await figure.ask({
                by_hand: {
                    query: query.numbers(), keys: keys.map(key => key.numbers()),
                    values: values.map(value => value.numbers()),
                },
            });
            const { products, scores, exponentials, weights, parts, output } = answer;
            const row = (name, numbers, ...last) =>
                [name, ...numbers.map(x => number(x, 4)), ...last.map(x => number(x, 4))];
            steps.update({
                caption: t("From the scores to the output"),
                head: ["", ...keys.map(({ name }) => name), t("sum")],
                rows: [
                    [...row("q · k", products), ""],
                    [...row("÷ √2", scores), ""],
                    row("exp", exponentials, sum(exponentials)),
                    row(t("weight"), weights, sum(weights)),
                    ...output.map((all, i) =>
                        row(t("weight × value, number {0}", i), parts.map(part => part[i]), all)),
                ],
            });
            figure.say(t("Weights: {0}. Output: {1}.", weights.map(x => number(x)).join(t(", ")),
                output.map(x => number(x)).join(t(", "))), true);
        }
        await show();
    },

    // Random queries and keys of a width, with the division by its root and without.
    async scaling(figure) {
        let seed = 0;
        const width = figure.slider({
            label: t("width d"), min: 0, max: 10, step: 1, value: 6, from: power => 2 ** power, show: String,
        }, show);
        figure.button(t("Draw other vectors"), () => {
            seed += 1;
            return show();
        });
        const [table, plain, scaled] = [0, 1, 2].map(() => figure.table());
        [plain, scaled].forEach(one => one.classList.add("live-bars"));
        const keys = Array.from({ length: 10 }, (_, k) => k);
        const [plainSlopes, scaledSlopes] = [t("100 times the slopes, not divided"), t("The same, divided by √d")].map(title =>
            figure.heatmap({
                rows: keys, columns: keys, values: keys.map(() => keys.map(() => null)), title,
                range: [-25, 25], digits: 0,
                told: (...of) => t("weight {0}, score {1}, 100 times the slope {2}", ...of),
            }));
        figure.result.append(table,
            element("p", {}, t("One of the queries, with ten keys:")),
            element("div", { class: "live-pair" }, plain, scaled),
            element("div", { class: "live-pair" }, plainSlopes, scaledSlopes));

        async function show() {
            const asked = width.value;
            const answer = await figure.ask({ scaling: { width: asked, seed } });
            const both = [answer.plain, answer.scaled];
            table.update({
                caption: t("Over {0} queries of width {1}", answer.queries, asked),
                head: ["", t("not divided"), t("divided by {0}", number(answer.divisor))],
                rows: [
                    [t("variance of the scores"), ...both.map(one => number(one.variance))],
                    [t("largest weight, mean"), ...both.map(one => number(one.largest, 4))],
                    [t("norm of the slopes, mean"), ...both.map(one => number(one.norm, 4))],
                ],
            });
            const weighed = (caption, { scores, weights }) => ({
                caption, head: [t("key"), t("score"), t("weight"), ""],
                rows: scores.map((score, k) =>
                    [String(k), number(score), number(weights[k], 4), bar(weights[k])]),
            });
            plain.update(weighed(t("Not divided"), answer.plain));
            scaled.update(weighed(t("Divided by √d"), answer.scaled));
            const hundred = rows => rows.map(row => row.map(slope => 100 * slope));
            plainSlopes.update(hundred(answer.plain.slopes));
            scaledSlopes.update(hundred(answer.scaled.slopes));
            figure.say(t("Width {0}: not divided, the largest weight is {1} and the norm of the slopes {2}; divided by the root, {3} and {4}.",
                asked, ...both.flatMap(one => [number(one.largest), number(one.norm, 3)])), true);
        }
        await show();
    },
};
