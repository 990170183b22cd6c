// What the book adds to mdBook's scripts. The pages read without it.
"use strict";
(function () {
    // The three texts of this script, for which it loads no table.
    const chinese = document.documentElement.lang.startsWith("zh");
    const said = chinese
        ? { parts: "本节各部分", done: "已完成", again: "未能加载，点击重试" }
        : {
            parts: "Parts of this section", done: "done",
            again: "This could not be loaded. Try again",
        };

    // What opens the sidebar is a label of a hidden checkbox: a button in its
    // place says what it is, and the keyboard reaches it.
    const label = document.getElementById("mdbook-sidebar-toggle");
    if (label) {
        const button = document.createElement("button");
        button.type = "button";
        button.className = label.className;
        button.title = label.title;
        button.innerHTML = label.innerHTML;
        const copy = () => {
            for (const name of ["aria-label", "aria-controls", "aria-expanded"]) {
                button.setAttribute(name, label.getAttribute(name) || "false");
            }
        };
        copy();
        new MutationObserver(copy).observe(label, { attributes: true });
        button.addEventListener("click", () => label.click());
        label.hidden = true;
        label.after(button);
    }
    const bar = document.getElementById("mdbook-menu-bar");
    if (bar) {
        bar.setAttribute("role", "banner");
    }

    // What folds a part of the sidebar is a link that leads nowhere.
    for (const fold of document.querySelectorAll("a.chapter-fold-toggle")) {
        const open = () => fold.closest("li").classList.contains("expanded");
        const tell = () => fold.setAttribute("aria-expanded", open());
        fold.setAttribute("role", "button");
        fold.setAttribute("aria-label", said.parts);
        fold.tabIndex = 0;
        fold.addEventListener("click", () => setTimeout(tell));
        fold.addEventListener("keydown", event => {
            if (event.key === "Enter" || event.key === " ") {
                event.preventDefault();
                fold.click();
            }
        });
        tell();
    }

    // What is too wide scrolls in its own box; then the keyboard must reach it.
    const boxes = "main pre > code, main .formula, main .scroll, main .table-wrapper";
    function reach() {
        for (const box of document.querySelectorAll(boxes)) {
            const wide = box.scrollWidth > box.clientWidth;
            box.classList.toggle("wide", wide);
            if (wide) {
                box.tabIndex = 0;
                if (box.dataset.label) {
                    box.setAttribute("role", "group");
                    box.setAttribute("aria-label", box.dataset.label);
                }
            } else if (box.tabIndex === 0) {
                box.removeAttribute("tabindex");
            }
        }
    }
    let waiting = 0;
    addEventListener("resize", () => {
        clearTimeout(waiting);
        waiting = setTimeout(reach, 200);
    });
    const later = window.requestIdleCallback || setTimeout;
    addEventListener("load", () => later(reach));

    // The sidebar follows the page: the heading that is read stays in view.
    const sidebar = document.querySelector("#mdbook-sidebar .sidebar-scrollbox");
    function follow() {
        const current = sidebar.querySelector(".current-header");
        if (current) {
            const [inner, outer] = [current, sidebar].map(e => e.getBoundingClientRect());
            const margin = outer.height / 8;
            if (inner.top < outer.top + margin) {
                sidebar.scrollTop -= outer.top + margin - inner.top;
            } else if (inner.bottom > outer.bottom - margin) {
                sidebar.scrollTop += inner.bottom - outer.bottom + margin;
            }
        }
    }
    if (sidebar) {
        let moving = 0;
        addEventListener("scroll", () => {
            clearTimeout(moving);
            moving = setTimeout(follow, 150);
        }, { passive: true });
        // Over the page, on a phone, it closes when a choice has been made.
        const toggle = document.getElementById("mdbook-sidebar-toggle-anchor");
        sidebar.addEventListener("click", event => {
            const link = event.target.closest("a[href]");
            if (link && toggle.checked && document.body.clientWidth < 1080) {
                toggle.click();
            }
        });
    }

    // A search leads to where a word is defined before where it is used, and to
    // answers of exercises last.
    if (window.elasticlunr) {
        const words = text => text.toLowerCase().split(/[\s-]+/).map(elasticlunr.stemmer).join(" ");
        const load = elasticlunr.Index.load.bind(elasticlunr.Index);
        elasticlunr.Index.load = data => {
            const index = load(data);
            const { doc_urls, defined = [] } = window.search;
            const terms = new Map(doc_urls.map(url => [url, new Set()]));
            for (const [word, url] of defined) {
                terms.get(url)?.add(words(word));
            }
            const { search } = index;
            index.search = (typed, options) => {
                // An input method may write full-width letters. A mechanism is what its
                // name says without that word.
                const query = typed.normalize("NFKC").replace(/(.)机制/g, "$1");
                const wanted = words(query.trim());
                const chinese = /[\u3400-\u9fff]/.test(wanted);
                const known = defined.some(([word]) => word.toLowerCase() === query.trim().toLowerCase());
                const weight = url => {
                    const here = terms.get(url);
                    // A Chinese word is part of others, without a space, or made of several.
                    const rest = [...here].reduce((rest, term) => rest.replaceAll(term, ""), wanted);
                    const defines = here.has(wanted) || (chinese ? !rest.trim()
                        : wanted.split(" ").every(word => here.has(word)));
                    const contains = (chinese || !known) && [...here].some(term =>
                        chinese ? term.includes(wanted) : ` ${term} `.includes(` ${wanted} `));
                    const bold = defines ? chinese ? 40 : 8 : contains ? chinese ? 8 : 3 : 1;
                    const section = /^(ch10_|seq2seq)/.test(url) && !url.endsWith("#exercises");
                    return bold * (url.startsWith("solutions/") ? 0.1 : section ? 1 : 0.5);
                };
                return search.call(index, query, options)
                    .map(one => ({ ...one, score: one.score * weight(doc_urls[one.ref]) }))
                    .sort((a, b) => b.score - a.score);
            };
            return index;
        };
    }

    // While an input method composes, keys are its own: Escape leaves the search open.
    addEventListener("keydown", event => {
        if (event.isComposing || event.keyCode === 229) {
            event.stopPropagation();
        }
    }, true);

    // A mistake is reported with the heading that is read.
    const heading = () => [...document.querySelectorAll("main :is(h1, h2, h3)[id]")]
        .filter(heading => heading.getBoundingClientRect().top < innerHeight / 2).pop();
    document.querySelector("[data-report]")?.addEventListener("click", ({ target }) => {
        const read = heading();
        const address = new URL(target.href);
        address.searchParams.set("title", `${document.title}: ${read?.innerText ?? ""}`);
        address.searchParams.set("body", `${location.href.split("#")[0]}#${read?.id ?? ""}\n\n`);
        target.href = address;
    });

    // In the other language a page begins at the heading that is read.
    document.querySelector("a.language")?.addEventListener("click", ({ target }) => {
        target.hash = scrollY ? heading()?.id ?? "" : "";
    });

    // What a link or a search leads to may be folded, or a hidden line.
    function unfold(element) {
        for (let at = element; at; at = at.parentElement) {
            if (at.tagName === "DETAILS") {
                at.open = true;
            }
        }
        const code = element.closest(".boring") && element.closest(".hide-boring");
        if (code) {
            const button = code.parentElement.querySelector(".buttons > button:not([class])");
            button ? button.click() : code.classList.remove("hide-boring");
        }
    }
    function arrive() {
        const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
        const marks = [...document.querySelectorAll("main mark")];
        marks.forEach(unfold);
        if (target) {
            unfold(target);
            const after = mark =>
                target.compareDocumentPosition(mark) & Node.DOCUMENT_POSITION_FOLLOWING;
            (marks.find(after) || target).scrollIntoView({ block: marks.length ? "center" : "start" });
        }
    }
    addEventListener("hashchange", arrive);
    if (location.hash || location.search) {
        // Not before the browser has gone there itself.
        addEventListener("load", () => setTimeout(arrive, 50));
    }

    for (const box of document.querySelectorAll("main li > input[type=checkbox]")) {
        box.setAttribute("aria-label", said.done);
    }

    // A live figure is computed here, a heat map read cell by cell: what it
    // takes is loaded when one is touched, and not from a file.
    if (location.protocol.startsWith("http")) {
        const load = async (element, script) => {
            const from = name => import(new URL(element.dataset.live + name, location.href));
            // What is said is there before who says it.
            await (chinese && from("words.zh.js"));
            return from(script);
        };
        const figures = window.WebAssembly ? "live-figure[data-live]" : "nothing";
        for (const figure of document.querySelectorAll(figures)) {
            const button = figure.querySelector("button");
            const text = button.textContent;
            button.addEventListener("click", async () => {
                if (button.ariaBusy) {
                    return;
                }
                button.ariaBusy = "true";
                button.textContent = text;
                // What live.js will ask for, at the same time.
                load(figure, `${figure.dataset.page}.js`).catch(() => {});
                try {
                    await (await load(figure, "live.js")).open(figure);
                } catch {
                    button.textContent = said.again;
                }
                button.ariaBusy = null;
            });
            figure.hidden = false;
        }
        for (const maps of document.querySelectorAll("svg .heatmaps[data-live]")) {
            const svg = maps.ownerSVGElement;
            svg.tabIndex = 0;
            // The arrow keys do not turn the page, even before all is loaded.
            svg.addEventListener("keydown", event => {
                if (event.key.startsWith("Arrow")) {
                    event.stopPropagation();
                }
            });
            const open = event => {
                events.forEach(name => svg.removeEventListener(name, open));
                load(maps, "cells.js").then(cells => cells.read(svg, event), () => {});
            };
            const events = ["focus", "pointermove", "pointerdown"];
            events.forEach(name => svg.addEventListener(name, open));
        }
    }

    // On paper nothing is folded.
    let folded = [];
    addEventListener("beforeprint", () => {
        folded = [...document.querySelectorAll("details:not([open])")];
        folded.forEach(details => { details.open = true; });
    });
    addEventListener("afterprint", () => {
        folded.forEach(details => { details.open = false; });
    });
})();
