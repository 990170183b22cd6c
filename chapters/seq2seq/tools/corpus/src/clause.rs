//! Clauses: a subject and a predicate, stated, denied or asked.

use crate::phrase::{Phrase, joined};
use crate::sound;
use crate::verbs::BE;
use crate::words::Verb;

/// What a clause does with what it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mood {
    /// She is singing. Elle chante.
    State,
    /// She is not singing. Elle ne chante pas.
    Deny,
    /// Is she singing? Est-ce qu'elle chante ?
    Ask,
}

/// How the English verb is said: it decides who says "not".
#[derive(Clone, Copy, Debug)]
enum Head {
    /// Am, is, are.
    Be,
    /// A verb that needs "do" to be denied or asked: base, third person.
    Do(&'static str, &'static str),
}

/// What is said of a subject, in both languages.
#[derive(Clone, Debug)]
pub struct Predicate {
    head: Head,
    english: String,
    verb: [&'static str; 6],
    /// What French puts between the subject and its verb: « le », « y ».
    clitic: &'static str,
    french: String,
    /// The rest of the French clause after « pas ».
    denied: String,
}

impl Predicate {
    /// "Be", said with a French verb of any kind.
    pub fn be(english: &str, verb: [&'static str; 6], french: &str) -> Self {
        Predicate {
            head: Head::Be,
            english: english.to_string(),
            verb,
            clitic: "",
            french: french.to_string(),
            denied: french.to_string(),
        }
    }

    /// "Be" that is « être » too.
    pub fn is(english: &str, french: &str) -> Self {
        Predicate::be(english, BE, french)
    }

    /// A verb and what follows it: "is singing" for an action, "sees" for a
    /// state; French has one present for both.
    pub fn does(verb: &Verb, english: &str, french: &str) -> Self {
        let [base, third, ing] = verb.english;
        let said = joined(&[ing, english]);
        let predicate = Predicate::be(&said, verb.french, french);
        match ing {
            "" => Predicate { head: Head::Do(base, third), ..predicate },
            _ => predicate,
        }
    }

    /// The same with another rest after « pas ».
    pub fn denied(mut self, french: &str) -> Self {
        self.denied = french.to_string();
        self
    }

    /// The same with a word between the subject and its verb.
    pub fn clitic(mut self, word: &'static str) -> Self {
        self.clitic = word;
        self
    }
}

/// A sentence of the corpus before it is chosen.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Draft {
    /// In English.
    pub english: String,
    /// In French.
    pub french: String,
    /// What is said, whether it is stated, denied or asked.
    pub content: String,
}

impl Draft {
    /// Finishes a sentence in both languages. `call` is who is addressed.
    pub fn new(call: Call, english: &str, french: &str, end: char) -> Self {
        let gap = if end == '.' { "" } else { " " };
        let english = format!("{} {english}{end}", call.0);
        Draft {
            content: english.clone(),
            english: sound::english(&english),
            french: sound::french(&format!("{} {french}", call.1))
                + gap
                + &end.to_string(),
        }
    }

    /// The same with a content shared by several sentences.
    pub fn about(mut self, content: String) -> Self {
        self.content = content;
        self
    }
}

/// Who is addressed, in both languages: "Girls," and « Les filles, ».
pub type Call = (&'static str, &'static str);

/// Nobody by name.
pub const NOBODY: Call = ("", "");

/// A subject and what is said of it.
#[derive(Clone, Debug)]
pub struct Clause {
    /// Who or what.
    pub subject: Phrase,
    /// What is said.
    pub predicate: Predicate,
}

impl Clause {
    /// A clause from its two halves.
    pub fn new(subject: Phrase, predicate: Predicate) -> Self {
        Clause { subject, predicate }
    }

    /// The clause as a sentence.
    pub fn say(&self, mood: Mood, call: Call) -> Draft {
        let end = if mood == Mood::Ask { '?' } else { '.' };
        let draft = Draft::new(call, &self.english(mood), &self.french(mood), end);
        draft.about(self.english(Mood::State))
    }

    /// In English: "be" changes places with the subject, "do" is called in.
    pub fn english(&self, mood: Mood) -> String {
        let (who, rest) = (&*self.subject.english, &*self.predicate.english);
        let person = self.subject.person;
        let be = ["am", "are", "is", "are", "are", "are"][person];
        let does = if person == 2 { "does" } else { "do" };
        match (self.predicate.head, mood) {
            (Head::Be, Mood::State) => joined(&[who, be, rest]),
            (Head::Be, Mood::Deny) => joined(&[who, be, "not", rest]),
            (Head::Be, Mood::Ask) => joined(&[be, who, rest]),
            (Head::Do(_, third), Mood::State) if person == 2 => {
                joined(&[who, third, rest])
            }
            (Head::Do(base, _), Mood::State) => joined(&[who, base, rest]),
            (Head::Do(base, _), Mood::Deny) => joined(&[who, does, "not", base, rest]),
            (Head::Do(base, _), Mood::Ask) => joined(&[does, who, base, rest]),
        }
    }

    /// In French, in full words: « ne » and « pas » around the verb, and
    /// « est-ce que » before a question.
    pub fn french(&self, mood: Mood) -> String {
        let p = &self.predicate;
        let (who, verb) = (&*self.subject.french, p.verb[self.subject.person]);
        match mood {
            Mood::State => joined(&[who, p.clitic, verb, &p.french]),
            Mood::Deny => joined(&[who, "ne", p.clitic, verb, "pas", &p.denied]),
            Mood::Ask => joined(&["est-ce que", who, p.clitic, verb, &p.french]),
        }
    }
}
