// Section 10.2: the training of w on fifty points.

import { clamp, element, moved, number } from "./controls.js";
import { colour } from "./heatmap.js";
import { plot } from "./plot.js";
import { t } from "./words.js";

// The first ten, and three whose training has not arrived after 100 steps.
export const SEEDS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 70].map(String);
export const [X, Y] = [[0, 5], [-1.5, 5.5]];
export const LEGEND = [
    { label: t("truth"), colour: 1, mark: "dashes" },
    { label: t("data"), colour: 2, mark: "points" },
    { label: t("fit"), colour: 3, mark: "line" },
];

// The data, the truth and the fit; `readout` says in words what is seen.
export function fitted(box, points, estimate, picked, readout) {
    const line = numbers => numbers.map((y, i) => [estimate.x[i], y]);
    const dots = points.map(at => ({ at, colour: 2 }));
    if (picked) {
        dots.push({ at: picked, colour: 2, r: 6 }, { at: picked, r: 10, ring: true });
    }
    box.update({
        lines: [
            { points: line(estimate.truth), colour: 1, mark: "dashes" },
            { points: line(estimate.output), colour: 3 },
        ],
        dots,
        name: readout,
    });
}

// The weights of all queries, 50 by 50: too many for cells that are touched one
// by one, so one picture in which the arrow keys move, and a line that tells.
// The lightest colour is the largest weight, or `least` if none is as large.
export function weightMap(least = 0) {
    const canvas = element("canvas", { width: 50, height: 50 });
    const cursor = element("span", { class: "live-cursor", hidden: true });
    const readout = element("p", { class: "live-readout", role: "status" }, "\u00a0");
    const picture = element("div", {
        class: "live-dense", role: "application", tabindex: 0,
        "aria-label": t("Heat map of the weights, 50 queries by 50 keys. Use the arrow keys to move."),
    }, canvas, cursor);
    const title = element("p", { class: "live-title" });
    const box = element("div", { class: "live-heatmap" }, title, picture, readout);
    let shown;
    let [row, column] = [0, 0];

    function tell() {
        const { estimate, points } = shown;
        const weight = estimate.weights[row][column];
        readout.textContent = t("query {0}, key {1}, value {2}, weight {3}",
            number(estimate.x[row], 1), ...points[column].map(one => number(one)), number(weight, 4));
        cursor.hidden = false;
        cursor.style.left = `${column * 2}%`;
        cursor.style.top = `${row * 2}%`;
    }
    function go(r, c) {
        [row, column] = [clamp(r, [0, 49]), clamp(c, [0, 49])];
        tell();
    }
    picture.addEventListener("focus", tell);
    picture.addEventListener("blur", () => { cursor.hidden = true; });
    picture.addEventListener("pointerleave", () => {
        cursor.hidden = document.activeElement !== picture;
    });
    for (const name of ["pointermove", "pointerdown"]) {
        picture.addEventListener(name, event => {
            const rect = canvas.getBoundingClientRect();
            const share = (at, start, size) => Math.floor((at - start) / size * 50);
            go(share(event.clientY, rect.top, rect.height), share(event.clientX, rect.left, rect.width));
        });
    }
    picture.addEventListener("keydown", event => {
        const to = moved(event, [row, column], [50, 50]);
        if (to) {
            event.preventDefault();
            go(...to);
        }
    });
    box.update = (estimate, points) => {
        shown = { estimate, points };
        const context = canvas.getContext("2d");
        const image = context.createImageData(50, 50);
        const high = Math.max(least, 1e-9, ...estimate.weights.flat());
        title.textContent = t("Weights from 0 (dark) to {0} (light): queries down, keys across", number(high));
        estimate.weights.flat().forEach((weight, i) => {
            const [r, g, b] = colour(weight / high).background.match(/\d+/g);
            image.data.set([r, g, b, 255], 4 * i);
        });
        context.putImageData(image, 0, 0);
        if (!cursor.hidden) {
            tell();
        }
    };
    return box;
}

export function summary({ error, keys, empty }) {
    const both = [number(error, 4), number(keys, 1)];
    return empty
        ? t("Mean squared error {0}; a query attends to {1} keys. {2} of 50 queries have no key in their window, so their output is 0.", ...both, empty)
        : t("Mean squared error {0}; a query attends to {1} keys.", ...both);
}

