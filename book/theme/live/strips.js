// Rows of numbers as strips of small bars: upwards if a number is positive, and
// downwards if not. Each number can be read like a cell of a heat map.

import { bar, element, number } from "./controls.js";
import { heatmap } from "./heatmap.js";
import { t } from "./words.js";

// A bar for a cell in which the zero lies in the middle, or at the bottom.
function upright(value, scale, upwards) {
    const high = Math.min(1, Math.abs(value) / scale) * (upwards ? 1 : 0.5);
    const colour = `var(${value < 0 ? "--plot-1" : "--plot-2"})`;
    const top = upwards ? 1 - high : value < 0 ? 0.5 : 0.5 - high;
    const at = high < 1 ? (100 * top) / (1 - high) : 0;
    return `linear-gradient(${colour} 0 0) center ${at.toFixed(1)}% / 80% ${(100 * high).toFixed(1)}% no-repeat`;
}

// title: of the strip; rows: of numbers; names: one for each row, if there are
// several; of: rows whose largest number has the longest bar, these unless given.
export function strip(title, rows, { names = [""], of = rows } = {}) {
    const scale = Math.max(1e-9, ...of.flat().map(Math.abs));
    const upwards = rows.length === 1 && rows[0].every(value => value >= 0);
    const columns = rows[0].map((_, i) => i + 1);
    const shape = rows.length === 1 ? columns.length : `${rows.length} × ${columns.length}`;
    const ends = `${upwards ? "" : "±"}${scale.toFixed(1)}`;
    const map = heatmap({
        rows: names, columns, values: rows, title: t("{0}, {1}, to {2}", title, shape, ends),
        told: (row, ...of) => (row ? t("{0}, number {1}, value {2}", row, ...of) : t("number {0}, value {1}", ...of)),
        digits: 3,
        paint: value => ({ background: upright(value, scale, upwards) }),
    });
    return element("div", { class: "live-strip" }, map);
}

// From products to weights, a line for each token; allowed: which of them the mask
// leaves, if there is one.
export function weighed(figure, { query, tokens, products, scores, allowed, weights }) {
    const width = query.length;
    const mask = may => (allowed ? [may ? t("allowed") : t("masked")] : []);
    const table = figure.table({
        head: ["", "q · k", `÷ √${width}`, ...(allowed ? [t("mask")] : []), t("weight"), ""],
        rows: tokens.map((token, k) => [
            token, number(products[k]), number(scores[k]), ...mask(allowed?.[k]),
            number(weights[k], 3), bar(weights[k]),
        ]),
    });
    table.classList.add("live-scores");
    return table;
}
