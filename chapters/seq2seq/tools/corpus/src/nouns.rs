//! The nouns.

use crate::words::Class::*;
use crate::words::Gender::{F, M};
use crate::words::{Class, Gender, Noun};

const fn noun(
    english: [&'static str; 2],
    french: [&'static str; 2],
    gender: Gender,
    class: Class,
) -> Noun {
    Noun { english, french, gender, class }
}

/// Every noun of the corpus. Every h in it is mute: l'homme, l'hôtel.
#[rustfmt::skip]
pub const NOUNS: &[Noun] = &[
    noun(["man", "men"], ["homme", "hommes"], M, Adult),
    noun(["woman", "women"], ["femme", "femmes"], F, Adult),
    noun(["king", "kings"], ["roi", "rois"], M, Adult),
    noun(["queen", "queens"], ["reine", "reines"], F, Adult),
    noun(["boy", "boys"], ["garçon", "garçons"], M, Child),
    noun(["girl", "girls"], ["fille", "filles"], F, Child),
    noun(["child", "children"], ["enfant", "enfants"], M, Child),
    noun(["brother", "brothers"], ["frère", "frères"], M, Kin),
    noun(["sister", "sisters"], ["sœur", "sœurs"], F, Kin),
    noun(["dog", "dogs"], ["chien", "chiens"], M, Pet),
    noun(["cat", "cats"], ["chat", "chats"], M, Pet),
    noun(["bird", "birds"], ["oiseau", "oiseaux"], M, Pet),
    noun(["mouse", "mice"], ["souris", "souris"], F, Pet),
    noun(["horse", "horses"], ["cheval", "chevaux"], M, Farm),
    noun(["cow", "cows"], ["vache", "vaches"], F, Farm),
    noun(["book", "books"], ["livre", "livres"], M, Item),
    noun(["hat", "hats"], ["chapeau", "chapeaux"], M, Item),
    noun(["bag", "bags"], ["sac", "sacs"], M, Item),
    noun(["key", "keys"], ["clé", "clés"], F, Item),
    noun(["dress", "dresses"], ["robe", "robes"], F, Item),
    noun(["car", "cars"], ["voiture", "voitures"], F, Vehicle),
    noun(["boat", "boats"], ["bateau", "bateaux"], M, Vehicle),
    noun(["plane", "planes"], ["avion", "avions"], M, Vehicle),
    noun(["table", "tables"], ["table", "tables"], F, Furniture),
    noun(["chair", "chairs"], ["chaise", "chaises"], F, Furniture),
    noun(["door", "doors"], ["porte", "portes"], F, Opening),
    noun(["window", "windows"], ["fenêtre", "fenêtres"], F, Opening),
    noun(["house", "houses"], ["maison", "maisons"], F, House),
    noun(["school", "schools"], ["école", "écoles"], F, School),
    noun(["garden", "gardens"], ["jardin", "jardins"], M, Garden),
    noun(["flower", "flowers"], ["fleur", "fleurs"], F, Flower),
    noun(["tree", "trees"], ["arbre", "arbres"], M, Tree),
    noun(["apple", "apples"], ["pomme", "pommes"], F, Fruit),
    noun(["cake", "cakes"], ["gâteau", "gâteaux"], M, Cake),
    noun(["park", "parks"], ["parc", "parcs"], M, Public),
    noun(["hotel", "hotels"], ["hôtel", "hôtels"], M, Public),
    noun(["station", "stations"], ["gare", "gares"], F, Public),
    noun(["beach", "beaches"], ["plage", "plages"], F, Public),
];
