// Section 10.5: the game of pairs, dealt, played, and played with heads off.

import { element, number, select } from "./controls.js";
import { strip, weighed } from "./strips.js";
import { parts, t } from "./words.js";

const CARDS = [0, 1, 2, 3, 4, 5, 6, 7];
const PICTURES = ["A", "B", "C", "D"];
const MODELS = [
    { value: "two", label: t("two heads, trained"), heads: 2 },
    { value: "one", label: t("one head, trained"), heads: 1 },
    { value: "four", label: t("four heads, trained"), heads: 4 },
    { value: "by_hand", label: t("two heads, by hand"), heads: 2 },
];

export const figures = {
    async game(figure) {
        let [circle, pictures, numbers] = [0, [], []];
        let heads = [];
        const model = figure.select({ label: t("model"), options: MODELS }, () => {
            choose();
            return both();
        });
        const switches = element("div", { class: "live-switches", role: "group", "aria-label": t("Heads") });
        figure.controls.append(switches);
        figure.button(t("Deal"), () => {
            circle = (circle + 1) % 256;
            return deal();
        });
        const cards = element("table", { class: "live-table live-cards" });
        const maps = element("div", { class: "live-pair" });
        const totals = figure.table();
        const guarded = figure.guarded(show);
        const switched = figure.guarded(both);
        async function both() {
            await Promise.all([show(), compare()]);
        }
        const inspect = figure.guarded(look);
        const ask = (label, options) => select({ label, options, value: 0 }, inspect);
        const card = ask(t("card that asks"), CARDS.map(i => ({ value: i, label: String(i) })));
        let head;
        const choices = element("div", { class: "live-controls" });
        const stages = element("div", { class: "live-stages" });
        const inside = element("details", { class: "live-way", ontoggle: inspect },
            element("summary", {}, t("Inside one head")), choices, stages);
        figure.result.append(element("div", { class: "live-scroll" }, cards), maps, inside, totals);

        // All numbers of a card in a head.
        async function look() {
            if (!inside.open) {
                return;
            }
            const [from, h] = [Number(card.value), Number(head.value)];
            const names = pictures.map((picture, i) => `${i} ${PICTURES[picture]}`);
            const answer = await figure.ask({
                inside: { model: model.value, pictures: [...pictures], numbers: [...numbers], head: h, card: from },
            }, "inside");
            const { query, keys, values, found } = answer;
            const of = [query, ...keys, ...values, found];
            const layer = element("a", { href: "#the-layer" }, element("code", {}, "MultiHeadAttention::attend_heads"));
            stages.replaceChildren(
                element("p", {}, ...parts("All of these steps are computed by {0}.", layer)),
                strip(t("q of card {0}", from), [query], { of }),
                strip("k", keys, { of, names }), weighed(figure, { ...answer, tokens: names }),
                strip("v", values, { of, names }), strip(t("output of head {0}", h), [found], { of }));
        }

        // A picture that is chosen changes places with the one that was there.
        const exchange = figure.guarded((card, picture) => {
            const partner = CARDS.find(i => i !== card && pictures[i] === pictures[card]);
            const other = CARDS.find(i => i !== partner && pictures[i] === picture);
            [pictures[card], pictures[other]] = [picture, pictures[card]];
            return show();
        });
        const choice = (name, options, oninput) => {
            const input = element("select", { "aria-label": name },
                ...options.map((label, value) => element("option", { value }, String(label))));
            input.addEventListener("input", () => oninput(Number(input.value)));
            return input;
        };
        const rows = CARDS.map(card => ({
            picture: choice(t("picture of card {0}", card), PICTURES, value => exchange(card, value)),
            number: choice(t("number of card {0}", card), CARDS, value => {
                numbers[card] = value;
                return guarded();
            }),
            left: element("td", {}),
            partner: element("td", {}),
        }));
        cards.append(
            element("caption", {}, t("The cards, the answers of the model, and their probabilities")),
            element("thead", {}, element("tr", {},
                ...[t("card"), t("picture"), t("number"), t("left"), t("partner")].map(text =>
                    element("th", { scope: "col" }, text)))),
            element("tbody", {}, ...rows.map((row, card) => element("tr", {},
                element("th", { scope: "row" }, String(card)),
                element("td", {}, row.picture), element("td", {}, row.number), row.left, row.partner))));

        function choose() {
            const count = MODELS.find(one => one.value === model.value).heads;
            heads = Array.from({ length: count }, (_, h) => {
                const input = element("input", { type: "checkbox", checked: true, oninput: switched });
                const map = figure.heatmap({
                    rows: CARDS, columns: CARDS, values: CARDS.map(() => CARDS.map(() => null)),
                    title: t("Head {0}", h), range: [0, 1],
                    told: (...of) => t("card that asks: {0}, card attended to: {1}, weight {2}", ...of),
                });
                return { input, map };
            });
            switches.replaceChildren(...heads.map(({ input }, h) =>
                element("label", { class: "live-switch" }, input, t("head {0}", h))));
            maps.replaceChildren(...heads.map(({ map }) => map));
            head = ask(t("head"), heads.map((_, h) => ({ value: h, label: String(h) })));
            choices.replaceChildren(head.element, card.element);
        }
        async function deal() {
            ({ pictures, numbers } = await figure.ask({ deal: { circle } }));
            await show();
        }
        // The same heads on all circles: what the cards say does not matter. Until
        // the newest question is answered, what is there belongs to another.
        let asked = 0;
        async function compare() {
            const mine = asked += 1;
            totals.setAttribute("aria-busy", "true");
            const on = heads.map(({ input }) => input.checked);
            const { loss, accuracy } = await figure.ask({ compare: { model: model.value, on } }, "totals");
            if (mine === asked) {
                totals.removeAttribute("aria-busy");
                totals.update({
                    caption: t("The same heads on 256 circles"),
                    head: ["", t("loss"), t("right answers")],
                    rows: [t("left neighbour’s number"), t("partner’s number")].map((name, i) =>
                        [name, number(loss[i], 3), number(accuracy[i], 3)]),
                });
            }
        }
        async function show() {
            const on = heads.map(({ input }) => input.checked);
            const shown = heads;
            const names = pictures.map((picture, i) => `${i} ${PICTURES[picture]}`);
            const play = { model: model.value, pictures: [...pictures], numbers: [...numbers], on };
            const answer = await figure.ask({ play });
            const verdict = ({ answers, probabilities, right }, card) => {
                const mark = answers[card] === right[card] ? "✓" : t("✗ not {0}", right[card]);
                return t("{0} {1} ({2})", answers[card], mark, number(probabilities[card]));
            };
            rows.forEach((row, card) => {
                row.picture.value = play.pictures[card];
                row.number.value = play.numbers[card];
                row.left.textContent = verdict(answer.left, card);
                row.partner.textContent = verdict(answer.partner, card);
            });
            shown.forEach(({ map }, h) => map.update(answer.weights[h], {
                rows: names, columns: names, title: on[h] ? t("Head {0}", h) : t("Head {0}, off", h),
            }));
            inspect();
            const count = ({ answers, right }) => answers.filter((one, i) => one === right[i]).length;
            figure.say(t("Right for this circle: {0} of 8 left neighbours, {1} of 8 partners.",
                count(answer.left), count(answer.partner)));
        }
        choose();
        await deal();
        figure.guarded(compare)(); // the figure need not wait for it
    },
};
