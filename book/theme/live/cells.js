// The heat maps of the static figures, read cell by cell: under the pointer, or
// with the arrow keys. The numbers are in the drawing, as data.

import { element, moved, number } from "./controls.js";
import { t } from "./words.js";

const tokens = text => (text ? text.split("|") : []);

// What a panel of a drawing says of itself.
function panel(group, names) {
    const { rows, columns, values, title, queries, keys } = group.dataset;
    const place = group.getAttribute("transform").match(/-?[\d.]+/g).map(Number);
    return {
        title,
        names: {
            ...names,
            ...(queries && { rows: tokens(queries) }), ...(keys && { columns: tokens(keys) }),
        },
        rows: Number(rows),
        columns: Number(columns),
        values: values.split(" ").map(Number),
        x: place[0], y: place[1], w: place[2], h: place[3],
    };
}

// The name of an axis: the last words in the middle of it, upright or not.
function axis(svg, upright) {
    const texts = [...svg.querySelectorAll("text[text-anchor=middle]")]
        .filter(text => text.hasAttribute("transform") === upright);
    return texts.at(-1)?.textContent ?? "";
}

// The label of a row or column: "query to read", or by another name of the axis.
function called(name, tokens, at) {
    if (!name) {
        return tokens[at] ?? t("number {0}", at);
    }
    const one = tokens[at] || at;
    switch (name) {
        case "Keys": return t("key {0}", one);
        case "Queries": return t("query {0}", one);
        default: return t("{0}: {1}", name.toLowerCase(), one);
    }
}

export function read(svg, event) {
    const maps = svg.querySelector(".heatmaps");
    // Strips have no axes: their tokens, or places, stand for themselves.
    const strips = "strips" in maps.dataset;
    const names = {
        row: strips ? "" : axis(svg, true), rows: tokens(maps.dataset.queries),
        column: strips ? "" : axis(svg, false), columns: tokens(maps.dataset.keys),
    };
    const panels = [...maps.querySelectorAll("g[data-values]")].map(g => panel(g, names));
    const signed = panels.some(panel => panel.values.some(value => value < 0));
    let at = { panel: 0, row: 0, column: 0 };

    const mark = ["var(--bg)", "var(--fg)"].map((stroke, i) => element("rect", {
        fill: "none", stroke, "stroke-width": 4 - 2 * i, "vector-effect": "non-scaling-stroke",
        "pointer-events": "none", visibility: "hidden",
    }));
    svg.append(...mark);
    const readout = element("p", { class: "cell", role: "status" });
    const figure = svg.closest("figure");
    figure.append(readout);
    svg.setAttribute("role", "application");
    svg.setAttribute("aria-roledescription", t("heat map"));

    function show() {
        const { row, column } = at;
        const { x, y, w, h, title, rows, columns, values, names } = panels[at.panel];
        const value = values[row * columns + column];
        const what = Number.isFinite(value) ? number(value, 3) : t("none");
        const across = called(names.column, names.columns, column);
        const where = strips && rows === 1
            ? across : t("{0}, {1}", called(names.row, names.rows, row), across);
        const cell = signed ? t("{0}, value {1}", where, what) : t("{0}, weight {1}", where, what);
        readout.textContent = title ? t("{0}: {1}", title, cell) : cell;
        for (const rect of mark) {
            const place = { x: x + column * w, y: y + row * h, width: w, height: h, visibility: "visible" };
            Object.entries(place).forEach(([name, value]) => rect.setAttribute(name, value));
        }
    }

    function hide() {
        readout.textContent = "";
        mark.forEach(rect => rect.setAttribute("visibility", "hidden"));
    }

    // The cell under the pointer.
    function point(event) {
        const here = new DOMPoint(event.clientX, event.clientY)
            .matrixTransform(svg.getScreenCTM().inverse());
        const hit = panels.findIndex(({ x, y, w, h, rows, columns }) =>
            here.x >= x && here.x < x + columns * w && here.y >= y && here.y < y + rows * h);
        if (hit < 0) {
            return hide();
        }
        const { x, y, w, h } = panels[hit];
        at = { panel: hit, row: Math.floor((here.y - y) / h), column: Math.floor((here.x - x) / w) };
        show();
    }

    // Past the edge of a panel its neighbour goes on, if there is one.
    function go(row, column) {
        const { panel: from } = at;
        const { rows, columns, x, y } = panels[from];
        const down = row < 0 ? -1 : Number(row >= rows);
        const right = column < 0 ? -1 : Number(column >= columns);
        if (!down && !right) {
            at = { panel: from, row, column };
            return;
        }
        const away = panels.map((other, i) => ({
            i, along: (other.x - x) * right + (other.y - y) * down,
            aside: Math.abs((other.x - x) * down) + Math.abs((other.y - y) * right),
        }));
        const next = away.filter(one => one.along > 0 && one.aside < 1)
            .sort((a, b) => a.along - b.along)[0];
        if (next) {
            const { rows, columns } = panels[next.i];
            at = {
                panel: next.i,
                row: down ? (down > 0 ? 0 : rows - 1) : Math.min(row, rows - 1),
                column: right ? (right > 0 ? 0 : columns - 1) : Math.min(column, columns - 1),
            };
        }
    }

    svg.addEventListener("keydown", event => {
        const { rows, columns } = panels[at.panel];
        const to = moved(event, [at.row, at.column], [rows, columns]);
        if (event.key === "Escape") {
            hide();
        } else if (to) {
            event.preventDefault();
            go(...to);
            show();
        }
    });
    const focused = () => svg.matches(":focus-visible") && show();
    svg.addEventListener("focus", focused);
    svg.addEventListener("blur", hide);
    svg.addEventListener("pointerdown", point);
    svg.addEventListener("pointermove", event => event.pointerType !== "touch" && point(event));
    svg.addEventListener("pointerleave", event => {
        if (event.pointerType !== "touch" && document.activeElement !== svg) {
            hide();
        }
    });
    event.type === "focus" ? focused() : point(event);
}
