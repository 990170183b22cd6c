//! More patterns: where things are and whose they are, commands, people
//! called by name, and sentences of two clauses.

use crate::adjectives::ADJECTIVES;
use crate::clause::{Call, Clause, Draft, Mood, NOBODY, Predicate};
use crate::dice::{Dice, SAID};
use crate::grammar::*;
use crate::phrase::Determiner::{self, *};
use crate::phrase::{NounPhrase, Phrase, joined};
use crate::verbs::*;
use crate::words::Class::*;
use crate::words::Quality::Access;
use crate::words::{Adjective, Class, Gender, Number, Verb};

/// A preposition in both languages, what may be there, and where that is.
struct Relation {
    words: (&'static str, &'static str),
    movers: &'static [Class],
    places: &'static [Class],
}

const fn relation(
    english: &'static str,
    french: &'static str,
    movers: &'static [Class],
    places: &'static [Class],
) -> Relation {
    Relation { words: (english, french), movers, places }
}

const SMALL: &[Class] = &[Pet, Item, Fruit];
const TALL: &[Class] = &[House, School, Tree];
#[rustfmt::skip]
const RELATIONS: &[Relation] = &[
    relation("on", "sur", SMALL, &[Furniture]),
    relation("under", "sous", SMALL, &[Furniture]),
    relation("behind", "derrière", &[Child, Pet, Farm], TALL),
    relation("in front of", "devant", &[Adult, Child, Pet, Farm], TALL),
    relation("in", "dans", &[Child, Pet, Item], &[House, Garden]),
];

impl Relation {
    fn place(&self, dice: &mut Dice) -> Phrase {
        let noun = dice.noun(self.places);
        let place = NounPhrase::new(The, noun, Number::One).phrase();
        let english = joined(&[self.words.0, &place.english]);
        let french = joined(&[self.words.1, &place.french]);
        Phrase { english, french, ..place }
    }
}

/// The key is under the table. La clé est sous la table.
pub(crate) fn location(dice: &mut Dice) -> Option<Draft> {
    if dice.chance(40) {
        let (who, place) = (dice.someone(), dice.one(PLACES));
        return any_mood(dice, who, Predicate::is(place.0, place.1));
    }
    let relation = dice.one(RELATIONS);
    let who = dice.bare(relation.movers).phrase();
    let place = relation.place(dice);
    let what = Predicate::is(&place.english, &place.french);
    any_mood(dice, who, what)
}

/// There is a bird behind the house. Il y a un oiseau derrière la maison.
pub(crate) fn existence(dice: &mut Dice) -> Option<Draft> {
    let relation = dice.one(RELATIONS);
    let what = dice.indefinite(relation.movers).phrase();
    let place = relation.place(dice);
    let english = joined(&[&what.english, &place.english]);
    let french = joined(&[&what.french, &place.french]);
    let there = Phrase::plain("there", "il", what.person);
    let has = Predicate::be(&english, ["a"; 6], &french).clitic("y");
    let mood = *dice.one(&[Mood::State, Mood::Ask]);
    Some(Clause::new(there, has).say(mood, NOBODY))
}

/// Whose it is, before the English noun and after the French.
#[rustfmt::skip]
const OWNERS: &[Determiner] = &[
    Owner("the king's", "de le roi"), Owner("the queen's", "de la reine"),
    Owner("Paul's", "de Paul"), Owner("Marie's", "de Marie"),
    Owner("my brother's", "de mon frère"),
    Owner("my sister's", "de ma sœur"),
];

/// Something with its owner.
pub(crate) fn owner(dice: &mut Dice) -> NounPhrase {
    let determiner = *dice.one(OWNERS);
    let bare = dice.bare(&[Pet, Farm, Item, Vehicle, House, Garden]);
    dice.described(NounPhrase { determiner, ..bare })
}

/// The king's horse is black. Le cheval du roi est noir.
pub(crate) fn owned(dice: &mut Dice) -> Option<Draft> {
    let thing = owner(dice);
    let company: Vec<_> = thing.before.into_iter().chain(thing.after).collect();
    let said = dice.adjective(thing.noun.class, SAID, &company)?;
    let who = thing.phrase();
    let what = said_of(said, &who);
    any_mood(dice, who, what)
}

/// This is my brother. C'est mon frère.
pub(crate) fn presentation(dice: &mut Dice) -> Option<Draft> {
    let thing = match *dice.one(&[0, 1, 1, 2]) {
        0 => owner(dice),
        1 => dice.object(ANYTHING),
        _ => {
            let bare = dice.indefinite(ANYTHING);
            dice.described(bare)
        }
    };
    let nobodys = thing.determiner == A && thing.noun.class == Kin;
    if nobodys || thing.determiner == This {
        return None;
    }
    let what = thing.phrase();
    let (english, french) = match thing.number {
        Number::One => ("this", "ce"),
        Number::Many => ("these", "ce"),
    };
    let who = Phrase::plain(english, french, what.person);
    let what = Predicate::is(&what.english, &what.french);
    any_mood(dice, who, what)
}

/// Who is called, in both languages, and what adjectives agree with; the
/// last says whether it is one friend (tu) or several (vous).
const CALLS: &[(Call, Gender, Number)] = &[
    (("Paul,", "Paul,"), Gender::M, Number::One),
    (("Marie,", "Marie,"), Gender::F, Number::One),
    (("boys,", "les garçons,"), Gender::M, Number::Many),
    (("girls,", "les filles,"), Gender::F, Number::Many),
    (("children,", "les enfants,"), Gender::M, Number::Many),
];

