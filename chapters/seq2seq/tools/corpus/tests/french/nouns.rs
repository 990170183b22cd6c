//! The reader's noun phrases: determiner, adjectives, noun, owner.

use super::elision::vowel;
use super::lexicon::Adjective;
use super::reader::{Read, Reader, Who};

impl Reader<'_> {
    /// `no`: it is the object of a negated verb. « Pas de souris » may be
    /// one mouse or several: the second reading follows the first.
    pub fn noun_phrase(&mut self, no: bool) -> Read<Who> {
        let start = (self.at, self.meaning.clone());
        let one = self.noun_phrase_of(false, no);
        one.or_else(|_| {
            (self.at, self.meaning) = start;
            self.noun_phrase_of(true, no)
        })
    }

    fn noun_phrase_of(&mut self, many: bool, no: bool) -> Read<Who> {
        let determiner = self.next();
        let first = self.peek(0).to_string();
        let adjective = self.first_adjective();
        let before = adjective.is_some();
        let noun = self.peek(usize::from(before)).to_string();
        let (feminine, english) = self.noun(&noun, &determiner, many)?;
        let article = match determiner.as_str() {
            "un" | "une" => !no,
            "des" => !no && !before,
            "de" => no || many && before,
            _ => true,
        };
        if !article || !agrees(&determiner, &first, many, feminine) {
            return Err(format!("« {determiner} {first} »"));
        }
        let person = if many { 5 } else { 2 };
        let who = Who { person, feminine: Some(feminine) };
        self.before(who, adjective, &noun)?;
        self.mean(&english);
        self.at += 1;
        self.introduce(&determiner);
        self.after(who)?;
        Ok(who)
    }

    /// An adjective that may stand before a noun: what it means, and
    /// « bel », « nouvel » or « vieil » if it is one of these.
    fn first_adjective(&self) -> Option<(String, String)> {
        let first = self.peek(0).to_string();
        self.liaison().or_else(|| {
            let mut all = self.lexicon.adjectives.iter();
            let is = |a: &&Adjective| a.place.contains('b') && a.forms.contains(&first);
            all.find(is).map(|a| (a.english.clone(), String::new()))
        })
    }

    /// « bel », « nouvel », « vieil », with what they mean.
    fn liaison(&self) -> Option<(String, String)> {
        let word = self.peek(0);
        let mut all = self.lexicon.adjectives.iter();
        let found = all.find(|a| a.before_vowel.as_deref() == Some(word))?;
        Some((found.english.clone(), word.to_string()))
    }

    /// Its gender and its meaning.
    fn noun(&self, word: &str, with: &str, many: bool) -> Read<(bool, String)> {
        let form = usize::from(many);
        let mut nouns = self.lexicon.nouns.iter();
        let noun = nouns.find(|noun| noun.forms[form] == word);
        let noun = noun.ok_or(format!("noun « {word} »"))?;
        let same = noun.forms[0] == noun.forms[1] && with == "de";
        let english = match same {
            true => noun.english.join("|"),
            false => noun.english[form].clone(),
        };
        Ok((noun.feminine, english))
    }

    fn before(
        &mut self,
        who: Who,
        found: Option<(String, String)>,
        noun: &str,
    ) -> Read<()> {
        let Some((english, short)) = found else { return Ok(()) };
        let liaison = who.person == 2 && who.feminine == Some(false) && vowel(noun);
        if !short.is_empty() {
            self.at += 1;
            self.mean(&english);
            return liaison.then_some(()).ok_or(short);
        }
        let found = self.agreeing(who, "b")?;
        let wrong = liaison && found.before_vowel.is_some();
        if wrong { Err(format!("no liaison with {noun}")) } else { Ok(()) }
    }

    /// What a determiner other than an article means.
    fn introduce(&mut self, determiner: &str) {
        match determiner {
            "ce" | "cet" | "cette" => self.mean("this"),
            "ces" => self.mean("these"),
            "mon" | "ma" | "mes" => self.mean("my"),
            "ton" | "ta" | "tes" => self.mean("your"),
            "son" | "sa" | "ses" => self.mean("his|her"),
            "notre" | "nos" => self.mean("our"),
            _ => {}
        }
    }

    /// An adjective after the noun, then its owner.
    fn after(&mut self, who: Who) -> Read<()> {
        let stop = ["ne", "de", ",", "à", "dans", "sur", "sous", "devant", "derrière"];
        let word = self.peek(0).to_string();
        let mut all = self.lexicon.adjectives.iter();
        let known = all.any(|a| a.place.contains('a') && a.forms.contains(&word));
        if known && !stop.contains(&word.as_str()) {
            self.agreeing(who, "a")?;
        }
        if self.accept(&["de"]) {
            let from = self.meaning.len();
            self.somebody()?;
            let owner = self.meaning[from..].iter_mut();
            let noun = owner.filter(|word| *word != "my").last();
            noun.ok_or("owner")?.push_str("'s");
        }
        Ok(())
    }
}

/// Whether a determiner goes with a number and a gender, before a word.
fn agrees(determiner: &str, next: &str, many: bool, feminine: bool) -> bool {
    let sound = vowel(next);
    match determiner {
        "le" | "ce" => !many && !feminine && !sound,
        "la" | "ma" | "ta" | "sa" => !many && feminine && !sound,
        "l'" => !many && sound,
        "un" => !many && !feminine,
        "une" | "cette" => !many && feminine,
        "cet" => !many && !feminine && sound,
        "mon" | "ton" | "son" => !many && (!feminine || sound),
        "notre" => !many,
        "les" | "des" | "ces" | "mes" | "tes" | "ses" | "nos" => many,
        // « pas de » and « de grandes maisons »: the English tells which.
        "de" => true,
        _ => false,
    }
}
