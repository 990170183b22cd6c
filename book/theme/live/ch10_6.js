// Section 10.6: positions that turn, a sentence in other orders, and what "it"
// refers to.

import { element, number } from "./controls.js";

// The pairs of columns as dials: a thin hand for the row, a thick one for the
// same turned.
function dials(row, turned) {
    const [size, across] = [44, 8];
    const svg = element("svg", {
        class: "live-dials", viewBox: `0 0 ${across * size} ${Math.ceil(row.length / 2 / across) * size}`,
        role: "img", "aria-label": "Each pair of columns as a dial: the row, and the row turned",
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

// The dot products of a row with all rows, and that with the turned row.
function curve({ dots, dot }, position, offset) {
    const [width, height, left, bottom] = [480, 180, 36, 24];
    const x = at => left + (width - left - 8) * at / (dots.length - 1);
    const most = Math.max(...dots, 1);
    const y = value => 8 + (height - bottom - 8) * (1 - value / most);
    const to = position + offset;
    const inside = to >= 0 && to <= dots.length - 1;
    return element("svg", {
        class: "live-curve", viewBox: `0 0 ${width} ${height}`, role: "img",
        "aria-label": `Dot products of row ${position} with rows 0 to ${dots.length - 1}`,
    },
    ...[0, 4, 8, 12, 16].flatMap(value => [
        element("line", { class: "live-grid", x1: left, x2: width - 8, y1: y(value), y2: y(value) }),
        element("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, String(value)),
    ]),
    ...[0, 10, 20, 30, 40, 50].map(at => element("text", {
        x: x(at), y: height - 6, "text-anchor": "middle" }, String(at))),
    element("line", { class: "live-thin", x1: x(position), x2: x(position), y1: y(0), y2: y(most) }),
    element("polyline", { points: dots.map((value, at) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(" ") }),
    ...(inside ? [element("circle", { class: "live-at", cx: x(to), cy: y(dot), r: 5 })] : []));
}

export const figures = {
    async positions(figure) {
        const position = figure.slider({ label: "position", min: 0, max: 59, step: 1, value: 20 }, show);
        const offset = figure.slider(
            { label: "turned by so many positions", min: -20, max: 20, step: 0.25, value: 4 }, show);
        const [turning, dots] = [element("div", {}), element("div", {})];
        const readout = element("p", {});
        const table = figure.heatmap({
            title: "Dot product with each row", range: [0, 16], digits: 1,
            rows: [0, 10, 20, 30, 40, 50].map(row => `${row} +`),
            columns: [...Array(10).keys()].map(String), values: [],
            names: { row: "row", column: "and", value: "dot product" },
        });
        figure.result.append(
            element("p", {}, "The 16 pairs of columns as angles: the row (thin), and the row turned (thick)."),
            turning,
            element("p", {}, "The dot product of the row with every row of the table, and with the turned one (dot)."),
            dots, readout, table);
        async function show() {
            const [p, by] = [position.value, offset.value];
            const answer = await figure.ask({ positions: { position: p, offset: by } });
            turning.replaceChildren(dials(answer.row, answer.turned));
            dots.replaceChildren(curve(answer, p, by));
            table.update([0, 10, 20, 30, 40, 50].map(from => answer.dots.slice(from, from + 10)));
            const { difference } = answer;
            readout.textContent = difference === null
                ? "The table has no row there; the turned row is between two, or beyond its ends."
                : `The turned row and row ${p + by} of the table differ by at most ${difference.toExponential(0)}.`;
            figure.say(`Row ${p} times itself turned by ${number(by)}: dot product ${number(answer.dot, 3)}.`);
        }
        await show();
    },

    async order(figure) {
        const words = ["dog", "bites", "man"];
        const orders = [[0, 1, 2], [2, 1, 0], [1, 0, 2], [0, 2, 1], [1, 2, 0], [2, 0, 1]];
        const order = figure.select({
            label: "order",
            options: orders.map((one, n) => ({ value: n, label: one.map(word => words[word]).join(" ") })),
            value: 1,
        }, show);
        const positions = figure.checkbox({ label: "positions added", value: false }, show);
        const causal = figure.checkbox({ label: "causal mask", value: false }, show);
        const map = title => figure.heatmap({
            title, rows: [], columns: [...Array(8).keys()].map(String), values: [],
            names: { row: "output of", column: "number", value: "is" },
        });
        const [now, first] = [map("Output in this order"), map("Output of the same words in “dog bites man”")];
        figure.result.append(now, first);
        async function show() {
            const answer = await figure.ask({
                order: { order: orders[order.value], positions: positions.value, causal: causal.value },
            });
            now.update(answer.rows, { rows: answer.words });
            first.update(answer.first, { rows: answer.words });
            const { difference } = answer;
            if (Number(order.value) === 0) {
                figure.say("This is the order that the others are compared with. Choose another.");
            } else {
                figure.say(difference < 1e-4
                    ? "The same rows in another order: largest difference 0.0000. The order is lost."
                    : `Other rows: largest difference ${number(difference, 4)}. The order makes a difference.`);
            }
        }
        await show();
    },

    async it(figure) {
        const { animals, places, cross, chase, weak, wide, fast } = await figure.ask({ words: {} }, { keep: true });
        let hidden = new Set();

        const fresh = () => {
            hidden = new Set();
            return show();
        };
        const agent = figure.select({ label: "the one that acts", options: animals, value: "animal" }, fresh);
        const verb = figure.select({ label: "did not", options: cross, value: "cross" }, fresh);
        const patient = figure.select(
            { label: "what is acted on", options: [...places, ...animals], value: "street" }, kind);
        const why = figure.select({ label: "because it was too", options: [...weak, ...wide], value: "tired" }, fresh);
        const passive = figure.checkbox({ label: "“was not … by”", value: false }, fresh);
        const first = figure.checkbox({ label: "the reason first", value: false }, fresh);

        const sentence = element("div", { class: "live-tokens", role: "group", "aria-label": "Words that “it” may attend to" });
        const answered = element("p", { class: "live-text" });
        const map = figure.heatmap({
            title: "What “it” attends to, by layer and head", rows: [], columns: [], values: [], range: [0, 1],
            names: { row: "layer, head", column: "word" },
        });
        const likeliest = figure.table({ head: [], rows: [] });
        figure.result.append(
            element("p", {}, "Press a word to mask it for “it” in the second layer:"), sentence, answered, map, likeliest);

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
            const focused = [...sentence.children].indexOf(document.activeElement);
            sentence.replaceChildren(...words.map((word, at) => element("button", {
                type: "button",
                "aria-pressed": String(hidden.has(at)),
                class: `${hidden.has(at) ? "live-masked" : ""} ${at === it ? "live-it" : ""}`.trim(),
                "aria-label": hidden.has(at) ? `${word}, masked` : word,
                onclick: () => toggle(at),
            }, word)));
            sentence.children[focused]?.focus();
            answered.replaceChildren("“it” is the ", element("mark", {}, answer.answer),
                `, with a probability of ${number(answer.likeliest[0].probability)}.`);
            map.update([...answer.first, ...answer.second], {
                rows: [...answer.first.map((_, h) => `1, ${h}`), ...answer.second.map((_, h) => `2, ${h}`)],
                columns: words,
            });
            likeliest.update({
                caption: "The words with most probability",
                head: ["word", "probability"],
                rows: answer.likeliest.map(({ word, probability }) => [word, number(probability, 4)]),
            });
            figure.say(`“it” is the ${answer.answer}. ${hidden.size
                ? `Masked: ${[...hidden].map(at => words[at]).join(", ")}.` : ""}`);
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
