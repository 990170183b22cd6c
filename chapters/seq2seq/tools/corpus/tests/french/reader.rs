//! Reads a French sentence word by word, and refuses it at the first word
//! that a rule of agreement, elision or negation does not allow. What it
//! understood comes out as English words, in no order.

use super::elision::apart;
use super::lexicon::{Lexicon, Verb};

pub type Read<T> = Result<T, String>;

/// Person 0 to 5 as in je, tu, il, nous, vous, ils; feminine, if one knows.
#[derive(Clone, Copy)]
pub struct Who {
    pub person: usize,
    pub feminine: Option<bool>,
}

const ME: [&str; 6] = ["je", "tu", "il", "nous", "vous", "ils"];

/// A sentence being read.
pub struct Reader<'a> {
    pub lexicon: &'a Lexicon,
    words: Vec<String>,
    pub at: usize,
    /// The English words that the French ones ask for; `|` separates
    /// alternatives.
    pub meaning: Vec<String>,
}

impl<'a> Reader<'a> {
    /// The English words that a correct sentence asks for.
    pub fn read(lexicon: &'a Lexicon, text: &str) -> Read<Vec<String>> {
        let (words, at, meaning) = (apart(text)?, 0, Vec::new());
        let mut reader = Reader { lexicon, words, at, meaning };
        reader.sentence().map_err(|error| {
            let read = reader.words[..reader.at].join(" ");
            format!("{text}: after « {read} »: {error}")
        })?;
        Ok(reader.meaning)
    }

    pub fn peek(&self, ahead: usize) -> &str {
        self.words.get(self.at + ahead).map_or("", String::as_str)
    }

    pub fn next(&mut self) -> String {
        let word = self.peek(0).to_string();
        self.at += 1;
        word
    }

    pub fn accept(&mut self, words: &[&str]) -> bool {
        let found = (0..words.len()).all(|i| self.peek(i) == words[i]);
        self.at += if found { words.len() } else { 0 };
        found
    }

    pub fn expect(&mut self, word: &str) -> Read<()> {
        let found = self.accept(&[word]);
        found.then_some(()).ok_or(format!("« {word} » is missing"))
    }

    pub fn mean(&mut self, words: &str) {
        self.meaning.extend(words.split(' ').map(str::to_string));
    }

    fn sentence(&mut self) -> Read<()> {
        let call = self.call()?;
        match self.words.last().map_or("", String::as_str) {
            "!" => self.command(call)?,
            "?" => {
                let asks = self.accept(&["est-ce", "que"]);
                asks.then_some(()).ok_or("no « est-ce que »")?;
                self.clause(call)?;
            }
            _ => {
                let first = self.clause(call)?;
                self.second(first)?;
            }
        }
        self.at += 1;
        let whole = self.at == self.words.len();
        whole.then_some(()).ok_or_else(|| self.peek(0).to_string())
    }

    /// « Les filles, »; « Paul, »
    fn call(&mut self) -> Read<Option<Who>> {
        if self.peek(1) != "," && self.peek(2) != "," {
            return Ok(None);
        }
        let who = self.somebody()?;
        self.expect(",")?;
        Ok(Some(Who { person: who.person - 1, ..who }))
    }

    fn command(&mut self, call: Option<Who>) -> Read<()> {
        let negated = self.accept(&["ne"]);
        let several = call.is_some_and(|who| who.person == 4);
        let word = self.next();
        let verbs = self.lexicon.verbs.iter();
        let form = |verb: &&Verb| verb.command[usize::from(several)] == word;
        let verb = { verbs }.find(form).ok_or(format!("order {word}"))?;
        self.pas(negated)?;
        self.mean(&verb.english);
        self.complement(verb, Who { person: 1, feminine: None }, negated)
    }

