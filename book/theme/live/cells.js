// The heat maps of the static figures, read cell by cell: under the pointer, or
// with the arrow keys. The numbers are in the drawing, as data.

import { element, number } from "./controls.js";

// What a panel of a drawing says of itself.
function panel(group, names) {
    const { rows, columns, values, title } = group.dataset;
    const place = group.getAttribute("transform").match(/-?[\d.]+/g).map(Number);
    return {
        names, title,
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
    const one = { Keys: "key", Queries: "query" }[name] ?? `${name}:`.toLowerCase();
    return `${one} ${tokens[at] || at}`;
}

export function read(svg, event) {
    const maps = svg.querySelector(".heatmaps");
    const tokens = text => (text ? text.split("|") : []);
    const names = {
        row: axis(svg, true), rows: tokens(maps.dataset.queries),
        column: axis(svg, false), columns: tokens(maps.dataset.keys),
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
    svg.setAttribute("aria-roledescription", "heat map");

    function show() {
        const { row, column } = at;
        const { x, y, w, h, title, columns, values } = panels[at.panel];
        const value = values[row * columns + column];
        const what = Number.isFinite(value) ? number(value, 3) : "none";
        const where = [
            called(names.row, names.rows, row), called(names.column, names.columns, column),
            `${signed ? "value" : "weight"} ${what}`,
        ].join(", ");
        readout.textContent = title ? `${title}: ${where}` : where;
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
    function step(down, right) {
        const { panel: from, row, column } = at;
        const { rows, columns, x, y } = panels[from];
        const to = { row: row + down, column: column + right };
        if (to.row >= 0 && to.row < rows && to.column >= 0 && to.column < columns) {
            at = { ...to, panel: from };
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

    const keys = {
        ArrowUp: () => step(-1, 0), ArrowDown: () => step(1, 0),
        ArrowLeft: () => step(0, -1), ArrowRight: () => step(0, 1),
        Home: () => { at.column = 0; },
        End: () => { at.column = panels[at.panel].columns - 1; },
    };
    svg.addEventListener("keydown", event => {
        if (event.key === "Escape") {
            hide();
        } else if (keys[event.key] && !event.ctrlKey && !event.altKey && !event.metaKey) {
            event.preventDefault();
            keys[event.key]();
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
