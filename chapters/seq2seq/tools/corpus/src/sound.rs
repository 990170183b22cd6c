//! The rules of sound, applied to whole sentences at the very end. Until
//! then French is written in full words (« je ne ai pas de avion ») and
//! English without "an".

/// Whether a French word begins with the sound of a vowel. An h counts:
/// every h in the word list is mute; so does the « y » of « il y a ».
pub fn vowel(word: &str) -> bool {
    word.starts_with(['a', 'e', 'i', 'o', 'u', 'y', 'h', 'é', 'ê'])
}

/// Words that lose their last letter before a vowel.
const SHORTENED: &[&str] = &["je", "ne", "le", "la", "de", "que", "me", "te"];

/// « à le » → « au », « de le » → « du », « à les » → « aux »; not before
/// a vowel, where « le » is shortened instead.
fn contracted(words: &[&str]) -> Option<&'static str> {
    match *words {
        ["à", "le", next, ..] if !vowel(next) => Some("au"),
        ["de", "le", next, ..] if !vowel(next) => Some("du"),
        ["à", "les", ..] => Some("aux"),
        _ => None,
    }
}

/// French as it is written: contracted, then shortened.
pub fn french(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut joined: Vec<&str> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let whole = contracted(&words[at..]);
        joined.push(whole.unwrap_or(words[at]));
        at += if whole.is_some() { 2 } else { 1 };
    }
    let mut out = String::new();
    for (i, word) in joined.iter().enumerate() {
        let next = joined.get(i + 1).copied().unwrap_or_default();
        let short =
            SHORTENED.contains(word) && vowel(next) || (*word, next) == ("ce", "est");
        out.push_str(if short { &word[..word.len() - 1] } else { word });
        out.push(if short { '\'' } else { ' ' });
    }
    capital(out.trim_end())
}

/// English as it is written: "a apple" → "an apple".
pub fn english(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut out: Vec<&str> = words.clone();
    for (i, pair) in words.windows(2).enumerate() {
        if pair[0] == "a" && pair[1].starts_with(['a', 'e', 'i', 'o']) {
            out[i] = "an";
        }
    }
    capital(&out.join(" "))
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}
