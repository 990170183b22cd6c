//! The patterns of the corpus. Each draws one sentence in both languages
//! from chance, or nothing when what it drew makes no sense.

use crate::clause::{Clause, Draft, NOBODY, Predicate};
use crate::dice::{BESIDE, Dice, SAID};
use crate::phrase::{Determiner, NounPhrase, Phrase, joined};
use crate::scenes::*;
use crate::verbs::*;
use crate::words::Class::*;
use crate::words::{Adjective, Class, Gender, Number, PEOPLE, Verb};

/// A kind of sentence.
pub struct Pattern {
    /// What the statistics call it.
    pub name: &'static str,
    /// How many sentences of it the corpus holds.
    pub share: usize,
    /// Draws one.
    pub draw: fn(&mut Dice) -> Option<Draft>,
}

/// Every pattern.
pub const PATTERNS: &[Pattern] = &[
    Pattern { name: "noun is adjective", share: 180, draw: state },
    Pattern { name: "adjective noun is adjective", share: 300, draw: described_state },
    Pattern { name: "pronoun is adjective", share: 100, draw: person_state },
    Pattern { name: "someone is hungry", share: 110, draw: feeling },
    Pattern { name: "someone is singing", share: 290, draw: action },
    Pattern { name: "someone sees something", share: 330, draw: transitive },
    Pattern { name: "someone has something", share: 200, draw: possession },
    Pattern { name: "someone likes cats", share: 50, draw: kind },
    Pattern { name: "someone sees them", share: 150, draw: object_pronoun },
    Pattern { name: "someone is going to a place", share: 180, draw: toward },
    Pattern { name: "someone wants to sing", share: 170, draw: wish },
    Pattern { name: "something is in a place", share: 150, draw: location },
    Pattern { name: "there is something", share: 60, draw: existence },
    Pattern { name: "command", share: 200, draw: command },
    Pattern { name: "called by name", share: 200, draw: called },
    Pattern { name: "this is something", share: 80, draw: presentation },
    Pattern { name: "the king's horse", share: 100, draw: owned },
    Pattern { name: "but it is", share: 60, draw: contrast },
    Pattern { name: "because they are", share: 60, draw: reason },
];

const BEINGS: &[Class] = &[Adult, Child, Kin, Pet, Farm];
/// All animals.
pub(crate) const ANIMALS: &[Class] = &[Pet, Farm];
/// Every class.
#[rustfmt::skip]
pub(crate) const ANYTHING: &[Class] = &[
    Adult, Child, Kin, Pet, Farm, Item, Vehicle, Furniture, Opening, House,
    School, Garden, Flower, Tree, Fruit, Cake, Public,
];
/// What people buy, and do not eat.
pub(crate) const GOODS: &[Class] =
    &[Pet, Farm, Item, Vehicle, Furniture, House, Flower];
/// What people eat.
pub(crate) const FOOD: &[Class] = &[Fruit, Cake];

/// "Not" before something indefinite is « pas de » in French.
pub(crate) fn with_object(verb: &Verb, object: NounPhrase) -> Predicate {
    let (said, denied) = (object.phrase(), object.denied().phrase());
    Predicate::does(verb, &said.english, &said.french).denied(&denied.french)
}

/// « être » and the form of the adjective that agrees with the subject.
pub(crate) fn said_of(adjective: &Adjective, who: &Phrase) -> Predicate {
    let gender = who.gender.unwrap_or(Gender::M);
    let form = adjective.form(gender, who.number());
    Predicate::is(adjective.english, form)
}

/// The clause stated, denied or asked.
pub(crate) fn any_mood(dice: &mut Dice, who: Phrase, what: Predicate) -> Option<Draft> {
    let mood = dice.mood(&who);
    Some(Clause::new(who, what).say(mood, NOBODY))
}

/// The door is open. La porte est ouverte.
fn state(dice: &mut Dice) -> Option<Draft> {
    let subject = dice.bare(ANYTHING);
    let said = dice.adjective(subject.noun.class, SAID, &[])?;
    let who = subject.phrase();
    let what = said_of(said, &who);
    any_mood(dice, who, what)
}

/// The red car is new. La voiture rouge est neuve.
fn described_state(dice: &mut Dice) -> Option<Draft> {
    let subject = dice.bare(ANYTHING);
    let class = subject.noun.class;
    let first = dice.adjective(class, BESIDE, &[])?;
    let said = dice.adjective(class, SAID, &[first])?;
    let who = subject.with(first).phrase();
    let what = said_of(said, &who);
    any_mood(dice, who, what)
}

/// She is happy. Elle est heureuse.
fn person_state(dice: &mut Dice) -> Option<Draft> {
    let who = dice.pronoun();
    let what = said_of(dice.of_person(&who)?, &who);
    any_mood(dice, who, what)
}

/// I am hungry. J'ai faim.
fn feeling(dice: &mut Dice) -> Option<Draft> {
    let animal = dice.chance(15);
    let who = if animal { dice.bare(ANIMALS).phrase() } else { dice.someone() };
    let what = feels(dice);
    any_mood(dice, who, what)
}

/// English is cold, French has cold.
pub(crate) fn feels(dice: &mut Dice) -> Predicate {
    let &(english, french) = dice.one(FEELINGS);
    Predicate::be(english, AVOIR, french)
}

