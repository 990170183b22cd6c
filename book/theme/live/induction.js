// A side page of section 10.7: letters of the reader's, read by two layers of
// attention; what each head attends to, and what comes next.

import { bar, element, number, press } from "./controls.js";
import { heaviest } from "./heads.js";
import { t } from "./words.js";

const LAYERS = [0, 1];
const HEADS = [0, 1];

export const figures = {
    async copying(figure) {
        const chosen = [0, 0]; // the head of each layer that is shown
        let seed = 0;
        let at = Infinity; // the letter after which something comes
        let answer;

        const letters = figure.text({
            label: t("letters from a to z"), value: "", maxlength: 64,
            examples: ["abcdefabcdefabc", "tobeornottobeor"],
        }, () => {
            at = Infinity; // the last letter of a new text
            return read();
        });
        const period = figure.slider({ label: t("period"), min: 1, max: 20, step: 1, value: 8 }, draw);
        figure.button(t("Other letters"), () => {
            seed += 1;
            return draw();
        });
        figure.button(t("Shuffle"), () => {
            const all = [...letters.value];
            for (let i = all.length - 1; i > 0; i -= 1) {
                const other = Math.floor(Math.random() * (i + 1));
                [all[i], all[other]] = [all[other], all[i]];
            }
            letters.value = all.join("");
            return read();
        });
        const name = (layer, head) => t("layer {0}, head {1}", layer + 1, head + 1);
        const on = LAYERS.map(layer => HEADS.map(head =>
            figure.checkbox({ label: t("{0} works", name(layer, head)), value: true }, read)));
        LAYERS.forEach(layer => figure.select({
            label: t("map of layer {0}", layer + 1), value: 0,
            options: HEADS.map(head => ({ value: head, label: t("head {0}", head + 1) })),
        }, head => {
            chosen[layer] = Number(head);
            show();
        }));

        const right = element("p", {});
        const tokens = element("div", { class: "live-tokens", role: "group", "aria-label": t("Letters read") });
        const next = figure.table();
        next.classList.add("live-bars");
        const attends = figure.table();
        const told = (...of) => t("after {0}, attends to {1}, weight {2}", ...of);
        const maps = LAYERS.map(() => figure.heatmap({ range: [0, 1], told }));
        figure.result.append(
            right, element("p", {}, t("Press a letter to see what comes after it:")), tokens,
            next, attends, ...maps);

        async function draw() {
            const drawn = await figure.ask({ draw: { period: period.value, seed } }, "letters");
            letters.value = drawn.letters;
            at = Infinity;
            await read();
        }

        async function read() {
            answer = await figure.ask({
                read: { letters: letters.value, on: on.map(layer => layer.map(one => one.value)) },
            });
            at = Math.min(at, answer.letters.length - 1);
            right.textContent = answer.repeats ? t(
                "After a letter that was there before, the most probable letter came {0} of {1} times.",
                answer.right, answer.repeats) : t("No letter is there twice, so there is nothing to copy.");
            tokens.replaceChildren(...answer.letters.map((letter, i) => element("button", {
                type: "button", "aria-label": t("letter {0}, “{1}”", i + 1, letter), onclick: () => {
                    at = i;
                    show();
                },
            }, letter)));
            show();
        }

        // The letters with most weight, by their number.
        function most(row) {
            return heaviest(row)
                .map(k => t("letter {0}, “{1}” ({2}\u00a0%)", k + 1, answer.letters[k], Math.round(100 * row[k])))
                .join(t("; "));
        }

        function show() {
            const all = answer.letters;
            press(tokens, at);
            const [first] = answer.next[at];
            next.update({
                caption: t("After letter {0}, “{1}”", at + 1, all[at]),
                head: [t("letter"), t("probability"), ""],
                rows: answer.next[at].map(({ token, probability }) =>
                    [token, number(probability, 3), bar(probability)]),
            });
            attends.update({
                caption: t("Letter {0}, “{1}”, attends to", at + 1, all[at]),
                head: ["", ""],
                rows: LAYERS.flatMap(layer => HEADS.map(head =>
                    [name(layer, head), most(answer.weights[layer][head][at])])),
            });
            maps.forEach((map, layer) => map.update(answer.weights[layer][chosen[layer]], {
                rows: all, columns: all, title: t("Layer {0}, head {1}", layer + 1, chosen[layer] + 1),
            }));
            figure.say(t("After letter {0}, “{1}”, comes “{2}” with a probability of {3}.",
                at + 1, all[at], first.token, number(first.probability)), true);
        }
        await draw();
    },
};
