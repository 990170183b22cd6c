//! Elision and contraction: refuses « je ai » and « à le parc », and takes
//! « l'école » and « au » apart for the reader.

type Read<T> = Result<T, String>;

/// Words that may not stand whole before a vowel.
const OPEN: [&str; 8] = ["je", "ne", "le", "la", "de", "que", "me", "te"];

/// Whether the sound of a vowel begins the word.
pub fn vowel(word: &str) -> bool {
    word.chars().next().is_some_and(|c| "aeéêiouyh".contains(c))
}

/// The full words of a sentence.
pub fn apart(text: &str) -> Read<Vec<String>> {
    let mut words: Vec<String> = Vec::new();
    for token in corpus::tokens(text) {
        let (short, rest) = token.split_once('\'').unwrap_or(("", &token));
        let whole = whole(short, rest)?;
        let last = words.last().map_or("", String::as_str);
        if short.is_empty() && vowel(rest) && OPEN.contains(&last) {
            return Err(format!("elision: {last} {rest}"));
        }
        if matches!((last, rest), ("à" | "de", "le" | "les")) {
            return Err(format!("contraction: {last} {rest}"));
        }
        let parts: &[&str] = match rest {
            "au" => &["à", "le"],
            "aux" => &["à", "les"],
            "du" => &["de", "le"],
            _ => &[&whole, rest],
        };
        let parts = parts.iter().filter(|part| !part.is_empty());
        words.extend(parts.map(|part| part.to_string()));
    }
    Ok(words)
}

/// The word that an apostrophe shortens; « l' » stays as it is.
fn whole(short: &str, rest: &str) -> Read<String> {
    match short {
        "" => Ok(String::new()),
        "c" if rest == "est" => Ok("ce".to_string()),
        "l" if vowel(rest) => Ok("l'".to_string()),
        "j" | "n" | "d" | "m" | "t" | "qu" if vowel(rest) => Ok(format!("{short}e")),
        _ => Err(format!("elision: {short}'{rest}")),
    }
}