/// The girls are playing in the garden. Les filles jouent dans le jardin.
fn action(dice: &mut Dice) -> Option<Draft> {
    let who = dice.someone();
    let what = acts(dice);
    any_mood(dice, who, what)
}

/// Where people are and do things.
#[rustfmt::skip]
pub(crate) const PLACES: &[(&str, &str)] = &[
    ("in the garden", "dans le jardin"), ("in the park", "dans le parc"),
    ("on the beach", "sur la plage"), ("at the hotel", "à le hôtel"),
    ("at the school", "à la école"), ("at the station", "à la gare"),
];

/// Sings; or dances in the garden.
pub(crate) fn acts(dice: &mut Dice) -> Predicate {
    let verb = dice.one(PASTIMES);
    let place = *dice.one(PLACES);
    let (english, french) = if dice.chance(50) { place } else { ("", "") };
    Predicate::does(verb, english, french)
}

/// He does not see the dog. Il ne voit pas le chien.
fn transitive(dice: &mut Dice) -> Option<Draft> {
    if dice.chance(88) {
        let who = dice.someone();
        let what = takes_object(dice);
        return any_mood(dice, who, what);
    }
    let who = dice.bare(ANIMALS).phrase();
    let (verb, objects) = *dice.one(&[(&SEE, BEINGS), (&EAT, FOOD)]);
    let object = dice.object(objects);
    any_mood(dice, who, with_object(verb, object))
}

/// A verb with a noun for its object.
pub(crate) fn takes_object(dice: &mut Dice) -> Predicate {
    let (verb, objects) = *dice.one(&[
        (&SEE, ANYTHING),
        (&LOOK_AT, ANYTHING),
        (&LOOK_FOR, ANYTHING),
        (&LIKE, ANYTHING),
        (&WANT, GOODS),
        (&WANT, FOOD),
        (&EAT, FOOD),
    ]);
    let object = match *dice.one(&[0, 0, 0, 0, 0, 1, 2, 2]) {
        0 => dice.object(objects),
        1 if objects != FOOD => owner(dice),
        _ if objects != ANYTHING => {
            let bare = dice.indefinite(objects);
            dice.described(bare)
        }
        _ => dice.object(objects),
    };
    with_object(verb, object)
}

/// I do not have a car. Je n'ai pas de voiture.
fn possession(dice: &mut Dice) -> Option<Draft> {
    let who = dice.someone();
    let classes = *dice.one(&[GOODS, GOODS, FOOD, &[Kin]]);
    let bare = dice.indefinite(classes);
    let what = with_object(&HAVE, dice.described(bare));
    any_mood(dice, who, what)
}

/// I like cats. J'aime les chats.
fn kind(dice: &mut Dice) -> Option<Draft> {
    let who = dice.someone();
    let noun = dice.noun(&[Pet, Farm, Item, Vehicle, Flower, Tree, Fruit, Cake]);
    let all = NounPhrase::new(Determiner::Every, noun, Number::Many).phrase();
    let what = Predicate::does(&LIKE, &all.english, &all.french);
    any_mood(dice, who, what)
}

/// English, French, and the person it is of.
const OBJECTS: &[(&str, &str, usize)] = &[
    ("me", "me", 0),
    ("you", "te", 1),
    ("him", "le", 2),
    ("her", "la", 2),
    ("us", "nous", 3),
    ("them", "les", 5),
];

/// She does not see them. Elle ne les voit pas.
fn object_pronoun(dice: &mut Dice) -> Option<Draft> {
    let who = dice.someone();
    let &(english, french, person) = dice.one(OBJECTS);
    let first = |person| person == 0 || person == 3;
    let itself = person == who.person && person != 2 && person != 5;
    if itself || first(person) && first(who.person) {
        return None;
    }
    let verb = *dice.one(&[&SEE, &LOOK_AT, &LOOK_FOR]);
    let what = Predicate::does(verb, english, "").clitic(french);
    any_mood(dice, who, what)
}

/// We are going to the park. Nous allons au parc.
fn toward(dice: &mut Dice) -> Option<Draft> {
    let who = dice.someone();
    let (verb, goal) = goal(dice);
    let what = Predicate::does(verb, &goal.english, &goal.french);
    any_mood(dice, who, what)
}

/// « à » and a place to go to, or a person to talk to.
pub(crate) fn goal(dice: &mut Dice) -> (&'static Verb, Phrase) {
    let (verb, phrase) = if dice.chance(60) {
        let place = dice.bare(&[Public, School]);
        (&GO, NounPhrase { number: Number::One, ..place }.phrase())
    } else {
        (&TALK, dice.third_person(PEOPLE))
    };
    let french = joined(&["à", &phrase.french]);
    (verb, Phrase { french, ..phrase })
}

/// He wants to see the horse. Il veut voir le cheval.
fn wish(dice: &mut Dice) -> Option<Draft> {
    let who = dice.someone();
    let nothing = Phrase::plain("", "", 2);
    let (verb, object) = match *dice.one(&[0, 1, 2, 3]) {
        0 => (&SEE, dice.bare(ANYTHING).phrase()),
        1 => (&EAT, dice.bare(FOOD).phrase()),
        2 => goal(dice),
        _ => (dice.one(PASTIMES), nothing),
    };
    let english = joined(&["to", verb.english[0], &object.english]);
    let french = joined(&[verb.infinitive, &object.french]);
    let what = Predicate::does(&WANT, &english, &french);
    any_mood(dice, who, what)
}
