// A plot with two axes, as inline SVG in the theme's colours. Lines differ by
// their dashes too, and everything drawn stands in numbers elsewhere.

import { element, number, unique } from "./controls.js";

const [WIDTH, HEIGHT] = [440, 280];
const [LEFT, RIGHT, TOP, BOTTOM] = [46, 10, 10, 40];

// Round numbers within a range, about five of them.
function ticks([low, high]) {
    const rough = (high - low) / 5;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map(k => k * power).find(s => s >= rough);
    const first = Math.ceil(low / step - 1e-9);
    const count = Math.floor(high / step + 1e-9) - first + 1;
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    return Array.from({ length: count }, (_, i) => [(first + i) * step, digits]);
}

// x, y: ranges; labels: what stands at the axes; name: of the whole, for who
// does not see it; legend: [{label, colour: 1 to 5, mark: "line", "dashes" or
// "dots"}]. The element has update({lines, dots}) and place, see below.
export function plot({ x, y, labels, name, legend = [] }) {
    let ranges = { x, y };
    const clip = unique("clip");
    const axes = element("g", {});
    const drawn = element("g", { "clip-path": `url(#${clip})` });
    const top = element("g", {});
    const svg = element("svg", {
        class: "live-plot", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": name,
    });
    const inner = { x: LEFT, y: TOP, width: WIDTH - LEFT - RIGHT, height: HEIGHT - TOP - BOTTOM };
    const window = document.createElementNS("http://www.w3.org/2000/svg", "clipPath");
    window.id = clip;
    window.append(element("rect", inner));
    svg.append(window, axes, drawn, top);

    const px = value => LEFT + (value - ranges.x[0]) / (ranges.x[1] - ranges.x[0]) * inner.width;
    const py = value => TOP + (ranges.y[1] - value) / (ranges.y[1] - ranges.y[0]) * inner.height;

    function frame() {
        const [right, bottom] = [WIDTH - RIGHT, HEIGHT - BOTTOM];
        axes.replaceChildren(
            ...ticks(ranges.x).flatMap(([value, digits]) => [
                element("line", { class: "live-grid", x1: px(value), x2: px(value), y1: TOP, y2: bottom }),
                element("text", { x: px(value), y: bottom + 17, "text-anchor": "middle" }, number(value, digits)),
            ]),
            ...ticks(ranges.y).flatMap(([value, digits]) => [
                element("line", { class: "live-grid", x1: LEFT, x2: right, y1: py(value), y2: py(value) }),
                element("text", { x: LEFT - 6, y: py(value) + 4.5, "text-anchor": "end" }, number(value, digits)),
            ]),
            element("text", { x: (LEFT + right) / 2, y: HEIGHT - 5, "text-anchor": "middle" }, labels[0]),
            element("text", {
                x: 0, y: 0, "text-anchor": "middle",
                transform: `translate(12 ${(TOP + bottom) / 2}) rotate(-90)`,
            }, labels[1]),
        );
    }

    const path = points => points.map(([a, b], i) => `${i ? "L" : "M"}${px(a).toFixed(1)} ${py(b).toFixed(1)}`).join("");
    const mark = { line: undefined, dashes: "6 4", dots: "1.5 4" };
    const swatch = ({ colour, mark: kind }) => element("svg", { width: 26, height: 12, "aria-hidden": "true" },
        kind === "points"
            ? element("circle", { cx: 13, cy: 6, r: 4, fill: `var(--plot-${colour})` })
            : element("line", {
                x1: 1, x2: 25, y1: 6, y2: 6, stroke: `var(--plot-${colour})`, "stroke-width": 2.5,
                "stroke-dasharray": mark[kind],
            }));
    const box = element("div", { class: "live-plotted" }, svg,
        element("p", { class: "live-legend" },
            ...legend.map(one => element("span", {}, swatch(one), one.label))));

    // lines: [{points: [[x, y] …], colour, mark}]; dots: [{at: [x, y], colour, r,
    // ring}]; ranges and name as in the beginning, if they change.
    box.update = ({ lines = [], dots = [], name, ...next }) => {
        if (name) {
            svg.setAttribute("aria-label", name);
        }
        if (next.x || next.y) {
            ranges = { x: next.x ?? ranges.x, y: next.y ?? ranges.y };
            frame();
        }
        drawn.replaceChildren(...lines.map(line => element("path", {
            d: path(line.points), fill: "none", stroke: `var(--plot-${line.colour})`, "stroke-width": 2,
            "stroke-dasharray": mark[line.mark ?? "line"],
        })));
        top.replaceChildren(...dots.map(dot => element("circle", {
            cx: px(dot.at[0]), cy: py(dot.at[1]), r: dot.r ?? 4,
            fill: dot.ring ? "none" : `var(--plot-${dot.colour})`,
            stroke: dot.ring ? "var(--fg)" : "var(--bg)", "stroke-width": dot.ring ? 2 : 1,
        })));
    };

    // Where an event of a pointer is, in the numbers of the axes, and how many
    // pixels of the screen one of each is.
    box.where = event => {
        const rect = svg.getBoundingClientRect();
        const scale = rect.width / WIDTH;
        const [a, b] = [(event.clientX - rect.left) / scale, (event.clientY - rect.top) / scale];
        const unit = [
            inner.width / (ranges.x[1] - ranges.x[0]) * scale,
            inner.height / (ranges.y[1] - ranges.y[0]) * scale,
        ];
        return {
            at: [
                ranges.x[0] + (a - LEFT) / inner.width * (ranges.x[1] - ranges.x[0]),
                ranges.y[1] - (b - TOP) / inner.height * (ranges.y[1] - ranges.y[0]),
            ],
            unit,
        };
    };
    box.svg = svg;
    frame();
    return box;
}
