// What the book adds to mdBook's scripts. The pages read without it.
"use strict";
(function () {
    // The button that folds the sidebar is a label: say that it is a button,
    // and let the keyboard reach it.
    const toggle = document.getElementById("mdbook-sidebar-toggle");
    if (toggle) {
        toggle.setAttribute("role", "button");
        toggle.tabIndex = 0;
        toggle.addEventListener("keydown", event => {
            if (event.key === "Enter" || event.key === " ") {
                event.preventDefault();
                toggle.click();
            }
        });
    }

    // What is too wide scrolls in its own box; then the keyboard must reach it.
    const boxes = "main pre > code, main .formula, main .scroll, main .table-wrapper";
    function reach() {
        for (const box of document.querySelectorAll(boxes)) {
            if (box.scrollWidth > box.clientWidth) {
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
    addEventListener("load", reach);

    for (const box of document.querySelectorAll("main li > input[type=checkbox]")) {
        box.setAttribute("aria-label", "done");
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
