// A side page of section 10.7: the reader begins a story, and the language model
// goes on with it.

import { bar, element, number } from "./controls.js";
import { heads, most } from "./heads.js";
import { parts, t } from "./words.js";

// Letters of a line.
const LINE = 72;

export const figures = {
    async story(figure) {
        const { words } = await figure.ask({ words: {} });
        const chosen = { layer: 1, head: 2 };
        let [written, seed, running] = [[], 0, false];
        let answer;

        const beginning = figure.text(
            {
                label: t("beginning of a story"), value: "One day the mole", list: words, maxlength: 400,
                examples: ["One day the mole", "One day the duck", "In the morning"],
            }, restart);
        const temperature = figure.slider(
            { label: t("temperature"), min: 0, max: 2, step: 0.1, value: 0.5 }, () => next());
        const one = figure.button(t("One token"), () => step());
        const line = figure.button(t("A whole line"), whole);
        figure.button(t("Another story"), () => {
            seed += 1;
            return restart();
        });

        const text = element("p", { class: "live-text" });
        const table = figure.table();
        table.classList.add("live-bars");
        const cache = element("p", {});
        const maps = heads({
            title: t("Causal attention"), chosen,
            told: (...of) => t("after {0}, attends to {1}, weight {2}", ...of),
            onChoice: () => draw(),
        });
        const newest = element("p", {});
        figure.result.append(text, table, cache, newest, maps);

        function restart() {
            [written, running] = [[], false];
            return next();
        }

        async function next(about) {
            answer = await figure.ask({
                next: { beginning: beginning.value, written, temperature: temperature.value, seed },
            }, about);
            draw();
            const { token, probability } = answer.sampled;
            figure.say(running ? "" : t("Next: {0}, drawn with a probability of {1}.",
                token, number(probability)), true);
        }

        async function step() {
            if (!answer.ended) {
                written = [...written, answer.sampled.token];
                await next("a step");
            }
        }

        // Token by token, so that the reader sees it written; pressed again, it stops.
        async function whole() {
            if (running) {
                running = false;
                return;
            }
            running = true;
            line.input.textContent = t("Stop");
            const start = answer.text.length;
            try {
                while (running && !figure.closed && !answer.ended && answer.text.length - start < LINE) {
                    figure.progress(answer.text.length - start, LINE);
                    await step();
                    await new Promise(done => setTimeout(done, 40));
                }
            } finally {
                running = false;
                line.input.textContent = t("A whole line");
                figure.progress();
            }
            figure.say(answer.text, true);
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
            const largest = Math.max(...listed.map(one => one.probability));
            table.update({
                caption: t("The ten tokens with most probability"),
                head: [t("token"), t("probability"), t("relative to the largest")],
                rows: listed.map(({ token, probability }) => [
                    token === sampled.token
                        ? element("span", {}, ...parts("{0} ◂ drawn", element("mark", {}, token)))
                        : token,
                    number(probability, 3), bar(probability / largest),
                ]),
            });
            const kept = [
                ...[numbers, numbers / cached * 128].map(count => count.toLocaleString("en")),
                computed === 0 ? t("none") : computed,
            ];
            cache.textContent = cached === 1
                ? t("Cache: keys and values of 1 position in 2 layers, {0} numbers of {1}; computed for this token: {2}.", ...kept)
                : t("Cache: keys and values of {0} positions in 2 layers, {1} numbers of {2}; computed for this token: {3}.", cached, ...kept);
            const rows = shown;
            const { layer, head } = chosen;
            const last = rows.length - 1;
            const place = [rows[last], layer + 1, head + 1, most(answer.weights[layer][head][last], rows)];
            newest.textContent = cached > rows.length
                ? t("After “{0}”, layer {1}, head {2}: attends to {3}. Of the {4} tokens the last {5} are shown.", ...place, cached, rows.length)
                : t("After “{0}”, layer {1}, head {2}: attends to {3}.", ...place);
            maps.update(answer.weights, { rows, columns: rows, marked: { rows: [last] } });
        }
        await next();
    },
};
