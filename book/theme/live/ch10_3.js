// Section 10.3: masked softmax and the weighted sum over four pairs, and what
// the width does to scores.

import { element, number } from "./controls.js";

const PAIRS = [0, 1, 2, 3];
const SCORES = [[1.9, 1, 1.4, 0.7], [0.2, 1.1, 0.6, 2], [1, 1, 1, 1], [3, 0, -3, 1.5]];
const VALUES = [10, 20, 30, 40];
const KINDS = [
    { value: "none", label: "none" },
    { value: "length", label: "a length" },
    { value: "lengths", label: "a length for each query" },
    { value: "causal", label: "causal" },
    { value: "causal_within", label: "causal, within a length" },
    { value: "cells", label: "pair by pair" },
];

// The number of an input, or a line that says which is none.
function entered(input, name) {
    if (!Number.isFinite(input.valueAsNumber)) {
        throw new Error(`${name} is not a number: give one, such as 1.5`);
    }
    return input.valueAsNumber;
}

// Bars of weights, one for each key, with their numbers below.
function bars(name) {
    const box = element("div", { class: "live-bars" });
    const title = element("p", { class: "live-title" }, name);
    const table = element("table", { class: "live-table" });
    box.append(title, table);
    box.update = (scores, weights) => {
        table.replaceChildren(
            element("thead", {}, element("tr", {},
                ...["key", "score", "weight", ""].map(text => text
                    ? element("th", { scope: "col" }, text)
                    : element("td", {})))),
            element("tbody", {}, ...scores.map((score, k) => {
                const bar = element("div", { class: "live-bar" });
                bar.style.width = `${100 * weights[k]}%`;
                return element("tr", {},
                    element("th", { scope: "row" }, String(k)),
                    element("td", {}, number(score)),
                    element("td", {}, number(weights[k], 4)),
                    element("td", { class: "live-barred" }, bar));
            })));
    };
    return box;
}

export const figures = {
    // Scores, values and a mask.
    async scores(figure) {
        const kind = figure.select({ label: "mask", options: KINDS, value: "length" }, show);
        const length = figure.slider({ label: "length", min: 0, max: 4, step: 1, value: 3 }, show);
        const lengths = PAIRS.map(q => figure.slider(
            { label: `length for query ${q}`, min: 0, max: 4, step: 1, value: q + 1 }, show));
        const guarded = figure.guarded(show);
        const input = (name, value) => element("input", {
            type: "number", step: 0.1, value, "aria-label": name, oninput: guarded,
        });
        const scores = SCORES.map((row, q) => row.map((score, k) =>
            input(`score of query ${q} and pair ${k}`, score)));
        const values = VALUES.map((value, k) => input(`value of pair ${k}`, value));
        const allow = figure.guarded(() => {
            kind.value = "cells";
            return show();
        });
        const allowed = PAIRS.map(q => PAIRS.map(k => element("input", {
            type: "checkbox", "aria-label": `query ${q} may attend to pair ${k}`, oninput: allow,
        })));
        const row = (name, cells) => element("tr", {}, element("th", { scope: "row" }, name),
            ...cells.map(cell => element("td", {}, cell)));
        const grid = (caption, ...rows) => element("div", { class: "live-scroll" },
            element("table", { class: "live-entries" }, element("caption", {}, caption),
                element("thead", {}, element("tr", {}, element("td", {}),
                    ...PAIRS.map(k => element("th", { scope: "col" }, `pair ${k}`)))),
                element("tbody", {}, ...rows)));
        figure.controls.append(
            grid("Scores and values", ...scores.map((cells, q) => row(`query ${q}`, cells)), row("value", values)),
            grid("Allowed", ...allowed.map((cells, q) => row(`query ${q}`, cells))));
        const map = figure.heatmap({
            rows: PAIRS, columns: PAIRS, values: PAIRS.map(() => PAIRS.map(() => null)),
            title: "Weights", range: [0, 1], names: { column: "pair" }, digits: 4,
        });
        const sums = figure.table({ head: [], rows: [] });
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
            const sum = row => row.reduce((a, b) => a + b);
            sums.update({
                caption: "Outputs",
                head: ["", "sum of weights", "output"],
                rows: PAIRS.map(q => [
                    `query ${q}`, number(sum(answer.weights[q])), number(answer.output[q], 4),
                ]),
            });
            const nothing = PAIRS.filter(q => !answer.allowed[q].includes(true));
            figure.say((nothing.length
                ? `Nothing is allowed for query ${nothing.join(", ")}: weights of 0. `
                : "") + `Outputs: ${answer.output.map(x => number(x)).join(", ")}.`);
        }
        await show();
    },

    // Random queries and keys of a width, with the division by its root and without.
    async scaling(figure) {
        let seed = 0;
        const width = figure.slider({
            label: "width d", min: 0, max: 10, step: 1, value: 6, from: power => 2 ** power, show: String,
        }, show);
        figure.button("Draw other vectors", () => {
            seed += 1;
            return show();
        });
        const table = figure.table({ head: [], rows: [] });
        const [plain, scaled] = ["Not divided", "Divided by √d"].map(bars);
        const keys = Array.from({ length: 10 }, (_, k) => k);
        const [plainSlopes, scaledSlopes] = ["100 times the slopes, not divided", "The same, divided by √d"].map(title =>
            figure.heatmap({
                rows: keys, columns: keys, values: keys.map(() => keys.map(() => null)), title,
                range: [-25, 25], names: { row: "weight", column: "score", value: "100 times the slope" }, digits: 0,
            }));
        [plainSlopes, scaledSlopes].forEach(map => map.classList.add("live-tight"));
        figure.result.append(table,
            element("p", {}, "One of the queries, with ten keys:"),
            element("div", { class: "live-pair" }, plain, scaled),
            element("div", { class: "live-pair" }, plainSlopes, scaledSlopes));

        async function show() {
            const asked = width.value;
            const answer = await figure.ask({ scaling: { width: asked, seed } });
            const both = [answer.plain, answer.scaled];
            table.update({
                caption: `Over ${answer.queries} queries of width ${asked}`,
                head: ["", "not divided", `divided by ${number(answer.divisor)}`],
                rows: [
                    ["variance of the scores", ...both.map(one => number(one.variance))],
                    ["largest weight, mean", ...both.map(one => number(one.largest, 4))],
                    ["norm of the slopes, mean", ...both.map(one => number(one.norm, 4))],
                ],
            });
            plain.update(answer.plain.scores, answer.plain.weights);
            scaled.update(answer.scaled.scores, answer.scaled.weights);
            const hundred = rows => rows.map(row => row.map(slope => 100 * slope));
            plainSlopes.update(hundred(answer.plain.slopes));
            scaledSlopes.update(hundred(answer.scaled.slopes));
            figure.say(`Width ${asked}: not divided, the largest weight is ${number(answer.plain.largest)} ` +
                `and the norm of the slopes ${number(answer.plain.norm, 3)}; divided by the root, ` +
                `${number(answer.scaled.largest)} and ${number(answer.scaled.norm, 3)}.`);
        }
        await show();
    },
};
