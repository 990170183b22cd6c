// A figure that answers. A page's module draws it and asks; the page's own Rust
// answers, in a worker:
//
//     export const figures = { scores(figure) { … } };
//
// figure.ask(question)  a promise of the answer; rejects with one line. A question
//                       that waits while the same figure asks another is dropped
//                       and never answered; ask(question, {keep: true}) is not.
// figure.controls       the element for inputs; the functions below put theirs there
// figure.result         the element for what is drawn
// figure.slider, select, text, checkbox, button   see controls.js
// figure.heatmap, table elements with update(…), not yet in the page
// figure.say(text)      says it below the drawing, politely
// figure.error(text)    says what is wrong; "" takes it away
// figure.progress(done, total)   a bar; without arguments none
// figure.closed         true once the reader has started over
//
// What a handler of an input throws, or the promise that it gives, is shown.

import * as controls from "./controls.js";
import { heatmap } from "./heatmap.js";

const { element } = controls;
const here = new URL(".", import.meta.url);

// One worker for all figures of a page.
class Program {
    constructor(page, model) {
        this.start = {
            module: new URL(`${page}.wasm`, here).href,
            model: model && new URL(model, here).href,
        };
        this.waiting = [];
        this.asked = null;
        this.worker = null;
    }

    begin() {
        this.worker = new Worker(new URL("worker.js", here), { type: "module" });
        this.worker.onmessage = ({ data }) => this.answered(data);
        this.worker.onerror = event => this.answered({
            error: `the program cannot be loaded: ${event.message ?? "no answer"}`, ended: true,
        });
        this.worker.postMessage(this.start);
    }

    ask(figure, question, keep) {
        return new Promise((resolve, reject) => {
            if (!keep) {
                this.waiting = this.waiting.filter(one => one.keep || one.figure !== figure);
            }
            this.waiting.push({ figure, question, keep, resolve, reject });
            this.next();
        });
    }

    next() {
        if (!this.asked && this.waiting.length) {
            this.asked = this.waiting.shift();
            if (!this.worker) {
                this.begin();
            }
            this.worker.postMessage({ question: this.asked.question });
        }
    }

    answered({ ok, error, ended }) {
        const asked = this.asked;
        this.asked = null;
        if (ended) { // the next question begins anew
            this.worker?.terminate();
            this.worker = null;
        }
        if (error === undefined) {
            asked?.resolve(ok);
        } else {
            asked?.reject(new Error(error));
        }
        this.next();
    }
}

const programs = new Map();
function program(page, model) {
    if (!programs.has(page)) {
        programs.set(page, new Program(page, model));
    }
    return programs.get(page);
}

class Figure {
    constructor(host, program, touched) {
        this.program = program;
        this.touched = touched;
        this.host = host;
        this.closed = false;
        this.pending = 0;
        this.controls = element("div", { class: "live-controls" });
        this.result = element("div", { class: "live-result" });
        this.bar = element("progress", { class: "live-progress", "aria-label": "Progress", hidden: true });
        this.wrong = element("p", { class: "live-error", role: "alert" });
        this.said = element("p", { class: "live-said", role: "status" });
    }

    async ask(question, { keep = false } = {}) {
        this.pending += 1;
        this.result.setAttribute("aria-busy", "true");
        try {
            const answer = await this.program.ask(this, question, keep);
            this.error("");
            this.result.hidden = false;
            this.host.dataset.first ??= Math.round(performance.now() - this.touched);
            return answer;
        } finally {
            this.pending -= 1;
            if (!this.program.waiting.some(one => one.figure === this)) {
                this.result.removeAttribute("aria-busy");
            }
        }
    }

    say(text) {
        if (this.said.textContent !== text) {
            this.said.textContent = text;
        }
    }

    error(text) {
        if (this.wrong.textContent !== text) {
            this.wrong.textContent = text;
        }
    }

    progress(done, total) {
        this.bar.hidden = done === undefined;
        if (done !== undefined) {
            this.bar.max = total;
            this.bar.value = done;
        }
    }

    // A handler whose fault is shown to the reader.
    guarded(handler) {
        return async (...values) => {
            try {
                await handler(...values);
            } catch (error) {
                this.result.removeAttribute("aria-busy");
                this.error(error.message ?? String(error));
                // An answer does not belong to the question that was refused.
                this.result.hidden = !this.result.querySelector("input, select");
                this.say("");
                if (!(error instanceof Error) || error.constructor !== Error) {
                    console.error(error); // a fault of ours, not of the reader
                }
            }
        };
    }

    put(control) {
        this.controls.append(control.element);
        return control;
    }

    slider(options, oninput) { return this.put(controls.slider(options, this.guarded(oninput))); }
    select(options, oninput) { return this.put(controls.select(options, this.guarded(oninput))); }
    text(options, onchange) { return this.put(controls.text(options, this.guarded(onchange))); }
    checkbox(options, oninput) { return this.put(controls.checkbox(options, this.guarded(oninput))); }
    button(label, onclick) { return this.put(controls.button(label, this.guarded(onclick))); }
    heatmap(options) { return heatmap(options); }
    table(options) { return controls.table(options); }
}

let styled;
function styles() {
    styled ??= new Promise(done => {
        const link = element("link", { rel: "stylesheet", href: new URL("live.css", here).href });
        link.onload = link.onerror = done;
        document.head.append(link);
    });
    return styled;
}

// Makes the figure of a <live-figure> that the reader has touched at `touched`
// milliseconds.
export async function open(host, touched = performance.now()) {
    const { page, figure: name, model } = host.dataset;
    const run = program(page, model);
    const [{ figures }] = await Promise.all([
        import(new URL(`${page}.js`, here).href), styles(),
    ]);
    let figure;
    const begin = async () => {
        if (figure) {
            figure.closed = true;
        }
        figure = new Figure(host, run, touched);
        const again = element("button", { type: "button", class: "live-again" }, "Start over");
        again.addEventListener("click", async () => {
            await begin();
            host.querySelector(".live-again").focus();
        });
        const caption = host.closest("div.live")?.previousElementSibling?.id ?? "";
        const label = "Live figure" + caption.replace(/^figure-/, " ").replaceAll("-", ".");
        const body = element("div", { class: "live-body", role: "group", "aria-label": label },
            figure.controls, figure.wrong, figure.result, figure.bar, figure.said, again);
        // The keys of a figure do not turn the page.
        body.addEventListener("keydown", event => event.stopPropagation());
        await figure.guarded(figures[name])(figure);
        host.replaceChildren(body);
    };
    await begin();
    const first = host.querySelector(".live-controls :is(input, select, button), .live-again");
    first.focus({ preventScroll: true });
    if (first.type === "text") {
        first.select();
    }
}
