// What a reader sees or hears, in the language of the page. The English text is
// the key; {0}, {1} … in it stand for values.

const chinese = document.documentElement.lang.startsWith("zh");
const { words = {}, wrong = text => text } = chinese ? await import("./words.zh.js") : {};

// A text piece by piece: its values may be elements.
export const parts = (text, ...values) =>
    (words[text] ?? text).split(/\{(\d)\}/).map((part, i) => (i % 2 ? values[part] : part));

export const t = (text, ...values) => parts(text, ...values).join("");

// What is wrong: an English line of a module or a worker, its values filled in.
export { wrong };
