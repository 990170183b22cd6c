// Section 10.5: the game of pairs, dealt, played, and played with heads off.

import { element, number } from "./controls.js";

const CARDS = [0, 1, 2, 3, 4, 5, 6, 7];
const PICTURES = ["A", "B", "C", "D"];
const MODELS = [
    { value: "two", label: "two heads, trained", heads: 2 },
    { value: "one", label: "one head, trained", heads: 1 },
    { value: "four", label: "four heads, trained", heads: 4 },
    { value: "by_hand", label: "two heads, by hand", heads: 2 },
];

export const figures = {
    async game(figure) {
        let [circle, pictures, numbers] = [0, [], []];
        let heads = [];
        const model = figure.select({ label: "model", options: MODELS }, () => {
            choose();
            return both();
        });
        const switches = element("div", { class: "live-switches", role: "group", "aria-label": "Heads" });
        figure.controls.append(switches);
        figure.button("Deal", () => {
            circle = (circle + 1) % 256;
            return deal();
        });
        const cards = element("table", { class: "live-table live-cards" });
        const maps = element("div", { class: "live-pair" });
        const totals = figure.table({ head: [], rows: [] });
        const guarded = figure.guarded(show);
        const switched = figure.guarded(both);
        async function both() {
            await Promise.all([show(), compare()]);
        }
        figure.result.append(element("div", { class: "live-scroll" }, cards), maps, totals);

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
            picture: choice(`picture of card ${card}`, PICTURES, value => exchange(card, value)),
            number: choice(`number of card ${card}`, CARDS, value => {
                numbers[card] = value;
                return guarded();
            }),
            left: element("td", {}),
            partner: element("td", {}),
        }));
        cards.append(
            element("caption", {}, "The cards, and the numbers answered (with their probabilities)"),
            element("thead", {}, element("tr", {},
                ...["card", "picture", "number", "left", "partner"].map(text =>
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
                    title: `Head ${h}`, range: [0, 1],
                    names: { row: "card that asks:", column: "card attended to:" },
                });
                return { input, map };
            });
            switches.replaceChildren(...heads.map(({ input }, h) =>
                element("label", { class: "live-switch" }, input, `head ${h}`)));
            maps.replaceChildren(...heads.map(({ map }) => map));
        }
        async function deal() {
            ({ pictures, numbers } = await figure.ask({ deal: { circle } }));
            await show();
        }
        // The same heads on all circles: what the cards say does not matter.
        let asked = 0;
        async function compare() {
            const mine = asked += 1;
            totals.setAttribute("aria-busy", "true");
            // Not every box that is ticked on the way: the last.
            await new Promise(done => setTimeout(done, 200));
            if (mine !== asked) {
                return;
            }
            const on = heads.map(({ input }) => input.checked);
            const { loss, accuracy } = await figure.ask({ compare: { model: model.value, on } }, { keep: true });
            if (mine === asked) {
                totals.removeAttribute("aria-busy");
                totals.update({
                    caption: "The same heads on 256 circles",
                    head: ["", "loss", "right answers"],
                    rows: ["left neighbour’s number", "partner’s number"].map((name, i) =>
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
                const mark = answers[card] === right[card] ? "✓" : `✗ not ${right[card]}`;
                return `${answers[card]} ${mark} (${number(probabilities[card])})`;
            };
            rows.forEach((row, card) => {
                row.picture.value = play.pictures[card];
                row.number.value = play.numbers[card];
                row.left.textContent = verdict(answer.left, card);
                row.partner.textContent = verdict(answer.partner, card);
            });
            shown.forEach(({ map }, h) => map.update(answer.weights[h], {
                rows: names, columns: names, title: `Head ${h}${on[h] ? "" : ", off"}`,
            }));
            const count = ({ answers, right }) => answers.filter((one, i) => one === right[i]).length;
            figure.say(`Right for this circle: ${count(answer.left)} of 8 left neighbours, ` +
                `${count(answer.partner)} of 8 partners.`);
        }
        choose();
        await deal();
        figure.guarded(compare)(); // the figure need not wait for it
    },
};
