// Section 10.6: positions that turn, a sentence in other orders, and what "it"
// refers to.

import { element, number } from "./controls.js";
import { plot } from "./plot.js";
import { parts, t } from "./words.js";

// The pairs of columns as dials: a thin hand for the row, a thick one for the
// same turned.
function dials(row, turned) {
    const [size, across] = [44, 8];
    const svg = element("svg", {
        class: "live-dials", viewBox: `0 0 ${across * size} ${Math.ceil(row.length / 2 / across) * size}`,
        role: "img", "aria-label": t("Each pair of columns as a dial: the row, and the row turned"),
    });
    for (let j = 0; j < row.length / 2; j += 1) {
        const [x, y] = [(j % across + 0.5) * size, (Math.floor(j / across) + 0.5) * size];
        const hand = (numbers, name) => element("line", {
            class: name, x1: x, y1: y,
            x2: x + 17 * numbers[2 * j + 1], y2: y - 17 * numbers[2 * j],
        });
        svg.append(element("circle", { cx: x, cy: y, r: 18 }), hand(row, "live-thin"), hand(turned, "live-thick"));
    }
    return svg;
}

export const figures = {
    async positions(figure) {
        const position = figure.slider({ label: t("position"), min: 0, max: 59, step: 1, value: 20 }, show);
        const offset = figure.slider(
            { label: t("turned by this many positions"), min: -20, max: 20, step: 0.25, value: 4 }, show);
        const turning = element("div", {});
        const dots = plot({
            x: [0, 60], y: [0, 16], labels: [t("row of the table"), t("dot product")], name: t("Dot products"),
            legend: [
                { label: t("with each row"), colour: 1, mark: "line" },
                { label: t("with the turned row"), colour: 2, mark: "points" },
            ],
        });
        dots.classList.add("live-curve");
        const readout = element("p", {});
        const table = figure.heatmap({
            title: t("Dot product with each row"), range: [0, 16], digits: 1,
            rows: [0, 10, 20, 30, 40, 50].map(row => `${row} +`),
            columns: [...Array(10).keys()].map(String),
            told: (...of) => t("row {0}, and {1}, dot product {2}", ...of),
        });
        figure.result.append(
            element("p", {}, t("The 16 pairs of columns as angles: the row (thin), and the row turned (thick).")),
            turning,
            dots, readout, table);
        async function show() {
            const [p, by] = [position.value, offset.value];
            const answer = await figure.ask({ positions: { position: p, offset: by } });
            turning.replaceChildren(dials(answer.row, answer.turned));
            dots.update({
                lines: [{ points: answer.dots.map((dot, row) => [row, dot]), colour: 1 }],
                dots: p + by < 0 || p + by > 59 ? [] : [{ at: [p + by, answer.dot], colour: 2, r: 5 }],
                name: t("Dot products of row {0} with rows 0 to 59, and with the turned row", p),
            });
            table.update([0, 10, 20, 30, 40, 50].map(from => answer.dots.slice(from, from + 10)));
            const { difference } = answer;
            readout.textContent = difference === null
                ? t("The table has no such row: the turned row is between two rows, or beyond an end of the table.")
                : t("The turned row and row {0} of the table differ by at most {1}.", p + by, difference.toExponential(0));
            figure.say(t("Row {0} times itself turned by {1}: dot product {2}.", p, number(by), number(answer.dot, 3)));
        }
        await show();
    },

    async order(figure) {
        const words = ["dog", "bites", "man"];
        const orders = [[0, 1, 2], [2, 1, 0], [1, 0, 2], [0, 2, 1], [1, 2, 0], [2, 0, 1]];
        const order = figure.select({
            label: t("order"),
            options: orders.map((one, n) => ({ value: n, label: one.map(word => words[word]).join(" ") })),
            value: 1,
        }, show);
        const positions = figure.checkbox({ label: t("positions added"), value: false }, show);
        const causal = figure.checkbox({ label: t("causal mask"), value: false }, show);
        const map = title => figure.heatmap({
            title, columns: [...Array(8).keys()].map(String),
            told: (...of) => t("output of {0}, number {1}, is {2}", ...of),
        });
        const [now, first] = [
            map(t("Output in this order")), map(t("Output of the same words in “dog bites man”")),
        ];
        figure.result.append(now, first);
        async function show() {
            const answer = await figure.ask({
                order: { order: orders[order.value], positions: positions.value, causal: causal.value },
            });
            now.update(answer.rows, { rows: answer.words });
            first.update(answer.first, { rows: answer.words });
            const { difference } = answer;
            if (Number(order.value) === 0) {
                figure.say(t("All other orders are compared with this one. Choose another."));
            } else {
                figure.say(difference < 1e-4
                    ? t("The same rows in another order: largest difference 0.0000. The order is lost.")
                    : t("Other rows: largest difference {0}. The order makes a difference.", number(difference, 4)));
            }
        }
        await show();
    },

    async it(figure) {
        const { animals, places, cross, chase, weak, wide, fast } = await figure.ask({ words: {} });
        let hidden = new Set();

        const fresh = () => {
            hidden = new Set();
            return show();
        };
        const agent = figure.select({ label: t("the animal that acts"), options: animals, value: "animal" }, fresh);
        const verb = figure.select({ label: t("did not"), options: cross, value: "cross" }, fresh);
        const patient = figure.select(
            { label: t("the other noun"), options: [...places, ...animals], value: "street" }, kind);
        const why = figure.select({ label: t("because it was too"), options: [...weak, ...wide], value: "tired" }, fresh);
        const passive = figure.checkbox({ label: t("“was not … by”"), value: false }, fresh);
        const first = figure.checkbox({ label: t("the reason first"), value: false }, fresh);

        const sentence = element("div", { class: "live-tokens", role: "group", "aria-label": t("Words that “it” may attend to") });
        const answered = element("p", { class: "live-text" });
        const map = figure.heatmap({
            title: t("What “it” attends to, by layer and head"), range: [0, 1],
            told: (...of) => t("{0}, word {1}, weight {2}", ...of),
        });
        const likeliest = figure.table();
        figure.result.append(
            element("p", {}, t("Press a word to mask it for “it” in the second layer:")), sentence, answered, map, likeliest);

        // Places and animals are acted on in different ways.
        function kind() {
            const place = places.includes(patient.value);
            choices(verb, place ? cross : chase);
            choices(why, [...weak, ...(place ? wide : fast)]);
            for (const style of [passive, first]) {
                style.input.disabled = !place;
                style.value = place && style.value;
            }
            return fresh();
        }
        function choices(select, words) {
            const before = select.value;
            select.input.replaceChildren(...words.map(word => element("option", { value: word }, word)));
            select.value = words.includes(before) ? before : words[0];
        }

        async function show() {
            const answer = await figure.ask({
                it: {
                    agent: agent.value, verb: verb.value, patient: patient.value, why: why.value,
                    passive: passive.value, reason_first: first.value, hidden: [...hidden],
                },
            });
            const { words, it } = answer;
            const [{ token: meant, probability }] = answer.likeliest;
            const focused = [...sentence.children].indexOf(document.activeElement);
            sentence.replaceChildren(...words.map((word, at) => element("button", {
                type: "button",
                "aria-pressed": String(hidden.has(at)),
                class: `${hidden.has(at) ? "live-masked" : ""} ${at === it ? "live-it" : ""}`.trim(),
                "aria-label": hidden.has(at) ? t("{0}, masked", word) : word,
                onclick: () => toggle(at),
            }, word)));
            sentence.children[focused]?.focus();
            answered.replaceChildren(...parts("“it” is the {0}, with a probability of {1}.",
                element("mark", {}, meant), number(probability)));
            map.update([...answer.first, ...answer.second], {
                rows: [answer.first, answer.second].flatMap((heads, l) =>
                    heads.map((_, h) => t("layer {0}\nhead {1}", l + 1, h))),
                columns: words,
            });
            likeliest.update({
                caption: t("The most probable words"),
                head: [t("word"), t("probability")],
                rows: answer.likeliest.map(({ token, probability }) => [token, number(probability, 4)]),
            });
            const masked = [...hidden].map(at => words[at]).join(t(", "));
            figure.say(hidden.size
                ? t("“it” is the {0}. Masked: {1}.", meant, masked)
                : t("“it” is the {0}.", meant), true);
        }
        async function toggle(at) {
            if (!hidden.delete(at)) {
                hidden.add(at);
            }
            try {
                await show();
            } catch (error) {
                hidden.delete(at);
                figure.error(error.message);
            }
        }
        await show();
    },
};