export const figures = {
    // Gradient descent on w, step by step.
    async training(figure) {
        let points, start, w;
        let path = [];
        let landscape;
        let said = "";
        // What waits for an answer, and how often the reader has begun anew.
        let [wanted, asked, busy, begun] = [0, false, false, 0];
        const seed = figure.select({ label: t("seed of the sample"), options: SEEDS }, draw);
        const at = figure.slider({ label: t("w at the start"), min: 0, max: 20, step: 0.01, value: 0 }, value => {
            start = value;
            begin();
            return step(0);
        });
        const rate = figure.slider({ label: t("learning rate"), min: 0, max: 2, step: 0.05, value: 0.5 }, () => {});
        const own = figure.checkbox({ label: t("a point is among its own keys") }, async () => {
            begin();
            await survey();
            await step(0);
        });
        for (const [label, steps] of [[t("1 step"), 1], [t("5 steps"), 5], [t("100 steps"), 100]]) {
            figure.button(label, () => step(steps));
        }
        // A hundred steps one by one, until the reader pauses or begins anew.
        let playing = false;
        const play = figure.button(t("Play"), async () => {
            if (playing) {
                playing = false;
                return;
            }
            if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
                await step(100);
                return;
            }
            playing = true;
            play.input.textContent = t("Pause");
            const [mine, last] = [begun, path.length + 100];
            try {
                while (playing && mine === begun && !figure.closed && path.length < last) {
                    await step(1);
                    await new Promise(done => setTimeout(done, 60));
                }
            } finally {
                playing = false;
                play.input.textContent = t("Play");
            }
            figure.say(said);
        });
        figure.button(t("Back to the start"), () => {
            begin();
            return step(0);
        });
        const box = plot({ x: X, y: Y, labels: ["x", "y"], name: t("Data and fit"), legend: LEGEND });
        const valley = plot({
            x: [0, 20], y: [0, 60], labels: ["w", t("loss")], name: t("The loss over w"),
            legend: [{ label: t("loss"), colour: 1, mark: "line" }, { label: t("steps"), colour: 2, mark: "points" }],
        });
        const map = weightMap(0.3);
        const steps = figure.table();
        figure.result.append(element("div", { class: "live-plots" },
            element("div", {}, valley, box), element("div", {}, map, steps)));

        async function draw() {
            const sample = await figure.ask({ sample: { seed: Number(seed.value) } });
            points = sample.points;
            start = sample.w;
            at.value = start;
            begin();
            await survey();
            await step(0);
        }
        async function survey() {
            landscape = await figure.ask({ landscape: { points, own_key: own.value } });
        }
        function begin() {
            w = start;
            path = [];
            wanted = 0;
            begun += 1;
        }
        // Two clicks are two steps, also where the second comes before the
        // answer to the first.
        async function step(count) {
            wanted += count;
            asked = true;
            if (busy) {
                return;
            }
            busy = true;
            try {
                while (asked) {
                    asked = false;
                    await show();
                }
            } finally {
                busy = false;
            }
        }
        async function show() {
            const [count, mine] = [Math.min(wanted, 500), begun];
            wanted -= count;
            const train = { points, w, lr: rate.value, steps: count, own_key: own.value };
            const answer = await figure.ask({ train }, "steps");
            if (mine !== begun) {
                asked = true;
                return;
            }
            let before = w;
            for (const [loss, after] of answer.history) {
                path.push({ loss, before, after });
                before = after;
            }
            w = answer.w;
            const now = [number(w, 4), number(answer.loss, 2), number(answer.gradient, 4)];
            const where = path.length === 1
                ? t("1 step: w is {0}, the loss {1}, its gradient {2}.", ...now)
                : t("{0} steps: w is {1}, the loss {2}, its gradient {3}.", path.length, ...now);
            const readout = t("{0} {1}", where, summary(answer.estimate));
            fitted(box, points, answer.estimate, undefined, readout);
            map.update(answer.estimate, points);
            const last = path.slice(-100).map(({ loss, before }) => ({ at: [Math.abs(before), loss], colour: 2 }));
            const here = [Math.abs(w), answer.loss];
            const high = Math.max(...landscape.loss, ...last.map(dot => dot.at[1]));
            const far = Math.max(20, here[0], ...last.map(dot => dot.at[0]));
            valley.update({
                x: [0, Math.ceil(far / 10) * 10],
                y: [0, Math.ceil(high / 10) * 10],
                lines: [
                    { points: landscape.w.map((w, i) => [w, landscape.loss[i]]), colour: 1 },
                    { points: [...last.map(dot => dot.at), here], colour: 2, mark: "dots" },
                ],
                dots: [...last, { at: here, colour: 2, r: 6 }, { at: here, r: 10, ring: true }],
                name: t("The loss over w. {0}", readout),
            });
            const from = Math.max(0, path.length - 8);
            steps.update({
                caption: from ? t("The last eight steps") : path.length ? t("Steps") : t("No step yet"),
                head: [t("epoch"), t("loss"), t("then w")],
                rows: path.slice(from).map(({ loss, after }, i) =>
                    [String(from + i + 1), number(loss), number(after, 4)]),
            });
            said = readout;
            if (!playing) {
                figure.say(said);
            }
        }
        await draw();
    },
};
