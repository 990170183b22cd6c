// A heat map that can be read cell by cell: a grid in which the arrow keys
// move, each cell with its number, by colour and in words.

import { element, number, unique } from "./controls.js";

// Viridis, as in the figures that are drawn beforehand.
const STOPS = [
    [68, 1, 84], [72, 40, 120], [62, 74, 137], [49, 104, 142], [38, 130, 142],
    [31, 158, 137], [53, 183, 121], [110, 206, 88], [181, 222, 43], [253, 231, 37],
];

// The colour at a share of the way from dark to light, and black or white on it.
export function colour(share) {
    const at = Math.min(Math.max(share, 0), 1) * (STOPS.length - 1);
    const low = Math.min(Math.floor(at), STOPS.length - 2);
    const rgb = STOPS[low].map((c, i) => Math.round(c + (at - low) * (STOPS[low + 1][i] - c)));
    const [r, g, b] = rgb.map(c => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    const light = 0.2126 * r + 0.7152 * g + 0.0722 * b;
    return { background: `rgb(${rgb.join(" ")})`, text: light > 0.18 ? "#000" : "#fff" };
}

// The numbers at the two ends of the colours: 0 and the largest, as in the
// figures, unless a range is given.
function ends(values, range) {
    if (range) {
        return range;
    }
    const finite = values.flat().filter(value => Number.isFinite(value));
    const low = Math.min(0, ...finite);
    const high = Math.max(...finite);
    return [low, high > low ? high : low + 1];
}

// rows, columns: names; values: rows of numbers, null for a hole;
// names: what a row, a column and a number are called;
// onCell(row, column, value) is called for the cell under pointer or keys.
// The element that is given back has update(values, {rows, columns, title}).
export function heatmap(options) {
    const { names = {}, range, onCell, digits = 2 } = options;
    const called = { row: "query", column: "key", value: "weight", ...names };
    let { rows, columns, values, title = "" } = options;
    const grid = element("table", { role: "grid", class: "live-map" });
    const readout = element("p", { class: "live-readout", "aria-hidden": "true" }, "\u00a0");
    const name = element("p", { class: "live-title", id: unique("map") });
    const box = element("div", { class: "live-heatmap" }, name,
        element("div", { class: "live-scroll" }, grid), readout);
    grid.setAttribute("aria-labelledby", name.id);
    let cells = [];
    let current = [0, 0];

    function words(r, c) {
        const value = values[r]?.[c];
        const what = Number.isFinite(value) ? number(value, digits) : "none";
        return `${called.row} ${rows[r]}, ${called.column} ${columns[c]}, ${called.value} ${what}`;
    }

    function reach(r, c) {
        cells[current[0]]?.[current[1]]?.setAttribute("tabindex", "-1");
        current = [r, c];
        cells[r][c].setAttribute("tabindex", "0");
    }

    function tell(r, c) {
        readout.textContent = words(r, c);
        onCell?.(r, c, values[r]?.[c]);
    }

    function place(cell) {
        return [Number(cell.dataset.row), Number(cell.dataset.column)];
    }

    grid.addEventListener("focusin", event => {
        const cell = event.target.closest("td[data-row]");
        if (cell) {
            reach(...place(cell));
            tell(...place(cell));
        }
    });
    grid.addEventListener("pointerover", event => {
        const cell = event.target.closest("td[data-row]");
        if (cell) {
            tell(...place(cell));
        }
    });
    grid.addEventListener("click", event => event.target.closest("td[data-row]")?.focus());
    grid.addEventListener("keydown", event => {
        const cell = event.target.closest("td[data-row]");
        if (!cell || event.altKey || event.metaKey) {
            return;
        }
        const [r, c] = place(cell);
        const [last, end] = [rows.length - 1, columns.length - 1];
        const to = {
            ArrowUp: [r - 1, c], ArrowDown: [r + 1, c],
            ArrowLeft: [r, c - 1], ArrowRight: [r, c + 1],
            Home: [event.ctrlKey ? 0 : r, 0], End: [event.ctrlKey ? last : r, end],
        }[event.key];
        if (to) {
            event.preventDefault();
            cells[Math.min(Math.max(to[0], 0), last)][Math.min(Math.max(to[1], 0), end)].focus();
        }
    });

    // The cells anew, where their names have changed.
    function build() {
        const held = grid.contains(document.activeElement);
        const wide = Math.max(0, ...columns.map(column => String(column).length)) > 4;
        grid.classList.toggle("live-upright", wide && columns.length > 3);
        cells = rows.map((_, r) => columns.map((_, c) =>
            element("td", { role: "gridcell", tabindex: -1, "data-row": r, "data-column": c })));
        grid.replaceChildren(
            element("thead", { role: "rowgroup" }, element("tr", { role: "row" },
                element("td", { role: "presentation" }),
                ...columns.map(column => element("th", { role: "columnheader", scope: "col" },
                    element("span", {}, String(column)))))),
            element("tbody", { role: "rowgroup" }, ...rows.map((row, r) =>
                element("tr", { role: "row" },
                    element("th", { role: "rowheader", scope: "row" }, String(row)), ...cells[r]))),
        );
        if (rows.length && columns.length) {
            reach(Math.min(current[0], rows.length - 1), Math.min(current[1], columns.length - 1));
            if (held) {
                cells[current[0]][current[1]].focus();
            }
        }
    }

    function fill() {
        name.textContent = title;
        name.hidden = !title;
        if (title) {
            grid.setAttribute("aria-labelledby", name.id);
        } else {
            grid.setAttribute("aria-label", "Heat map");
        }
        const [low, high] = ends(values, range);
        cells.forEach((row, r) => row.forEach((cell, c) => {
            const value = values[r]?.[c];
            const known = Number.isFinite(value);
            const { background, text } = known ? colour((value - low) / (high - low)) : {};
            cell.style.background = background ?? "";
            cell.style.color = text ?? "";
            cell.textContent = number(value ?? null, digits);
            cell.setAttribute("aria-label", words(r, c));
        }));
    }

    box.update = (next, more = {}) => {
        values = next;
        title = more.title ?? title;
        const same = (a, b) => !b || (a.length === b.length && a.every((x, i) => x === b[i]));
        if (!same(rows, more.rows) || !same(columns, more.columns)) {
            rows = more.rows ?? rows;
            columns = more.columns ?? columns;
            build();
        }
        fill();
    };
    build();
    fill();
    return box;
}
