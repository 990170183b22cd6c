//! A second list of the French words: every form is made by a rule of the
//! school grammar, exceptions are spelled out. Nothing here comes from the
//! tables of the corpus.

/// A noun: what it means in the singular and the plural, its two forms.
pub struct Noun {
    pub english: [String; 2],
    pub forms: [String; 2],
    pub feminine: bool,
}

/// An adjective: masculine, feminine, then both in the plural.
pub struct Adjective {
    pub english: String,
    pub forms: Vec<String>,
    pub before_vowel: Option<String>,
    /// `b` before the noun, `a` after it, `v` after the verb.
    pub place: String,
}

/// A verb: its English words, infinitive, present, and two imperatives.
pub struct Verb {
    pub english: String,
    pub infinitive: String,
    pub present: Vec<String>,
    pub command: [String; 2],
}

/// Everything.
pub struct Lexicon {
    pub nouns: Vec<Noun>,
    pub adjectives: Vec<Adjective>,
    pub verbs: Vec<Verb>,
}

/// English singular, French; the English plural where it is irregular.
const MASCULINE: &str = "king roi, man homme men, boy garçon, \
    child enfant children, brother frère, cat chat, dog chien, bird oiseau, \
    horse cheval, bag sac, hat chapeau, book livre, boat bateau, \
    plane avion, garden jardin, tree arbre, cake gâteau, park parc, \
    hotel hôtel";
const FEMININE: &str = "queen reine, woman femme women, girl fille, \
    sister sœur, cow vache, mouse souris mice, key clé, \
    dress robe dresses, car voiture, chair chaise, table table, \
    window fenêtre, door porte, school école, house maison, flower fleur, \
    apple pomme, beach plage beaches, station gare";

/// English, masculine, place; then the feminine where it is not the
/// masculine with an e, and the form before a vowel.
const ADJECTIVES: &str = "big grand bv, small petit bv, \
    young jeune bv, old vieux bv vieille vieil, \
    new nouveau b nouvelle nouvel, beautiful beau bv belle bel, \
    new neuf v neuve, black noir av, white blanc av blanche, green vert av, \
    blue bleu av, red rouge av, yellow jaune av, dirty sale av, \
    clean propre av, expensive cher av chère, open ouvert av, \
    closed fermé av, sick malade av, tired fatigué av, strong fort av, \
    sad triste av, happy heureux av heureuse, rich riche av, calm calme av";

/// Regular verbs: what they mean, the infinitive.
const FIRST_GROUP: &str = "sing chanter, dance danser, work travailler, \
    play jouer, eat manger, look-at regarder, look-for chercher, \
    talk-to parler, like aimer, close fermer";
/// Verbs with a present of their own.
const OTHERS: &str = "be être suis es est sommes êtes sont, \
    have avoir ai as a avons avez ont, \
    go-to aller vais vas va allons allez vont, \
    see voir vois vois voit voyons voyez voient, \
    want vouloir veux veux veut voulons voulez veulent, \
    sleep dormir dors dors dort dormons dormez dorment, \
    open ouvrir ouvre ouvres ouvre ouvrons ouvrez ouvrent";

fn rows(table: &str) -> impl Iterator<Item = Vec<&str>> {
    table.split(',').map(|row| row.split_whitespace().collect())
}

fn plural(word: &str) -> String {
    match word {
        w if w.ends_with(['s', 'x']) => w.to_string(),
        w if w.ends_with("eau") => format!("{w}x"),
        w => match w.strip_suffix("al") {
            Some(stem) => format!("{stem}aux"),
            None => format!("{w}s"),
        },
    }
}

fn noun(row: &[&str], feminine: bool) -> Noun {
    let many = row.get(2).map_or(format!("{}s", row[0]), |w| w.to_string());
    Noun {
        english: [row[0].to_string(), many],
        forms: [row[1].to_string(), plural(row[1])],
        feminine,
    }
}

fn adjective(row: &[&str]) -> Adjective {
    let (masculine, regular) = (row[1], format!("{}e", row[1]));
    let same = masculine.ends_with('e');
    let regular = if same { masculine.to_string() } else { regular };
    let feminine = row.get(3).map_or(regular, |w| w.to_string());
    let many = [plural(masculine), plural(&feminine)];
    let [many_m, many_f] = many;
    Adjective {
        english: row[0].to_string(),
        forms: vec![masculine.to_string(), feminine, many_m, many_f],
        before_vowel: row.get(4).map(|w| w.to_string()),
        place: row[2].to_string(),
    }
}

fn regular(row: &[&str]) -> Verb {
    let stem = row[1].strip_suffix("er").expect("a verb in -er");
    // « nous mangeons » keeps the sound of the g.
    let nous = if stem.ends_with('g') { "eons" } else { "ons" };
    let endings = ["e", "es", "e", nous, "ez", "ent"];
    let present = endings.map(|ending| format!("{stem}{ending}")).to_vec();
    let command = [format!("{stem}e"), format!("{stem}ez")];
    let english = row[0].replace('-', " ");
    Verb { english, infinitive: row[1].to_string(), present, command }
}

fn irregular(row: &[&str]) -> Verb {
    let present: Vec<String> = row[2..].iter().map(|w| w.to_string()).collect();
    let tu = match row[1] {
        "aller" | "ouvrir" => present[2].clone(),
        _ => present[1].clone(),
    };
    let command = [tu, present[4].clone()];
    let english = row[0].replace('-', " ");
    Verb { english, infinitive: row[1].to_string(), present, command }
}

impl Lexicon {
    /// Builds every form.
    pub fn new() -> Self {
        let masculine = rows(MASCULINE).map(|row| noun(&row, false));
        let feminine = rows(FEMININE).map(|row| noun(&row, true));
        let verbs = rows(FIRST_GROUP).map(|row| regular(&row));
        Lexicon {
            nouns: masculine.chain(feminine).collect(),
            adjectives: rows(ADJECTIVES).map(|row| adjective(&row)).collect(),
            verbs: verbs.chain(rows(OTHERS).map(|row| irregular(&row))).collect(),
        }
    }
}
