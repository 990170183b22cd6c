//! Noun phrases in both languages at once: the order of adjective and noun,
//! and the agreement of everything with the noun.

use crate::sound::vowel;
use crate::words::{Adjective, Class, Gender, Noun, Number, Position};

/// Something a clause is about: a pronoun, a name, a noun with its company.
#[derive(Clone, Debug)]
pub struct Phrase {
    /// In English.
    pub english: String,
    /// In French, in full words.
    pub french: String,
    /// Which of je, tu, il, nous, vous, ils its verb agrees with: 0 to 5.
    pub person: usize,
    /// What adjectives agree with; « je », « tu » and « nous » do not tell.
    pub gender: Option<Gender>,
    /// The English pronoun that takes its place in a second clause.
    pub again: &'static str,
}

impl Phrase {
    /// A phrase of a few words given as they are.
    pub fn plain(english: &str, french: &str, person: usize) -> Self {
        Phrase {
            english: english.to_string(),
            french: french.to_string(),
            person,
            gender: None,
            again: "",
        }
    }

    /// One or several.
    pub fn number(&self) -> Number {
        if self.person < 3 { Number::One } else { Number::Many }
    }

    /// The pronoun that takes its place in a second clause.
    pub fn pronoun(&self) -> Phrase {
        let french = match (self.person, self.gender) {
            (2, Some(Gender::M)) => "il",
            (2, Some(Gender::F)) => "elle",
            (5, Some(Gender::M)) => "ils",
            (5, Some(Gender::F)) => "elles",
            _ => &self.french,
        };
        let english = self.again.to_string();
        Phrase { english, french: french.to_string(), ..self.clone() }
    }
}

/// What introduces a noun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Determiner {
    /// The car, la voiture.
    The,
    /// A car, une voiture; cars, des voitures.
    A,
    /// Not a car, pas de voiture.
    NotA,
    /// All of a kind: cats, les chats.
    Every,
    /// This car, cette voiture.
    This,
    /// My car, ma voiture.
    My,
    /// Your car, ta voiture.
    Your,
    /// His car, sa voiture: French asks whose gender the car has.
    His,
    /// Her car, sa voiture.
    Her,
    /// Our car, notre voiture.
    Our,
    /// The king's car, la voiture du roi: the article is in the owner.
    Owner(&'static str, &'static str),
}

use Determiner::*;

impl Determiner {
    fn english(self, number: Number) -> &'static str {
        let many = number == Number::Many;
        match self {
            The => "the",
            A | NotA | Every => ["a", ""][usize::from(many)],
            This => ["this", "these"][usize::from(many)],
            My => "my",
            Your => "your",
            His => "his",
            Her => "her",
            Our => "our",
            Owner(english, _) => english,
        }
    }

    /// Masculine, masculine before a vowel, feminine, feminine before a
    /// vowel, plural.
    fn forms(self) -> [&'static str; 5] {
        match self {
            The | Every | Owner(..) => ["le", "le", "la", "la", "les"],
            A => ["un", "un", "une", "une", "des"],
            NotA => ["de"; 5],
            This => ["ce", "cet", "cette", "cette", "ces"],
            My => ["mon", "mon", "ma", "mon", "mes"],
            Your => ["ton", "ton", "ta", "ton", "tes"],
            His | Her => ["son", "son", "sa", "son", "ses"],
            Our => ["notre", "notre", "notre", "notre", "nos"],
        }
    }

    /// Picks the French form by the noun and by the word that follows; an
    /// adjective before the noun turns « des » into « de ».
    fn french(self, noun: &Noun, number: Number, next: &str) -> &'static str {
        let forms = self.forms();
        match (number, noun.gender) {
            (Number::Many, _) if self == A && next != noun.french[1] => "de",
            (Number::Many, _) => forms[4],
            (_, Gender::M) => forms[usize::from(vowel(next))],
            (_, Gender::F) => forms[2 + usize::from(vowel(next))],
        }
    }
}

/// A noun with its determiner and up to two adjectives.
#[derive(Clone, Copy, Debug)]
pub struct NounPhrase {
    /// What introduces the noun.
    pub determiner: Determiner,
    /// The adjective that French puts before the noun.
    pub before: Option<&'static Adjective>,
    /// The adjective that French puts after the noun.
    pub after: Option<&'static Adjective>,
    /// The noun.
    pub noun: &'static Noun,
    /// One or several.
    pub number: Number,
}

impl NounPhrase {
    /// A noun with its determiner alone.
    pub fn new(determiner: Determiner, noun: &'static Noun, number: Number) -> Self {
        NounPhrase { determiner, before: None, after: None, noun, number }
    }

    /// The same phrase with an adjective on the side where it belongs.
    pub fn with(mut self, adjective: &'static Adjective) -> Self {
        match adjective.position {
            Position::Before | Position::OnlyBefore => self.before = Some(adjective),
            Position::After | Position::OnlyVerb => self.after = Some(adjective),
        }
        self
    }

    /// The same phrase as the object of a negated verb: « pas de voiture ».
    pub fn denied(mut self) -> Self {
        if self.determiner == A {
            self.determiner = NotA;
        }
        self
    }

    /// Both languages: English puts every adjective before the noun.
    pub fn phrase(&self) -> Phrase {
        let many = usize::from(self.number == Number::Many);
        let word = |a: Option<&Adjective>| a.map_or("", |a| a.english);
        let words = [
            self.determiner.english(self.number),
            word(self.before),
            word(self.after),
            self.noun.english[many],
        ];
        Phrase {
            english: joined(&words),
            french: self.french(),
            person: 2 + 3 * many,
            gender: Some(self.noun.gender),
            again: self.again(),
        }
    }

    fn french(&self) -> String {
        let (gender, number) = (self.noun.gender, self.number);
        let noun = self.noun.french[usize::from(number == Number::Many)];
        let liaison = (gender, number) == (Gender::M, Number::One);
        let before = self.before.map_or("", |a| match a.vowel {
            Some(form) if liaison && vowel(noun) => form,
            _ => a.form(gender, number),
        });
        let after = self.after.map_or("", |a| a.form(gender, number));
        let next = if before.is_empty() { noun } else { before };
        let determiner = self.determiner.french(self.noun, number, next);
        let owner = match self.determiner {
            Owner(_, french) => french,
            _ => "",
        };
        joined(&[determiner, before, noun, after, owner])
    }

    /// English asks what a noun names, French its gender.
    fn again(&self) -> &'static str {
        let person =
            matches!(self.noun.class, Class::Adult | Class::Child | Class::Kin);
        match (self.number, person, self.noun.gender) {
            (Number::Many, ..) => "they",
            (_, false, _) => "it",
            (_, _, Gender::M) => "he",
            (_, _, Gender::F) => "she",
        }
    }
}

/// The words that are not empty, with spaces between them.
pub fn joined(words: &[&str]) -> String {
    let words: Vec<&str> =
        words.iter().copied().filter(|word| !word.is_empty()).collect();
    words.join(" ")
}