/// Nobody is told about himself, and "your" would be « votre » to several.
fn sensible(call: Call, number: Number, content: &str) -> bool {
    let several = number == Number::Many;
    let told = content.contains(call.0.trim_end_matches(','));
    call == NOBODY || !(told || several && content.contains("your"))
}

/// Girls, are you tired? Les filles, est-ce que vous êtes fatiguées ?
pub(crate) fn called(dice: &mut Dice) -> Option<Draft> {
    let &(call, gender, number) = dice.one(CALLS);
    let (french, person) = match number {
        Number::One => ("tu", 1),
        Number::Many => ("vous", 4),
    };
    let you = Phrase::plain("you", french, person);
    let who = Phrase { gender: Some(gender), ..you };
    let what = match *dice.one(&[0, 0, 1, 2, 3, 3]) {
        0 => said_of(dice.adjective(Child, SAID, &[])?, &who),
        1 => feels(dice),
        2 => acts(dice),
        _ => takes_object(dice),
    };
    let mood = match number {
        Number::One => dice.mood(&who),
        Number::Many => *dice.one(&[Mood::State, Mood::Ask]),
    };
    let draft = Clause::new(who, what).say(mood, call);
    sensible(call, number, &draft.content).then_some(draft)
}

/// Open the door! Ouvre la porte !
pub(crate) fn command(dice: &mut Dice) -> Option<Draft> {
    let (verb, object) = ordered(dice);
    let nobody = (NOBODY, Gender::M, Number::One);
    let (call, _, number) = if dice.chance(50) { nobody } else { *dice.one(CALLS) };
    let content = joined(&[verb.english[0], &object.english]);
    if !sensible(call, number, &content) {
        return None;
    }
    let form = verb.command[usize::from(number == Number::Many)];
    let [french, denied] = [["", form, ""], ["ne", form, "pas"]]
        .map(|verb| joined(&[&joined(&verb), &object.french]));
    let draft = match dice.chance(30) {
        true => Draft::new(call, &joined(&["do not", &content]), &denied, '!'),
        false => Draft::new(call, &content, &french, '!'),
    };
    Some(draft.about(content))
}

/// What one can tell someone to do.
fn ordered(dice: &mut Dice) -> (&'static Verb, Phrase) {
    let object = match *dice.one(&[0, 0, 1, 1, 2, 3, 4]) {
        0 => {
            let bare = dice.bare(&[Opening]);
            let door = dice.described(bare);
            let after = door.after.filter(|a| a.quality != Access);
            return (dice.one(HANDLE), NounPhrase { after, ..door }.phrase());
        }
        1 => dice.object(ANYTHING),
        2 => return (&EAT, dice.bare(FOOD).phrase()),
        3 => return goal(dice),
        _ => return (dice.one(PASTIMES), Phrase::plain("", "", 2)),
    };
    (*dice.one(&[&LOOK_AT, &LOOK_FOR]), object.phrase())
}

/// Two things that one does not expect of the same noun.
#[rustfmt::skip]
const CONTRASTS: &[(&str, &str)] = &[
    ("small", "beautiful"), ("old", "beautiful"), ("old", "clean"),
    ("small", "expensive"), ("beautiful", "dirty"), ("small", "strong"),
    ("old", "strong"), ("young", "strong"), ("sick", "calm"),
    ("rich", "sad"), ("tired", "happy"), ("young", "rich"),
];

/// The house is small but it is beautiful. La maison est petite mais elle
/// est belle.
pub(crate) fn contrast(dice: &mut Dice) -> Option<Draft> {
    let pair = *dice.one(CONTRASTS);
    let subject = dice.bare(ANYTHING);
    let find = |word: &str| {
        let fits = |a: &&Adjective| {
            a.english == word && a.fits.iter().any(|f| f.contains(&subject.noun.class))
        };
        ADJECTIVES.iter().find(fits)
    };
    let (first, second) = (find(pair.0)?, find(pair.1)?);
    let who = subject.phrase();
    let both = [said_of(first, &who), said_of(second, &who)];
    Some(two_clauses(who, both, ("but", "mais")))
}

/// The girls are sleeping because they are tired. Les filles dorment parce
/// qu'elles sont fatiguées.
pub(crate) fn reason(dice: &mut Dice) -> Option<Draft> {
    let (verb, why) = *dice.one(&[
        (&SLEEP, "tired"),
        (&SLEEP, "sick"),
        (&EAT, "hungry"),
        (&PASTIMES[0], "happy"),
        (&PASTIMES[1], "happy"),
    ]);
    let who = match why {
        "happy" => dice.someone(),
        _ if dice.chance(30) => dice.bare(ANIMALS).phrase(),
        _ => dice.someone(),
    };
    let cause = match ADJECTIVES.iter().find(|a| a.english == why) {
        Some(a) if who.gender.is_some() || a.same_for_both() => said_of(a, &who),
        Some(_) => return None,
        None => Predicate::be(FEELINGS[0].0, AVOIR, FEELINGS[0].1),
    };
    let act = Predicate::does(verb, "", "");
    Some(two_clauses(who, [act, cause], ("because", "parce que")))
}

/// Joins two clauses about the same subject; the second says a pronoun.
fn two_clauses(who: Phrase, says: [Predicate; 2], word: Call) -> Draft {
    let again = who.pronoun();
    let [first, second] = says;
    let (first, second) = (Clause::new(who, first), Clause::new(again, second));
    let mood = Mood::State;
    let english = joined(&[&first.english(mood), word.0, &second.english(mood)]);
    let french = joined(&[&first.french(mood), word.1, &second.french(mood)]);
    Draft::new(NOBODY, &english, &french, '.')
}
