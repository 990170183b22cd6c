// Section 10.1: one query on the desk, at a temperature.

import { number } from "./controls.js";

const OBJECTS = ["newspaper", "paper", "cup", "notebook", "book"];
const QUERIES = [["no cue", 0, 0], ["a glance", 1, 0], ["to read", 1, 2]];
const TEMPERATURES = [1, 10, 100].flatMap(ten => [1, 1.5, 2, 3, 5, 7].map(x => x * ten / 100))
    .concat(10);
const SENSES = ["red", "words", "warmth", "scent"];

export const figures = {
    async desk(figure) {
        const eye = figure.slider(
            { label: "what catches the eye", min: 0, max: 2, step: 0.05, value: 1 }, show);
        const reading = figure.slider(
            { label: "the wish to read", min: 0, max: 2, step: 0.05, value: 2 }, show);
        const temperature = figure.slider({
            label: "temperature", min: 0, max: TEMPERATURES.length - 1, step: 1,
            value: TEMPERATURES.indexOf(0.2), from: at => TEMPERATURES[at], show: String,
        }, show);
        for (const [name, ...query] of QUERIES) {
            figure.button(name, () => {
                [eye.value, reading.value] = query;
                return show();
            });
        }
        const map = figure.heatmap({
            rows: ["yours"], columns: OBJECTS, values: [OBJECTS.map(() => null)],
            title: "Weights", range: [0, 1],
        });
        const scores = figure.table({ head: [], rows: [] });
        const output = figure.table({ head: [], rows: [] });
        figure.result.append(map, scores, output);

        async function show() {
            const query = [eye.value, reading.value];
            const answer = await figure.ask({ query, temperature: temperature.value });
            map.update([answer.weights]);
            scores.update({
                caption: "What the query makes of each key",
                head: ["", ...OBJECTS],
                rows: [
                    ["score", ...answer.scores.map(x => number(x))],
                    ["weight", ...answer.weights.map(x => number(x, 4))],
                ],
            });
            output.update({
                caption: "The pooled value",
                head: ["", ...SENSES],
                rows: [["output", ...answer.output.map(x => number(x, 4))]],
            });
            const largest = Math.max(...answer.weights);
            const best = OBJECTS.filter((_, i) => largest - answer.weights[i] < 1e-6);
            figure.say(best.length === OBJECTS.length
                ? `All weights are the same, ${number(largest)}.`
                : `The largest weight, ${number(largest)}, is on the ${best.join(" and the ")}.`);
        }
        await show();
    },
};
