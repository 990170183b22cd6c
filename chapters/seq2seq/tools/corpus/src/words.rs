//! The types of the word lists: nouns, adjectives, verbs, each in both
//! languages, with what agreement and good sense ask of them.

/// The grammatical gender of a French noun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gender {
    /// Masculine: le livre.
    M,
    /// Feminine: la table.
    F,
}

/// One or several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// Singular.
    One,
    /// Plural.
    Many,
}

/// What kind of thing a noun names: only people sing, only doors open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A grown person.
    Adult,
    /// A boy, a girl, a child.
    Child,
    /// A brother, a sister: always somebody's.
    Kin,
    /// An animal that may sit on a chair.
    Pet,
    /// An animal that may not.
    Farm,
    /// A thing small enough to lie on a table.
    Item,
    /// It moves people.
    Vehicle,
    /// It stands in a room.
    Furniture,
    /// It opens and closes.
    Opening,
    /// A house.
    House,
    /// A school.
    School,
    /// A garden.
    Garden,
    /// A flower.
    Flower,
    /// A tree.
    Tree,
    /// A fruit.
    Fruit,
    /// A cake.
    Cake,
    /// A place where everybody goes.
    Public,
}

/// People of every age.
pub const PEOPLE: &[Class] = &[Class::Adult, Class::Child, Class::Kin];

/// A noun: singular and plural in both languages.
#[derive(Debug)]
pub struct Noun {
    /// Singular, plural.
    pub english: [&'static str; 2],
    /// Singular, plural.
    pub french: [&'static str; 2],
    /// The gender of the French noun.
    pub gender: Gender,
    /// What it names.
    pub class: Class,
}

/// Where a French adjective may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// Before its noun, and after the verb: la grande maison.
    Before,
    /// Before its noun only: la nouvelle voiture.
    OnlyBefore,
    /// After its noun, and after the verb: la voiture rouge.
    After,
    /// After the verb only: la voiture est neuve.
    OnlyVerb,
}

/// What an adjective is about. No sentence uses two of the same quality: it
/// would say that a big house is small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quality {
    /// Big or small.
    Size,
    /// Old, young or new.
    Age,
    /// Beautiful.
    Look,
    /// A colour.
    Colour,
    /// Clean or dirty.
    Care,
    /// Expensive.
    Price,
    /// Open or closed.
    Access,
    /// Happy or sad.
    Mood,
    /// Tired, sick or strong.
    Body,
    /// Calm.
    Temper,
    /// Rich.
    Wealth,
}

/// An adjective.
#[derive(Debug)]
pub struct Adjective {
    /// English adjectives never change.
    pub english: &'static str,
    /// Masculine, feminine; masculine plural, feminine plural.
    pub french: [&'static str; 4],
    /// The masculine before a noun that begins with a vowel, if it differs.
    pub vowel: Option<&'static str>,
    /// Where it may stand.
    pub position: Position,
    /// What it is about.
    pub quality: Quality,
    /// What it may be said of: lists of classes.
    pub fits: &'static [&'static [Class]],
}

impl Adjective {
    /// The French form that agrees.
    pub fn form(&self, gender: Gender, number: Number) -> &'static str {
        let plural = usize::from(number == Number::Many);
        self.french[2 * plural + usize::from(gender == Gender::F)]
    }

    /// Whether the masculine and the feminine are the same, as in « triste ».
    pub fn same_for_both(&self) -> bool {
        self.french[0] == self.french[1]
    }
}

/// A verb.
#[derive(Debug)]
pub struct Verb {
    /// Base, third person, -ing; the last is empty for states: "I see", not
    /// "I am seeing".
    pub english: [&'static str; 3],
    /// Present: je, tu, il, nous, vous, ils.
    pub french: [&'static str; 6],
    /// Infinitive.
    pub infinitive: &'static str,
    /// Imperative: to one friend, to several people.
    pub command: [&'static str; 2],
}
