// Section 10.1: one query on the desk, at a temperature.

import { element, number } from "./controls.js";
import { t } from "./words.js";

const OBJECTS = [t("newspaper"), t("paper"), t("cup"), t("notebook"), t("book")];
const QUERIES = [[t("no cue"), 0, 0], [t("a glance"), 1, 0], [t("to read"), 1, 2]];
const TEMPERATURES = [1, 10, 100].flatMap(ten => [1, 1.5, 2, 3, 5, 7].map(x => x * ten / 100))
    .concat(10);
const SENSES = [t("red"), t("words"), t("warmth"), t("scent")];

export const figures = {
    async desk(figure) {
        const eye = figure.slider(
            { label: t("what catches the eye"), min: 0, max: 2, step: 0.05, value: 1 }, show);
        const reading = figure.slider(
            { label: t("the wish to read"), min: 0, max: 2, step: 0.05, value: 2 }, show);
        const temperature = figure.slider({
            label: t("temperature"), min: 0, max: TEMPERATURES.length - 1, step: 1,
            value: TEMPERATURES.indexOf(0.2), from: at => TEMPERATURES[at], show: String,
        }, show);
        for (const [name, ...query] of QUERIES) {
            figure.button(name, () => {
                [eye.value, reading.value] = query;
                return show();
            });
        }
        const map = figure.heatmap({
            rows: [t("yours")], columns: OBJECTS, values: [OBJECTS.map(() => null)],
            title: t("Weights"), range: [0, 1],
            told: (_, key, weight) => t("query yours, key {0}, weight {1}", key, weight),
        });
        const [scores, output] = [figure.table(), figure.table()];
        figure.result.append(map, element("div", { class: "live-pair" }, scores, output));

        async function show() {
            const query = [eye.value, reading.value];
            const answer = await figure.ask({ query, temperature: temperature.value });
            map.update([answer.weights]);
            scores.update({
                caption: t("Score and weight of each key"),
                head: [t("key"), t("score"), t("weight")],
                rows: OBJECTS.map((name, i) => [name, number(answer.scores[i]), number(answer.weights[i], 4)]),
            });
            output.update({
                caption: t("Output of the query"),
                head: ["", t("output")],
                rows: SENSES.map((name, i) => [name, number(answer.output[i], 4)]),
            });
            const largest = Math.max(...answer.weights);
            const best = OBJECTS.filter((_, i) => largest - answer.weights[i] < 1e-6);
            figure.say(best.length === OBJECTS.length
                ? t("All weights are the same, {0}.", number(largest))
                : t("The largest weight, {0}, is on the {1}.", number(largest), best.join(t(" and the "))));
        }
        await show();
    },
};
