// Attention with several layers and heads: the one that is chosen as a heat
// map, and all of them small beside it, to choose from.

import { element } from "./controls.js";
import { colour, heatmap } from "./heatmap.js";
import { t } from "./words.js";

// A map of a head, so small that only its pattern is seen.
function thumbnail(values) {
    const [rows, columns] = [values.length, values[0]?.length ?? 0];
    const svg = element("svg", {
        viewBox: `0 0 ${columns} ${rows}`, preserveAspectRatio: "none", "aria-hidden": "true",
    });
    const most = Math.max(1e-9, ...values.flat());
    values.forEach((row, r) => row.forEach((value, c) => svg.append(element("rect", {
        x: c, y: r, width: 1.02, height: 1.02, fill: colour(value / most).background,
    }))));
    return svg;
}

// title: of the attention; chosen: {layer, head}, which a press of a small map
// changes before it calls onChoice(). The element that is given back has
// update(weights, {rows, columns, marked}): weights[layer][head][row][column],
// and marked {rows: […], columns: […]}, those of the token that is chosen.
export function heads({ title, told, chosen, onChoice }) {
    const map = heatmap({ title, range: [0, 1], told });
    const called = (l, h) => t("{0}, layer {1}, head {2}", title, l + 1, h + 1);
    const small = element("div", { class: "live-heads", role: "group", "aria-label": t("{0}, all heads", title) });
    const box = element("div", { class: "live-attention" }, map, small);
    let buttons = [];

    function mark({ rows = [], columns = [] }) {
        for (const cell of map.querySelectorAll("td")) {
            const marked = rows.includes(Number(cell.dataset.row))
                || columns.includes(Number(cell.dataset.column));
            cell.classList.toggle("live-chosen", marked);
        }
        [...map.querySelectorAll("tbody th")].forEach((th, r) =>
            th.classList.toggle("live-chosen", rows.includes(r)));
        [...map.querySelectorAll("thead th")].slice(1).forEach((th, c) =>
            th.classList.toggle("live-chosen", columns.includes(c)));
    }

    box.update = (weights, { rows, columns, marked = {} }) => {
        const count = weights.flat().length;
        if (buttons.length !== count) {
            buttons = weights.flatMap((layer, l) => layer.map((_, h) => element("button", {
                type: "button",
                class: "live-head",
                "aria-label": called(l, h),
                onclick: () => {
                    [chosen.layer, chosen.head] = [l, h];
                    onChoice();
                },
            })));
            small.style.setProperty("--heads", weights[0].length);
            small.replaceChildren(...buttons);
        }
        weights.flat().forEach((values, i) => {
            const [l, h] = [Math.floor(i / weights[0].length), i % weights[0].length];
            buttons[i].replaceChildren(thumbnail(values));
            buttons[i].setAttribute("aria-pressed", String(l === chosen.layer && h === chosen.head));
        });
        map.update(weights[chosen.layer][chosen.head], {
            rows, columns, title: called(chosen.layer, chosen.head),
        });
        mark(marked);
    };
    return box;
}

// The places of the largest weights of a row, three of them if there is anything to see.
export function heaviest(row) {
    const order = row.map((_, k) => k).sort((a, b) => row[b] - row[a]).slice(0, 3);
    return order.filter((k, n) => n === 0 || row[k] >= 0.005);
}

// The keys with most weight in words: “car” (98 %), “red” (1 %).
export function most(row, keys) {
    return heaviest(row).map(k => t("“{0}”\u00a0({1}\u00a0%)", keys[k], Math.round(100 * row[k])))
        .join(t(", "));
}

// A line that names the words of a sentence that the model does not know.
export function strange() {
    const line = element("p", {});
    line.update = unknown => {
        line.hidden = unknown.length === 0;
        line.textContent = t("Not in the vocabulary, read as <unk>: {0}.", unknown.join(t(", ")));
    };
    return line;
}