    /// « mais elle est belle »; « parce qu'ils ont faim »
    fn second(&mut self, first: Who) -> Read<()> {
        let join = match () {
            () if self.accept(&["mais"]) => "but",
            () if self.accept(&["parce", "que"]) => "because",
            () => return Ok(()),
        };
        self.mean(join);
        let second = self.clause(None)?;
        let same = second.person == first.person && second.feminine == first.feminine;
        same.then_some(()).ok_or("another subject".to_string())
    }

    fn clause(&mut self, call: Option<Who>) -> Read<Who> {
        let mut who = self.subject()?;
        if let Some(called) = call {
            let same = called.person == who.person;
            who = same.then_some(called).ok_or("tu or vous?")?;
        }
        if self.accept(&["ce"]) {
            return self.presentation();
        }
        let negated = self.accept(&["ne"]);
        let pronoun = self.clitic();
        let word = self.next();
        let mut verbs = self.lexicon.verbs.iter();
        let verb = verbs.find(|verb| verb.present[who.person] == word);
        let verb = verb.ok_or(format!("« {word} »"))?;
        self.pas(negated)?;
        match pronoun.as_str() {
            "y" => self.there(who, &word)?,
            "" => {
                self.verb(verb);
                self.complement(verb, who, negated)?;
            }
            _ => self.verb(verb),
        }
        Ok(who)
    }

    /// « c'est », « ce ne sont pas »
    fn presentation(&mut self) -> Read<Who> {
        let negated = self.accept(&["ne"]);
        let verb = self.next();
        self.pas(negated)?;
        let what = self.noun_phrase(false)?;
        let several = usize::from(what.person == 5);
        self.mean(["this", "these"][several]);
        let right = verb == ["est", "sont"][several];
        if right { Ok(what) } else { Err(verb) }
    }

    /// « pas » where « ne » was, and only there.
    fn pas(&mut self, negated: bool) -> Read<()> {
        if negated {
            self.mean("not");
            self.expect("pas")?;
        }
        Ok(())
    }

    /// « être » and « avoir » mean what their complement means.
    fn verb(&mut self, verb: &Verb) {
        if !["être", "avoir"].contains(&verb.infinitive.as_str()) {
            self.mean(&verb.english);
        }
    }

    fn there(&mut self, who: Who, verb: &str) -> Read<()> {
        if (who.person, verb) != (2, "a") {
            return Err("« il y a »".to_string());
        }
        self.meaning.retain(|word| word != "he|it");
        self.mean("there");
        self.noun_phrase(false)?;
        self.place().map(|_| ())
    }

    fn subject(&mut self) -> Read<Who> {
        if self.peek(0) == "ce" && ["ne", "est", "sont"].contains(&self.peek(1)) {
            return Ok(Who { person: 2, feminine: None });
        }
        let said = ["i", "you", "he|it", "we", "you", "they"];
        let word = self.peek(0).to_string();
        let (person, feminine, means) = match word.as_str() {
            "elle" => (2, Some(true), "she|it"),
            "elles" => (5, Some(true), "they"),
            _ => match ME.iter().position(|me| *me == word) {
                Some(i) => (i, [None, Some(false)][usize::from(i % 3 == 2)], said[i]),
                None => return self.somebody(),
            },
        };
        self.at += 1;
        self.mean(means);
        Ok(Who { person, feminine })
    }

    /// A name or a noun phrase.
    pub fn somebody(&mut self) -> Read<Who> {
        for (name, feminine) in [("paul", false), ("marie", true)] {
            if self.accept(&[name]) {
                self.mean(name);
                return Ok(Who { person: 2, feminine: Some(feminine) });
            }
        }
        self.noun_phrase(false)
    }

    fn clitic(&mut self) -> String {
        let means = match self.peek(0) {
            "me" => "me",
            "te" => "you",
            "le" => "him",
            "la" => "her",
            "nous" => "us",
            "les" => "them",
            "y" => "",
            _ => return String::new(),
        };
        self.meaning.extend({ !means.is_empty() }.then(|| means.to_string()));
        self.next()
    }
}
