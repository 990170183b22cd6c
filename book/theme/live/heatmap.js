// A heat map that can be read cell by cell: a grid in which the arrow keys
// move, each cell with its number, by colour and in words.

import { clamp, element, moved, number, scrolling, unique } from "./controls.js";
import { t } from "./words.js";

// Viridis, as in the figures that are drawn beforehand.
const STOPS = [
    [68, 1, 84], [72, 40, 120], [62, 74, 137], [49, 104, 142], [38, 130, 142],
    [31, 158, 137], [53, 183, 121], [110, 206, 88], [181, 222, 43], [253, 231, 37],
];

// The colour at a share of the way from dark to light, and black or white on it.
export function colour(share) {
    const at = clamp(share, [0, 1]) * (STOPS.length - 1);
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

// rows, columns: names, a row's in two lines if need be; values: rows of numbers,
// null for a hole; told(row, column, value): what is told of a cell;
// paint: a number's background and the text on it, if not the usual ones.
// The element that is given back has update(values, {rows, columns, title, shown}):
// of the rows only so many are shown, and room is kept for the others.
export function heatmap(options) {
    const { range, digits = 2, paint } = options;
    const { told = (...of) => t("query {0}, key {1}, weight {2}", ...of) } = options;
    let { rows = [], columns = [], values = [], title = "" } = options;
    const grid = element("table", { role: "grid", class: "live-map" });
    const readout = element("p", { class: "live-readout", "aria-hidden": "true" }, "\u00a0");
    const name = element("p", { class: "live-title", id: unique("map") });
    const scroll = scrolling(grid, wide => { // narrower cells, then without their numbers
        const steps = ["live-tight", "live-tighter", "live-colours"];
        grid.classList.remove(...steps);
        steps.forEach(step => wide() && grid.classList.add(step));
    });
    const box = element("div", { class: "live-heatmap" }, name, scroll, readout);
    grid.setAttribute("aria-labelledby", name.id);
    let cells = [];
    let current = [0, 0];
    let shown = rows.length;

    function words(r, c) {
        const value = values[r]?.[c];
        const what = Number.isFinite(value) ? number(value, digits) : t("none");
        return told(String(rows[r]).replace("\n", t(", ")), columns[c], what);
    }

    function reach(r, c) {
        cells[current[0]]?.[current[1]]?.setAttribute("tabindex", "-1");
        current = [r, c];
        cells[r][c].setAttribute("tabindex", "0");
    }

    // The cell of an event is called with its place.
    for (const [name, act] of Object.entries({
        focusin(event, r, c) {
            reach(r, c);
            readout.textContent = words(r, c);
        },
        pointerover(event, r, c) {
            readout.textContent = words(r, c);
        },
        click(event, r, c) {
            cells[r][c].focus();
        },
        keydown(event, r, c) {
            const to = moved(event, [r, c], [shown, columns.length]);
            if (to) {
                event.preventDefault();
                cells.slice(0, shown)[to[0]]?.[to[1]]?.focus();
            }
        },
    })) {
        grid.addEventListener(name, event => {
            const cell = event.target.closest("td[data-row]");
            if (cell) {
                act(event, Number(cell.dataset.row), Number(cell.dataset.column));
            }
        });
    }

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
            reach(...[rows, columns].map((names, i) => Math.min(current[i], names.length - 1)));
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
            grid.setAttribute("aria-label", t("Heat map"));
        }
        const [low, high] = ends(values, range);
        cells.forEach((row, r) => row[0]?.parentElement.classList.toggle("live-later", r >= shown));
        cells.forEach((row, r) => row.forEach((cell, c) => {
            const value = values[r]?.[c];
            const known = Number.isFinite(value);
            const usual = known ? colour((value - low) / (high - low)) : {};
            const { background, text } = paint?.(value) ?? usual;
            cell.style.background = background ?? "";
            cell.style.color = text ?? "";
            cell.textContent = number(value ?? null, digits);
            cell.setAttribute("aria-label", words(r, c));
        }));
        const longest = Math.max(0, ...cells.flat().map(cell => cell.textContent.length));
        grid.style.setProperty("--letters", longest);
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
        shown = more.shown ?? rows.length;
        if (current[0] >= shown && shown) {
            reach(shown - 1, current[1]);
        }
        fill();
    };
    build();
    fill();
    return box;
}
