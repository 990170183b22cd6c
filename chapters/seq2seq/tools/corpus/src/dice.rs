//! Chance, and the small choices that every pattern makes: which noun, which
//! determiner goes with it, which adjective can be said of it.

use crate::adjectives::ADJECTIVES;
use crate::clause::Mood;
use crate::nouns::NOUNS;
use crate::phrase::Determiner::{self, *};
use crate::phrase::{NounPhrase, Phrase};
use crate::words::{Adjective, Class, Gender, Noun, Number, PEOPLE, Position};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// English, French, and the person of the verb: I, you, he …
const PRONOUNS: &[(&str, &str, usize, Option<Gender>)] = &[
    ("I", "je", 0, None),
    ("you", "tu", 1, None),
    ("he", "il", 2, Some(Gender::M)),
    ("she", "elle", 2, Some(Gender::F)),
    ("we", "nous", 3, None),
    ("they", "ils", 5, Some(Gender::M)),
];

/// Two people with names, and the pronouns that replace them.
pub const NAMES: &[(&str, Gender, &str)] =
    &[("Paul", Gender::M, "he"), ("Marie", Gender::F, "she")];

/// Where an adjective between determiner and noun may come from.
pub const BESIDE: &[Position] =
    &[Position::Before, Position::OnlyBefore, Position::After];
/// Where an adjective after the verb may come from.
pub const SAID: &[Position] = &[Position::Before, Position::After, Position::OnlyVerb];

/// A source of choices that a seed fixes.
pub struct Dice(StdRng);

impl Dice {
    /// The same seed gives the same choices.
    pub fn new(seed: u64) -> Self {
        Dice(StdRng::seed_from_u64(seed))
    }

    /// One of the items, each as likely.
    pub fn one<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.0.gen_range(0..items.len() as u32) as usize]
    }

    /// True `percent` times in a hundred.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.0.gen_range(0..100) < percent
    }

    /// One or several.
    pub fn number(&mut self) -> Number {
        *self.one(&[Number::One, Number::Many])
    }

    /// Half of what is said is stated, the rest denied or asked. Nobody asks
    /// others about himself.
    pub fn mood(&mut self, subject: &Phrase) -> Mood {
        match *self.one(&[Mood::State, Mood::State, Mood::Deny, Mood::Ask]) {
            Mood::Ask if subject.person == 0 => Mood::State,
            mood => mood,
        }
    }

    /// A noun of one of the classes.
    pub fn noun(&mut self, classes: &[Class]) -> &'static Noun {
        let fit: Vec<&Noun> =
            NOUNS.iter().filter(|n| classes.contains(&n.class)).collect();
        self.one::<&Noun>(&fit)
    }

    /// What may introduce a noun of the class: nobody owns a king.
    fn determiner(&mut self, class: Class) -> Determiner {
        *match class {
            Class::Adult | Class::Child | Class::Public => self.one(&[The, The, This]),
            Class::Kin => self.one(&[My, My, Your, His, Her, Our]),
            _ => self.one(&[The, The, The, This, My, Your, His, Her, Our]),
        }
    }

    /// A noun with its determiner, without adjectives. Nobody owns several
    /// schools.
    pub fn bare(&mut self, classes: &[Class]) -> NounPhrase {
        let noun = self.noun(classes);
        let determiner = self.determiner(noun.class);
        let owned = !matches!(determiner, The | This);
        let number = match noun.class {
            Class::School if owned => Number::One,
            _ => self.number(),
        };
        NounPhrase::new(determiner, noun, number)
    }

    /// "A" in place of the determiner, where somebody has or sees one.
    pub fn indefinite(&mut self, classes: &[Class]) -> NounPhrase {
        NounPhrase { determiner: A, ..self.bare(classes) }
    }

    /// A definite noun, with an adjective more often than not.
    pub fn object(&mut self, classes: &[Class]) -> NounPhrase {
        let bare = self.bare(classes);
        self.described(bare)
    }

    /// The phrase with an adjective, sometimes two, sometimes none.
    pub fn described(&mut self, phrase: NounPhrase) -> NounPhrase {
        if self.chance(40) {
            return phrase;
        }
        let first = self.adjective(phrase.noun.class, BESIDE, &[]);
        let second = self.adjective(phrase.noun.class, BESIDE, &[]);
        match (first, second) {
            (Some(a), Some(b)) if pair(a, b) && self.chance(30) => {
                phrase.with(a).with(b)
            }
            (Some(a), _) => phrase.with(a),
            _ => phrase,
        }
    }

    /// An adjective of the class that may stand in one of the positions, about
    /// something that the adjectives in `said` are not about.
    pub fn adjective(
        &mut self,
        class: Class,
        positions: &[Position],
        said: &[&Adjective],
    ) -> Option<&'static Adjective> {
        let fit: Vec<&Adjective> = ADJECTIVES
            .iter()
            .filter(|a| a.fits.iter().any(|fits| fits.contains(&class)))
            .filter(|a| positions.contains(&a.position))
            .filter(|a| said.iter().all(|b| a.quality != b.quality))
            .collect();
        if fit.is_empty() { None } else { Some(*self.one(&fit)) }
    }

    /// An adjective that agrees with anybody: for « je » it must be the same
    /// for a man and for a woman.
    pub fn of_person(&mut self, who: &Phrase) -> Option<&'static Adjective> {
        let adjective = self.adjective(Class::Adult, SAID, &[])?;
        let clear = who.gender.is_some() || adjective.same_for_both();
        clear.then_some(adjective)
    }

    /// A pronoun.
    pub fn pronoun(&mut self) -> Phrase {
        let &(english, french, person, gender) = self.one(PRONOUNS);
        let plain = Phrase::plain(english, french, person);
        Phrase { gender, again: english, ..plain }
    }

    /// Someone who does something: a pronoun, a name, a noun.
    pub fn someone(&mut self) -> Phrase {
        match self.chance(60) {
            true => self.pronoun(),
            false => self.third_person(PEOPLE),
        }
    }

    /// A name or a noun.
    pub fn third_person(&mut self, classes: &[Class]) -> Phrase {
        if self.chance(75) {
            return self.bare(classes).phrase();
        }
        let &(name, gender, again) = self.one(NAMES);
        let plain = Phrase::plain(name, name, 2);
        Phrase { gender: Some(gender), again, ..plain }
    }
}

/// Whether two adjectives go together before an English noun: one that
/// French puts before its noun, then a colour, as in "a big red car".
fn pair(before: &Adjective, after: &Adjective) -> bool {
    use crate::words::Quality::Colour;
    before.position != Position::After && after.quality == Colour
}
