// A side page of section 10.7: the reader begins a story, and the language model
// goes on with it.

import { element, number } from "./controls.js";
import { heads, most } from "./heads.js";

// Letters of a line.
const LINE = 72;

export const figures = {
    async story(figure) {
        const { words } = await figure.ask({ words: {} }, { keep: true });
        const chosen = { layer: 1, head: 2 };
        let [written, seed, running] = [[], 0, false];
        let answer;

        const beginning = figure.text(
            {
                label: "beginning of a story", value: "One day the mole", list: words, maxlength: 400,
                examples: ["One day the mole", "One day the duck", "In the morning"],
            }, restart);
        const temperature = figure.slider(
            { label: "temperature", min: 0, max: 2, step: 0.1, value: 0.5 }, next);
        const one = figure.button("One token", () => step());
        const line = figure.button("A whole line", whole);
        figure.button("Another story", () => {
            seed += 1;
            return restart();
        });

        const text = element("p", { class: "live-text" });
        const bars = element("tbody", {});
        const table = element("table", { class: "live-table live-bars" },
            element("caption", {}, "The ten tokens with most probability"),
            element("thead", {}, element("tr", {},
                element("th", { scope: "col" }, "token"), element("th", { scope: "col" }, "probability"),
                element("td"))),
            bars);
        const cache = element("p", {});
        const maps = heads({
            title: "Causal attention", chosen,
            names: { row: "after", column: "attends to" },
            onChoice: () => draw(),
        });
        const newest = element("p", {});
        figure.result.append(text, table, cache, newest, maps);

        function restart() {
            [written, running] = [[], false];
            return next();
        }

        async function next() {
            answer = await figure.ask({
                next: { beginning: beginning.value, written, temperature: temperature.value, seed },
            });
            draw();
            figure.say(running ? "" : `Next: ${answer.sampled.token}, drawn with a probability of `
                + `${number(answer.sampled.probability)}.`);
        }

        async function step() {
            if (!answer.ended) {
                written = [...written, answer.sampled.token];
                await next();
            }
        }

        // Token by token, so that the reader sees it written; pressed again, it stops.
        async function whole() {
            if (running) {
                running = false;
                return;
            }
            running = true;
            line.input.textContent = "Stop";
            const start = answer.text.length;
            try {
                while (running && !figure.closed && !answer.ended && answer.text.length - start < LINE) {
                    figure.progress(answer.text.length - start, LINE);
                    await step();
                    await new Promise(done => setTimeout(done, 40));
                }
            } finally {
                running = false;
                line.input.textContent = "A whole line";
                figure.progress();
            }
            figure.say(answer.text);
        }

        function draw() {
            const { sampled, likeliest, cached, computed, numbers, ended, shown } = answer;
            const drawn = sampled.token === "<eos>"
                ? [" ", element("mark", {}, "<eos>")]
                : [element("mark", {}, answer.longer.slice(answer.text.length))];
            text.replaceChildren(answer.text, ...drawn);
            one.input.disabled = line.input.disabled = ended;
            const listed = likeliest.some(({ token }) => token === sampled.token)
                ? likeliest : [...likeliest, sampled];
            bars.replaceChildren(...listed.map(({ token, probability }) => {
                const is = token === sampled.token;
                return element("tr", is ? { class: "live-drawn" } : {},
                    element("th", { scope: "row" }, token, ...(is ? [" ◂ drawn"] : [])),
                    element("td", {}, number(probability, 3)),
                    element("td", {}, element("span", {
                        class: "live-bar", style: `width: ${(100 * probability).toFixed(1)}%`,
                    })));
            }));
            const positions = `${cached} position${cached === 1 ? "" : "s"}`;
            cache.textContent = `Cache: keys and values of ${positions} in 2 layers, `
                + `${numbers.toLocaleString("en")} numbers of ${(numbers / cached * 128).toLocaleString("en")}; `
                + `computed for this token: ${computed === 0 ? "none" : computed}.`;
            const rows = shown;
            const { layer, head } = chosen;
            const last = rows.length - 1;
            newest.textContent = `After “${rows[last]}”, layer ${layer + 1}, head ${head + 1}: attends to `
                + `${most(answer.weights[layer][head][last], rows)}.`
                + (cached > rows.length ? ` Of the ${cached} tokens the last ${rows.length} are shown.` : "");
            maps.update(answer.weights, { rows, columns: rows, marked: { rows: [last] } });
        }
        await next();
    },
};
