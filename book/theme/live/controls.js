// Labelled native inputs, and what else a live figure is made of. Nothing here
// knows what is computed.

import { t } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const DRAWN = new Set(["svg", "g", "path", "rect", "circle", "line", "text", "title", "polyline"]);

// An element with attributes (functions listen: {onclick: …}) and children.
export function element(name, attributes = {}, ...children) {
    const made = DRAWN.has(name)
        ? document.createElementNS(SVG, name)
        : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (typeof value === "function") {
            made.addEventListener(key.slice(2), value);
        } else if (value !== undefined && value !== null && value !== false) {
            made.setAttribute(key, value === true ? "" : value);
        }
    }
    made.append(...children);
    return made;
}

let names = 0;

// An id that nothing else in the page has.
export function unique(prefix) {
    names += 1;
    return `live-${prefix}-${names}`;
}

export const clamp = (value, [low, high]) => Math.min(Math.max(value, low), high);

// Where a key leads from a cell of a grid with so many rows and columns, one past
// its edge perhaps; nothing if it is none of the keys that move.
export function moved(event, [row, column], [rows, columns]) {
    const all = event.ctrlKey;
    return event.altKey || event.metaKey ? undefined : {
        ArrowUp: [row - 1, column], ArrowDown: [row + 1, column],
        ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1],
        PageUp: [Math.max(row - 10, 0), column], PageDown: [Math.min(row + 10, rows - 1), column],
        Home: [all ? 0 : row, 0], End: [all ? rows - 1 : row, columns - 1],
    }[event.key];
}

// A number with so many digits after the point, short where it is whole.
export function number(value, digits = 2) {
    if (value === null || !Number.isFinite(value)) {
        return "–";
    }
    const text = value.toFixed(digits);
    return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "\u2212");
}

function labelled(label, input, ...more) {
    input.id ||= unique("input");
    return element("div", { class: "live-control" },
        element("label", { for: input.id }, label), input, ...more);
}

// Each control is {element, input, value}; `value` can be set, which asks nothing.

// A number between min and max. `show` makes of it what stands beside the
// slider, `from` of the slider's position the number (for a scale of powers).
export function slider({ label, min, max, step, value, unit = "", from = x => x, show }, oninput) {
    const input = element("input", { type: "range", min, max, step: step ?? "any", value });
    const digits = String(step ?? "").split(".")[1]?.length ?? 0;
    const text = x => (show ? show(x) : number(x, digits)) + (unit ? `\u00a0${unit}` : "");
    const output = element("output", {});
    const tell = () => {
        output.textContent = input.disabled ? t("no effect") : text(from(Number(input.value)));
        input.setAttribute("aria-valuetext", output.textContent);
    };
    input.addEventListener("input", () => {
        tell();
        oninput(from(Number(input.value)));
    });
    const made = labelled(label, input, output);
    output.htmlFor = input.id;
    tell();
    return {
        element: made,
        input,
        get value() { return from(Number(input.value)); },
        set value(position) { input.value = position; tell(); },
        set disabled(disabled) { input.disabled = disabled; tell(); },
    };
}

// One of several: strings, or {value, label}.
export function select({ label, options, value }, oninput) {
    const input = element("select", {});
    for (const option of options) {
        const { value, label } = typeof option === "object" ? option : { value: option, label: option };
        input.append(element("option", { value }, label));
    }
    if (value !== undefined) {
        input.value = value;
    }
    input.addEventListener("input", () => oninput(input.value));
    return {
        element: labelled(label, input),
        input,
        get value() { return input.value; },
        set value(value) { input.value = value; },
    };
}

// A line of text. `list` has words; those that complete the last one typed are
// offered. `examples` are buttons that fill it in. `onchange` is called when the
// reader is done with it.
export function text({ label, value = "", list, examples = [], maxlength = 200 }, onchange) {
    const input = element("input", {
        type: "text", value, maxlength, autocomplete: "off", spellcheck: "false",
    });
    const made = labelled(label, input);
    if (list) {
        const offered = element("datalist", { id: unique("words") });
        input.setAttribute("list", offered.id);
        made.append(offered);
        const offer = () => {
            const at = input.value.search(/\S*$/);
            const [before, start] = [input.value.slice(0, at), input.value.slice(at).toLowerCase()];
            const fit = list.filter(word => word.toLowerCase().startsWith(start));
            offered.replaceChildren(...fit.slice(0, 12).map(word =>
                element("option", { value: before + word })));
        };
        input.addEventListener("input", offer);
        input.addEventListener("focus", offer);
    }
    input.addEventListener("change", () => onchange(input.value));
    if (examples.length) {
        made.append(element("div", { class: "live-examples", role: "group", "aria-label": t("Examples") },
            ...examples.map(example => element("button", { type: "button", onclick: () => {
                input.value = example;
                onchange(example);
            } }, example))));
    }
    return {
        element: made,
        input,
        get value() { return input.value; },
        set value(value) { input.value = value; },
    };
}

export function checkbox({ label, value = false }, oninput) {
    const input = element("input", { type: "checkbox" });
    input.checked = value;
    input.addEventListener("input", () => oninput(input.checked));
    const made = labelled(label, input);
    made.classList.add("live-check");
    return {
        element: made,
        input,
        get value() { return input.checked; },
        set value(value) { input.checked = value; },
    };
}

export function button(label, onclick) {
    const input = element("button", { type: "button", onclick: () => onclick() }, label);
    return { element: input, input };
}

// Of the buttons in a box, one is pressed; with no number none.
export function press(box, pressed) {
    [...box.children].forEach((one, at) => one.setAttribute("aria-pressed", String(at === pressed)));
}

// A box in which what is wider scrolls. look(wide) is called when a size has
// changed; wide() tells whether it does.
export function scrolling(inner, look) {
    const box = element("div", { class: "live-scroll" }, inner);
    const wide = () => box.scrollWidth > box.clientWidth;
    const observer = new ResizeObserver(() => requestAnimationFrame(() => look(wide)));
    [box, inner].forEach(one => observer.observe(one));
    return box;
}

// A table: a caption, a head, and rows that each begin with their name. A cell is
// a text or an element; columns of words begin at the left, of numbers end at the right.
export function table({ caption, head = [], rows = [] } = {}) {
    const made = element("table", { class: "live-table" });
    // The keyboard scrolls what is wider than its box.
    const box = scrolling(made, wide => {
        const reach = { tabindex: 0, role: "group", "aria-label": made.caption?.textContent ?? t("Table") };
        for (const [name, value] of Object.entries(reach)) {
            wide() ? box.setAttribute(name, value) : box.removeAttribute(name);
        }
    });
    box.update = ({ caption, head, rows }) => {
        const text = cell => cell.textContent ?? cell;
        const kind = head.map((_, c) => rows.some(row => /\p{L}/u.test(text(row[c]))) && "live-words");
        const cell = (name, c, attributes, inner) => element(name, { class: kind[c], ...attributes }, inner);
        made.replaceChildren(
            ...(caption ? [element("caption", {}, caption)] : []),
            element("thead", {}, element("tr", {}, ...head.map((text, c) =>
                cell(text ? "th" : "td", c, text ? { scope: "col" } : {}, text)))),
            element("tbody", {}, ...rows.map(row => element("tr", {},
                ...row.map((inner, c) => cell(c ? "td" : "th", c, c ? {} : { scope: "row" }, inner))))),
        );
    };
    box.update({ caption, head, rows });
    return box;
}

// A bar for a cell of a table, so long a share of the whole.
export function bar(share) {
    return element("div", { class: "live-bar", style: `width: ${(100 * share).toFixed(1)}%` });
}
