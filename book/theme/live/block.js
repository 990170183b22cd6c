// One token on its way through one block of the Transformer, stage by stage, as in
// Figure 10.7.3. A stage names its functions, and leads to their listings.

import { bar, element, number } from "./controls.js";
import { strip, weighed } from "./strips.js";
import { parts, t } from "./words.js";

const LISTINGS = {
    "TokenEmbedding::forward": "#embedding",
    "EncoderBlock::forward": "#encoder",
    "DecoderBlock::forward": "#decoder",
    "MultiHeadAttention::attend": "ch10_5.html#the-layer",
    "MultiHeadAttention::project_kv": "ch10_5.html#the-layer",
    merge_heads: "ch10_5.html#cutting-rows",
    DotProductAttention: "ch10_3.html#scaled-dot-product",
    masked_softmax: "ch10_3.html#masked-softmax",
    attend: "ch10_3.html#from-scores-to-the-output",
    "Residual::forward": "#residual",
    "LayerNorm::forward": "#layer-norm",
    "FeedForward::forward": "#feed-forward",
    "OutputLayer::logits": "seq2seq.html#masked-loss",
};

const listing = name => element("a", { href: LISTINGS[name] }, element("code", {}, name));

// What all stages are made of: a name, its functions, a sentence, and drawings.
function attention(figure, one, name, head) {
    const { x, tokens, allowed, heads, attended: a, sum, norm } = one;
    const { query, keys, values, found } = one.head;
    const seen = list => list.filter((_, i) => allowed[i]); // padding is in the next stage
    const of = [query, ...seen(keys), ...seen(values), found, heads];
    const wide = [x, a, sum, norm];
    return [
        [t("{0}: query, keys and values of head {1}", name, head), ["MultiHeadAttention::attend", "MultiHeadAttention::project_kv"],
            t("The row of the token makes the query q. Each row that is attended to makes a key k and a value v."), [
                strip("q", [query], { of }),
                strip("k", seen(keys), { of, names: seen(tokens) }),
                strip("v", seen(values), { of, names: seen(tokens) }),
            ]],
        [t("{0}: from products to weights", name), ["DotProductAttention", "masked_softmax"],
            t("The query times each key, divided by √{0}. What is masked gets the weight 0; the softmax makes the others sum to 1.",
                query.length), [weighed(figure, { ...one.head, tokens, allowed })]],
        [t("{0}: weights times values", name), ["attend"],
            t("What the head finds is the mean of the values, weighted."), [strip(t("head {0}", head), [found], { of })]],
        [t("{0}: all heads, times W_o", name), ["merge_heads", "MultiHeadAttention::attend"],
            t("What the heads find stands side by side. W_o makes of it the correction a."), [
                strip(t("all heads"), [heads], { of }), strip("a", [a], { of: wide }),
            ]],
        [t("{0}: residual connection and norm", name), ["Residual::forward", "LayerNorm::forward"],
            t("The correction is added to the row, and the sum is normalised: z."), [
                strip("x", [x], { of: wide }), strip("x + a", [sum], { of: wide }),
                strip("z = norm(x + a)", [norm], { of: wide }),
            ]],
    ];
}

function network({ hidden, made, sum, norm }, z) {
    const of = [z, made, sum, norm];
    const on = hidden.filter(value => value > 0).length;
    return [
        [t("Network: the hidden units"), ["FeedForward::forward"],
            t("Of z it makes {0} hidden units. {1} of them are on; the ReLU has set the others to 0.", hidden.length, on),
            [strip(t("hidden units"), [hidden])]],
        [t("Network: what they make"), ["FeedForward::forward"],
            t("The hidden units that are on make the correction f."), [strip("f", [made], { of })]],
        [t("Network: residual connection and norm"), ["Residual::forward", "LayerNorm::forward"],
            t("This row leaves the block."), [
                strip("z + f", [sum], { of }), strip("norm(z + f)", [norm], { of }),
            ]],
    ];
}

function next(figure, likeliest) {
    const most = likeliest[0].probability;
    const table = figure.table({
        head: [t("token"), t("probability"), t("relative to the largest")],
        rows: likeliest.map(({ token, probability }) =>
            [token, number(probability, 4), bar(probability / most)]),
    });
    table.classList.add("live-bars");
    return [t("The ten likeliest next tokens"), ["OutputLayer::logits"],
        t("The output layer makes of the row a logit for each token; the softmax makes them probabilities."), [table]];
}

// The element that is given back has update(question, token), of the row of a token:
// it is asked once it is open. ask(question) answers as
// book/live/src/ch10_7_block.rs does.
export function way(figure, ask) {
    const name = element("summary", {});
    const stages = element("div", { class: "live-stages" });
    const box = element("details", { class: "live-way", ontoggle: figure.guarded(show) }, name, stages);
    const open = new Set([1, 2]); // the stages that the reader sees
    let [question, shown] = [null, null];

    async function show() {
        if (!box.open || shown === question) {
            return;
        }
        const asked = question;
        const { layer, head, written } = asked;
        const answer = await ask(asked);
        shown = asked;
        const { attentions, network: last, token } = answer;
        const block = written ? "DecoderBlock::forward" : "EncoderBlock::forward";
        const names = [t("Self-attention"), t("Cross-attention")];
        const first = layer ? block : "TokenEmbedding::forward";
        const all = [
            [t("The row of “{0}”", token), [first],
                layer ? t("This is the output of layer {0}.", layer) : t("This is the output of the embedding."),
                [strip("x", [attentions[0].x])]],
            ...attentions.flatMap((one, i) => attention(figure, one, names[i], head + 1)),
            ...network(last, attentions.at(-1).norm),
            ...(answer.next.length ? [next(figure, answer.next)] : []),
        ];
        stages.replaceChildren(
            element("p", {}, ...parts("{0} computes this layer.", listing(block))),
            ...all.map(([title, functions, text, drawings], i) => element("details", {
                open: open.has(i),
                ontoggle: event => (event.target.open ? open.add(i) : open.delete(i)),
            },
            element("summary", {}, title),
            element("p", {}, text, " ", ...functions.flatMap((one, n) => [n ? ", " : "", listing(one)])),
            ...drawings)));
    }

    box.update = figure.guarded((asked, token) => {
        question = asked;
        const values = [asked.layer + 1, asked.head + 1, token];
        name.textContent = asked.written
            ? t("Inside layer {0}, head {1}: from “{2}” to the next token", ...values)
            : t("Inside layer {0}, head {1}: the row of “{2}”", ...values);
        return show();
    });
    return box;
}
