// A figure that answers. A page's module draws it and asks; the page's own Rust
// answers, in a worker:
//
//     export const figures = { scores(figure) { … } };
//
// figure.ask(question)  a promise of the answer; rejects with one line. A question
//                       that waits while the same figure asks another is dropped
//                       and never answered, unless that is about something else:
//                       ask(question, "totals")
// figure.another(page)  what asks another module, of the same model: ask(question)
// figure.controls       the element for inputs; the functions below put theirs there
// figure.result         the element for what is drawn
// figure.slider, select, text, checkbox, button   see controls.js
// figure.heatmap, table elements with update(…), not yet in the page
// figure.say(text)      says it below the drawing, politely; say(text, true), what
//                       is in the drawing already, to a screen reader alone
// figure.error(text)    says what is wrong; "" takes it away. What is thrown is
//                       English, and translated here
// figure.progress(done, total)   a bar; without arguments none
// figure.closed         true once the reader has started over or closed it
//
// What a handler of an input throws, or the promise that it gives, is shown.

import * as controls from "./controls.js";
import { heatmap } from "./heatmap.js";
import { t, wrong } from "./words.js";

const { element } = controls;
const here = new URL(".", import.meta.url);

// Seconds that a worker has to load the program, and for an answer. No question
// takes a tenth of that.
const PATIENCE = { load: 120, answer: 30 };

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
        this.loaded = false;
        this.worker.onmessage = ({ data }) => {
            this.loaded ||= data.loaded;
            data.loaded ? this.wait() : this.answered(data);
        };
        this.worker.onerror = event => this.answered({
            error: `the program cannot be loaded: ${event.message ?? "no answer"}. “Start over” tries again`,
            ended: true,
        });
        this.worker.postMessage(this.start);
    }

    ask(figure, question, about) {
        return new Promise((resolve, reject) => {
            this.waiting = this.waiting.filter(one => one.figure !== figure || one.about !== about);
            this.waiting.push({ figure, question, about, resolve, reject });
            this.next();
        });
    }

    // A worker that was ended from outside never says so.
    wait() {
        clearTimeout(this.timer);
        const seconds = this.loaded ? PATIENCE.answer : PATIENCE.load;
        this.timer = setTimeout(() => this.answered({
            error: `there was no answer in ${seconds} seconds. “Start over” tries again`, ended: true,
        }), 1000 * seconds);
    }

    // A figure asks no more: nobody waits for what it has asked.
    leave(figure) {
        this.waiting = this.waiting.filter(one => one.figure !== figure);
        if (this.asked?.figure === figure) {
            this.answered({ error: "it was closed", ended: true });
        }
    }

    next() {
        if (!this.asked && this.waiting.length) {
            this.asked = this.waiting.shift();
            if (!this.worker) {
                this.begin();
            }
            this.worker.postMessage({ question: this.asked.question });
            this.wait();
        }
    }

    answered({ ok, error, ended }) {
        const asked = this.asked;
        this.asked = null;
        clearTimeout(this.timer);
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
    constructor(program) {
        this.programs = [program];
        this.closed = false;
        this.controls = element("div", { class: "live-controls" });
        this.result = element("div", { class: "live-result" });
        this.bar = element("progress", { class: "live-progress", "aria-label": t("Progress"), hidden: true });
        this.wrong = element("p", { class: "live-error", role: "alert" });
        this.said = element("p", { class: "live-said", role: "status" });
    }

    another(page) {
        const other = program(page, this.programs[0].start.model);
        this.programs.push(other);
        return question => this.ask(question, undefined, other);
    }

    async ask(question, about, run = this.programs[0]) {
        this.result.setAttribute("aria-busy", "true");
        try {
            const answer = await run.ask(this, question, about);
            this.error("");
            this.result.hidden = false;
            return answer;
        } finally {
            const mine = one => one?.figure === this;
            if (!this.programs.some(run => mine(run.asked) || run.waiting.some(mine))) {
                this.result.removeAttribute("aria-busy");
            }
        }
    }

    say(text, shown = false) {
        this.said.classList.toggle("live-heard", shown);
        if (this.said.textContent !== text) {
            this.said.textContent = text;
        }
    }

    error(text) {
        const line = wrong(text);
        if (this.wrong.textContent !== line) {
            this.wrong.textContent = line;
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

    leave() {
        this.closed = true;
        this.programs.forEach(run => run.leave(this));
    }
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

// Makes the figure of a <live-figure> that the reader has touched.
export async function open(host) {
    const { page, figure: name, model } = host.dataset;
    const run = program(page, model);
    const [{ figures }] = await Promise.all([
        import(new URL(`${page}.js`, here).href), styles(),
    ]);
    const [opener] = host.children;
    let figure;
    async function begin() {
        figure?.leave();
        const mine = figure = new Figure(run);
        const again = controls.button(t("Start over"), async () => {
            await begin();
            host.querySelector(".live-foot button")?.focus();
        });
        const close = controls.button(t("Close"), () => {
            figure.leave();
            host.replaceChildren(opener);
            opener.focus();
        });
        const id = host.closest("div.live")?.previousElementSibling?.id ?? "";
        const figureNumber = id.replace(/^figure-/, "").replaceAll("-", ".");
        const label = figureNumber ? t("Live figure {0}", figureNumber) : t("Live figure");
        const body = element("div", { class: "live-body", role: "group", "aria-label": label },
            mine.controls, mine.wrong, mine.result, mine.bar, mine.said,
            element("div", { class: "live-foot" }, again.element, close.element));
        // The keys of a figure do not turn the page.
        body.addEventListener("keydown", event => event.stopPropagation());
        await mine.guarded(figures[name])(mine);
        if (!mine.closed) {
            host.replaceChildren(body);
        }
    }
    await begin();
    const first = host.querySelector(".live-controls :is(input, select, button), .live-foot button");
    first.focus({ preventScroll: true });
    if (first.type === "text") {
        first.select();
    }
}
