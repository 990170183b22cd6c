// The search of the Chinese pages. Chinese has no spaces: two neighbouring characters are
// a word, as in the index (book/src/search.rs).
"use strict";
(function () {
    if (!window.elasticlunr) {
        return;
    }
    const han = /[\u3400-\u9fff\uf900-\ufaff]/;
    const runs = /[\u3400-\u9fff\uf900-\ufaff]+|[^\s\-\u3000-\u303f\uff00-\uffef\u201c\u201d\u3400-\u9fff\uf900-\ufaff]+/g;
    elasticlunr.tokenizer = text => (String(text ?? "").toLowerCase().match(runs) ?? [])
        .flatMap(run => !han.test(run[0]) ? [run.replace(/^\W+|\W+$/g, "")]
            : run.length === 1 ? [run]
            : Array.from({ length: run.length - 1 }, (_, at) => run.slice(at, at + 2)))
        .filter(Boolean);

    // What is shown of a result: what surrounds the first find, the find as a word of its
    // own, which mdBook takes for one.
    const { search } = elasticlunr.Index.prototype;
    elasticlunr.Index.prototype.search = function (query, options) {
        const terms = query.toLowerCase().split(" ").filter(term => han.test(term));
        return search.call(this, query, options).map(result => {
            const { body } = result.doc;
            const at = Math.max(0, body.toLowerCase().indexOf(terms[0]));
            const cut = terms.reduce((text, term) => text.split(term).join(` ${term} `),
                // Half of a bold letter of mathematics is none.
                body.slice(Math.max(0, at - 30), at + 60)
                    .replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, ""));
            return terms.length ? { ...result, doc: { ...result.doc, body: cut } } : result;
        });
    };

    // What is chosen with the mouse from an input method presses no key.
    const bar = document.getElementById("mdbook-searchbar");
    bar?.addEventListener("input", () => bar.dispatchEvent(new KeyboardEvent("keyup")));
})();
