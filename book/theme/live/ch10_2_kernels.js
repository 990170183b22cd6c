// Section 10.2: a kernel of some width over fifty points that can be dragged.

import { LEGEND, SEEDS, X, Y, fitted, summary, weightMap } from "./ch10_2.js";
import { clamp, element, number } from "./controls.js";
import { plot } from "./plot.js";
import { t } from "./words.js";

const KERNELS = [
    { value: "gaussian", label: t("Gaussian") },
    { value: "boxcar", label: t("Boxcar") },
    { value: "epanechnikov", label: "Epanechnikov" },
    { value: "constant", label: t("Constant") },
];

export const figures = {
    // A kernel, its width, and points that can be dragged.
    async estimate(figure) {
        let points = [];
        let picked;
        const kernel = figure.select({ label: t("kernel"), options: KERNELS }, show);
        const width = figure.slider({
            label: t("width"), min: -1.3, max: 0.7, step: 0.01, value: 0,
            from: power => 10 ** power, show: x => number(x),
        }, show);
        const seed = figure.select({ label: t("seed of the sample"), options: SEEDS }, draw);
        const index = figure.slider({ label: t("point"), min: 1, max: 50, step: 1, value: 25 }, i => {
            pick(points[i - 1]);
            return show();
        });
        const [x, y] = [[t("x of the point"), X, 0], [t("y of the point"), Y, 1]].map(([label, [min, max], axis]) =>
            figure.slider({ label, min, max, step: 0.01, value: 0 }, value => {
                picked[axis] = value;
                return show();
            }));
        const box = plot({ x: X, y: Y, labels: ["x", "y"], name: t("Data and fit"), legend: LEGEND });
        const map = weightMap();
        const hint = element("p", {}, t("Drag a point, or choose one and move it with the sliders."));
        figure.result.append(element("div", { class: "live-plots" }, box, map), hint);

        function pick(point) {
            picked = point;
            [x.value, y.value] = point;
        }
        // The keys in rising order, as in the figures.
        function sort() {
            points.sort((a, b) => a[0] - b[0]);
            index.value = points.indexOf(picked) + 1;
        }
        async function draw() {
            ({ points } = await figure.ask({ sample: { seed: Number(seed.value) } }));
            pick(points[24]);
            await show();
        }
        async function show() {
            sort();
            width.disabled = kernel.value === "constant";
            const asked = points.map(point => [...point]);
            const estimate = await figure.ask({
                estimate: { points: asked, kernel: kernel.value, width: width.value },
            });
            const readout = summary(estimate);
            fitted(box, asked, estimate, picked, t("Fifty points, the truth and the fit. {0}", readout));
            map.update(estimate, asked);
            figure.say(readout);
        }

        let dragged = false;
        const drag = figure.guarded(event => {
            const { at } = box.where(event);
            pick(Object.assign(picked, [clamp(at[0], X), clamp(at[1], Y)]));
            return show();
        });
        box.svg.classList.add("live-drag");
        box.svg.addEventListener("pointerdown", event => {
            const { at, unit } = box.where(event);
            const far = point => Math.hypot(...[0, 1].map(i => (point[i] - at[i]) * unit[i]));
            const nearest = points.reduce((a, b) => (far(a) <= far(b) ? a : b));
            if (far(nearest) <= 18) {
                event.preventDefault();
                dragged = true;
                box.svg.setPointerCapture(event.pointerId);
                pick(nearest);
                drag(event);
            }
        });
        box.svg.addEventListener("pointermove", event => dragged && drag(event));
        for (const name of ["pointerup", "pointercancel"]) {
            box.svg.addEventListener(name, () => { dragged = false; });
        }
        // A finger on a point drags it; elsewhere it scrolls the page.
        box.svg.addEventListener("touchmove", event => dragged && event.preventDefault(), { passive: false });
        await draw();
    },
};
