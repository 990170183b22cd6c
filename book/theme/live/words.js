// What a reader sees or hears, in the language of the page. The English text is
// the key; {0}, {1} … in it stand for values.

// A Chinese page loads words.zh.js before anything else, which fills them in. Nothing
// is awaited here: WebKit fails where two modules import at once one that awaits
// (https://bugs.webkit.org/show_bug.cgi?id=242740).
const tables = { words: {}, errors: {} };
export const speak = read => Object.assign(tables, read);

// A text piece by piece: its values may be elements.
export const parts = (text, ...values) =>
    (tables.words[text] ?? text).split(/\{(\d)\}/).map((part, i) => (i % 2 ? values[part] : part));

export const t = (text, ...values) => parts(text, ...values).join("");

const literal = text => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

// What is wrong: an English line of a module or a worker. Its values are filled in
// already, and it is found by what stands around them; a value may be such a line again.
export function wrong(line) {
    for (const [english, text] of Object.entries(tables.errors)) {
        const around = english.split(/\{\d\}/).map(literal).join("(.+)");
        const found = line.match(new RegExp(`^${around}$`));
        if (found) {
            return text.replace(/\{(\d)\}/g, (_, i) => wrong(found[Number(i) + 1]));
        }
    }
    return line.replace(/(^|\W)-(?=\d)/g, "$1\u2212");
}
