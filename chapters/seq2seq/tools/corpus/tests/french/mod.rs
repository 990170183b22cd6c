//! The French of the corpus, checked by a second implementation: a lexicon
//! whose forms are made by rule, and a reader that knows the rules of
//! agreement, elision and negation. It shares nothing with the grammar that
//! wrote the sentences but the text.

mod complements;
mod elision;
mod lexicon;
mod nouns;
mod reader;

use lexicon::Lexicon;
use reader::Reader;
use std::collections::BTreeMap;

/// The words of an English sentence that say something of their own.
fn english(text: &str) -> Vec<String> {
    let empty = ["the", "a", "an", "am", "is", "are", "do", "does"];
    let said = corpus::tokens(text).into_iter().filter(|word| {
        !empty.contains(&word.as_str()) && word.starts_with(char::is_alphabetic)
    });
    said.map(|word| base(&word)).collect()
}

fn base(word: &str) -> String {
    match word {
        "dancing" => "dance".to_string(),
        "goes" => "go".to_string(),
        "has" => "have".to_string(),
        "king" | "sing" => word.to_string(),
        "sees" | "likes" | "wants" => word[..word.len() - 1].to_string(),
        _ => word.strip_suffix("ing").unwrap_or(word).to_string(),
    }
}

/// Takes every English word from what the French means; nothing may remain
/// on either side.
fn same(english: &[String], mut meaning: Vec<String>) -> Result<(), String> {
    for word in english {
        let means = |m: &String| m.split('|').any(|m| m == word);
        match meaning.iter().position(means) {
            Some(i) => drop(meaning.remove(i)),
            None => return Err(format!("« {word} » is not in the French")),
        }
    }
    match meaning.is_empty() {
        true => Ok(()),
        false => Err(format!("{meaning:?} is not in the English")),
    }
}

/// What is wrong with a pair, if anything.
fn mistake(lexicon: &Lexicon, pair: [&str; 2]) -> Option<String> {
    let read = Reader::read(lexicon, pair[1]);
    let all = read.and_then(|means| same(&english(pair[0]), means));
    all.err().map(|error| format!("{} | {} | {error}", pair[0], pair[1]))
}

#[test]
fn every_sentence_is_correct_french_and_says_the_same() {
    let lexicon = Lexicon::new();
    for pair in corpus::pairs() {
        assert_eq!(mistake(&lexicon, [pair.english, pair.french]), None);
    }
}

/// The grammar, and not only what the corpus took from it.
#[test]
fn other_sentences_of_the_grammar_are_correct_too() {
    let lexicon = Lexicon::new();
    let mut translations = BTreeMap::new();
    for pair in corpus::pairs() {
        translations.insert(pair.english.to_string(), pair.french.to_string());
    }
    for entry in corpus::entries_from(1) {
        assert_eq!(mistake(&lexicon, [&entry.english, &entry.french]), None);
        let before = translations.insert(entry.english, entry.french.clone());
        assert_eq!(before.unwrap_or(entry.french.clone()), entry.french);
    }
}

#[test]
fn the_reader_refuses_mistakes() {
    let lexicon = Lexicon::new();
    for (right, wrong) in MISTAKES {
        assert_eq!(Reader::read(&lexicon, right).err(), None);
        assert!(Reader::read(&lexicon, wrong).is_err(), "{wrong}");
    }
}

/// A correct sentence, and one with a mistake of each kind.
#[rustfmt::skip]
const MISTAKES: &[(&str, &str)] = &[
    // Agreement.
    ("La voiture rouge est neuve.", "La voiture rouge est neuf."),
    ("La voiture rouge est neuve.", "Le voiture rouge est neuve."),
    ("La voiture rouge est neuve.", "La voiture rouges est neuve."),
    ("La voiture rouge est neuve.", "La voiture rouge sont neuve."),
    ("Les filles sont heureuses.", "Les filles sont heureux."),
    ("Les chevaux sont noirs.", "Les chevals sont noirs."),
    ("Nous mangeons.", "Nous mangons."),
    ("Tu vois le chien.", "Tu voit le chien."),
    ("Je suis triste.", "Je suis heureux."),
    ("Les filles, vous êtes petites.", "Les filles, vous êtes petits."),
    ("Les filles, vous êtes petites.", "Les filles, tu es petite."),
    ("Marie, ouvre la porte !", "Marie, ouvrez la porte !"),
    ("Ce sont mes clés.", "C'est mes clés."),
    // Words that look at the sound of the next.
    ("Mon école est grande.", "Ma école est grande."),
    ("Cet arbre est grand.", "Ce arbre est grand."),
    ("C'est un bel arbre.", "C'est un beau arbre."),
    ("C'est un beau chien.", "C'est un bel chien."),
    ("J'ai faim.", "Je ai faim."),
    ("L'école est ouverte.", "La école est ouverte."),
    ("Le livre est ouvert.", "L'livre est ouvert."),
    ("Elle n'est pas triste.", "Elle ne est pas triste."),
    ("Est-ce qu'il dort ?", "Est-ce que il dort ?"),
    ("Nous allons au parc.", "Nous allons à le parc."),
    ("Nous allons à l'hôtel.", "Nous allons au hôtel."),
    ("Le chat du roi dort.", "Le chat de le roi dort."),
    // Order.
    ("La grande maison est noire.", "La maison grande est noire."),
    ("La maison noire est grande.", "La noire maison est grande."),
    ("Je ne les vois pas.", "Je ne vois les pas."),
    // Negation.
    ("Je ne vois pas le chien.", "Je vois pas le chien."),
    ("Je ne vois pas le chien.", "Je ne vois le chien."),
    ("Je n'ai pas de voiture.", "Je n'ai pas une voiture."),
    ("Il n'a pas d'avions.", "Il n'a pas des avions."),
    ("Ce n'est pas un chien.", "Ce n'est pas de chien."),
    ("J'ai une voiture.", "J'ai de voiture."),
    ("J'ai de grands chiens.", "J'ai des grands chiens."),
    ("J'ai des chiens noirs.", "J'ai de chiens noirs."),
    (
        "La maison est petite mais elle est belle.",
        "La maison est petite mais il est beau.",
    ),
];
