//! The adjectives.

use crate::words::Class::*;
use crate::words::Position::{After, Before, OnlyBefore, OnlyVerb};
use crate::words::Quality::*;
use crate::words::{Adjective, Class, PEOPLE, Position, Quality};

/// What one can own and touch.
const THINGS: &[Class] = &[Item, Vehicle, Furniture, Opening, House, School, Garden];
/// What a factory makes: it can be « neuf ».
const MADE: &[Class] = &[Item, Vehicle, Furniture, Opening];
/// What can be painted, or grows, in any colour.
const PAINTED: &[Class] = &[Item, Vehicle, Furniture, Opening, House, School, Flower];
const LIVING: &[Class] = &[Adult, Child, Kin, Pet, Farm];

const fn adjective(
    english: &'static str,
    french: [&'static str; 4],
    position: Position,
    quality: Quality,
    fits: &'static [&'static [Class]],
) -> Adjective {
    Adjective { english, french, vowel: None, position, quality, fits }
}

impl Adjective {
    const fn before_vowel(mut self, form: &'static str) -> Self {
        self.vowel = Some(form);
        self
    }
}

/// Every adjective of the corpus. "New" is « nouveau » before a noun and
/// « neuf » after a verb. Doors are open or closed in any place; nobody speaks
/// of a closed beach.
pub const ADJECTIVES: &[Adjective] = &[
    adjective(
        "big",
        ["grand", "grande", "grands", "grandes"],
        Before,
        Size,
        &[&[Kin, Pet, Farm, Flower, Tree, Fruit, Cake, Public], THINGS],
    ),
    adjective(
        "small",
        ["petit", "petite", "petits", "petites"],
        Before,
        Size,
        &[LIVING, &[Flower, Tree, Fruit, Cake, Public], THINGS],
    ),
    adjective(
        "old",
        ["vieux", "vieille", "vieux", "vieilles"],
        Before,
        Age,
        &[&[Adult, Pet, Farm, Tree, Public], THINGS],
    )
    .before_vowel("vieil"),
    adjective(
        "young",
        ["jeune", "jeune", "jeunes", "jeunes"],
        Before,
        Age,
        &[&[Adult, Child, Pet, Farm]],
    ),
    adjective(
        "new",
        ["nouveau", "nouvelle", "nouveaux", "nouvelles"],
        OnlyBefore,
        Age,
        &[&[Public], THINGS],
    )
    .before_vowel("nouvel"),
    adjective("new", ["neuf", "neuve", "neufs", "neuves"], OnlyVerb, Age, &[MADE]),
    adjective(
        "beautiful",
        ["beau", "belle", "beaux", "belles"],
        Before,
        Look,
        &[&[Pet, Farm, Flower, Tree, Fruit, Cake, Public], THINGS],
    )
    .before_vowel("bel"),
    adjective(
        "red",
        ["rouge", "rouge", "rouges", "rouges"],
        After,
        Colour,
        &[PAINTED, &[Fruit]],
    ),
    adjective(
        "yellow",
        ["jaune", "jaune", "jaunes", "jaunes"],
        After,
        Colour,
        &[PAINTED, &[Fruit]],
    ),
    adjective(
        "green",
        ["vert", "verte", "verts", "vertes"],
        After,
        Colour,
        &[MADE, &[House, School, Tree, Fruit]],
    ),
    adjective("blue", ["bleu", "bleue", "bleus", "bleues"], After, Colour, &[PAINTED]),
    adjective(
        "white",
        ["blanc", "blanche", "blancs", "blanches"],
        After,
        Colour,
        &[PAINTED, &[Pet, Farm]],
    ),
    adjective(
        "black",
        ["noir", "noire", "noirs", "noires"],
        After,
        Colour,
        &[MADE, &[Pet, Farm]],
    ),
    adjective(
        "clean",
        ["propre", "propre", "propres", "propres"],
        After,
        Care,
        &[MADE, &[House, School, Public]],
    ),
    adjective(
        "dirty",
        ["sale", "sale", "sales", "sales"],
        After,
        Care,
        &[MADE, &[House, School, Public, Pet, Farm]],
    ),
    adjective(
        "expensive",
        ["cher", "chère", "chers", "chères"],
        After,
        Price,
        &[&[Item, Vehicle, Furniture, Flower, Cake]],
    ),
    adjective(
        "open",
        ["ouvert", "ouverte", "ouverts", "ouvertes"],
        After,
        Access,
        &[&[Opening]],
    ),
    adjective(
        "open",
        ["ouvert", "ouverte", "ouverts", "ouvertes"],
        OnlyVerb,
        Access,
        &[&[School, Garden, Public]],
    ),
    adjective(
        "closed",
        ["fermé", "fermée", "fermés", "fermées"],
        After,
        Access,
        &[&[Opening]],
    ),
    adjective(
        "closed",
        ["fermé", "fermée", "fermés", "fermées"],
        OnlyVerb,
        Access,
        &[&[School, Garden, Public]],
    ),
    adjective(
        "tired",
        ["fatigué", "fatiguée", "fatigués", "fatiguées"],
        After,
        Body,
        &[LIVING],
    ),
    adjective(
        "sick",
        ["malade", "malade", "malades", "malades"],
        After,
        Body,
        &[LIVING],
    ),
    adjective("strong", ["fort", "forte", "forts", "fortes"], After, Body, &[LIVING]),
    adjective(
        "happy",
        ["heureux", "heureuse", "heureux", "heureuses"],
        After,
        Mood,
        &[PEOPLE],
    ),
    adjective(
        "sad",
        ["triste", "triste", "tristes", "tristes"],
        After,
        Mood,
        &[PEOPLE],
    ),
    adjective("calm", ["calme", "calme", "calmes", "calmes"], After, Temper, &[LIVING]),
    adjective(
        "rich",
        ["riche", "riche", "riches", "riches"],
        After,
        Wealth,
        &[&[Adult, Kin]],
    ),
];
