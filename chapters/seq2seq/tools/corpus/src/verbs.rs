//! The verbs, each in the present of both languages.

use crate::words::Verb;

/// The complement of "be" that French says with « avoir » and a noun.
#[rustfmt::skip]
pub const FEELINGS: &[(&str, &str)] = &[
    ("hungry", "faim"),
    ("thirsty", "soif"),
    ("cold", "froid"),
    ("hot", "chaud"),
    ("afraid", "peur"),
];

/// « être »: English "be" has tables of its own.
pub const BE: [&str; 6] = ["suis", "es", "est", "sommes", "êtes", "sont"];
/// « avoir », which also says what one feels: j'ai faim.
pub const AVOIR: [&str; 6] = ["ai", "as", "a", "avons", "avez", "ont"];

/// What one can order someone to do to a door.
pub const HANDLE: &[Verb] = &[
    Verb {
        english: ["open", "opens", "opening"],
        french: ["ouvre", "ouvres", "ouvre", "ouvrons", "ouvrez", "ouvrent"],
        infinitive: "ouvrir",
        command: ["ouvre", "ouvrez"],
    },
    Verb {
        english: ["close", "closes", "closing"],
        french: ["ferme", "fermes", "ferme", "fermons", "fermez", "ferment"],
        infinitive: "fermer",
        command: ["ferme", "fermez"],
    },
];

/// What people do.
pub const PASTIMES: &[Verb] = &[
    Verb {
        english: ["sing", "sings", "singing"],
        french: ["chante", "chantes", "chante", "chantons", "chantez", "chantent"],
        infinitive: "chanter",
        command: ["chante", "chantez"],
    },
    Verb {
        english: ["dance", "dances", "dancing"],
        french: ["danse", "danses", "danse", "dansons", "dansez", "dansent"],
        infinitive: "danser",
        command: ["danse", "dansez"],
    },
    Verb {
        english: ["work", "works", "working"],
        french: [
            "travaille",
            "travailles",
            "travaille",
            "travaillons",
            "travaillez",
            "travaillent",
        ],
        infinitive: "travailler",
        command: ["travaille", "travaillez"],
    },
    Verb {
        english: ["play", "plays", "playing"],
        french: ["joue", "joues", "joue", "jouons", "jouez", "jouent"],
        infinitive: "jouer",
        command: ["joue", "jouez"],
    },
    SLEEP,
    EAT,
];

/// « dormir »
pub const SLEEP: Verb = Verb {
    english: ["sleep", "sleeps", "sleeping"],
    french: ["dors", "dors", "dort", "dormons", "dormez", "dorment"],
    infinitive: "dormir",
    command: ["dors", "dormez"],
};
/// « manger »
pub const EAT: Verb = Verb {
    english: ["eat", "eats", "eating"],
    french: ["mange", "manges", "mange", "mangeons", "mangez", "mangent"],
    infinitive: "manger",
    command: ["mange", "mangez"],
};
/// « regarder »
pub const LOOK_AT: Verb = Verb {
    english: ["look at", "looks at", "looking at"],
    french: ["regarde", "regardes", "regarde", "regardons", "regardez", "regardent"],
    infinitive: "regarder",
    command: ["regarde", "regardez"],
};
/// « chercher »
pub const LOOK_FOR: Verb = Verb {
    english: ["look for", "looks for", "looking for"],
    french: ["cherche", "cherches", "cherche", "cherchons", "cherchez", "cherchent"],
    infinitive: "chercher",
    command: ["cherche", "cherchez"],
};
/// « parler à »
pub const TALK: Verb = Verb {
    english: ["talk to", "talks to", "talking to"],
    french: ["parle", "parles", "parle", "parlons", "parlez", "parlent"],
    infinitive: "parler",
    command: ["parle", "parlez"],
};
/// « aller à »
pub const GO: Verb = Verb {
    english: ["go to", "goes to", "going to"],
    french: ["vais", "vas", "va", "allons", "allez", "vont"],
    infinitive: "aller",
    command: ["va", "allez"],
};
/// « voir »
pub const SEE: Verb = Verb {
    english: ["see", "sees", ""],
    french: ["vois", "vois", "voit", "voyons", "voyez", "voient"],
    infinitive: "voir",
    command: ["", ""],
};
/// « vouloir »
pub const WANT: Verb = Verb {
    english: ["want", "wants", ""],
    french: ["veux", "veux", "veut", "voulons", "voulez", "veulent"],
    infinitive: "vouloir",
    command: ["", ""],
};
/// « aimer »
pub const LIKE: Verb = Verb {
    english: ["like", "likes", ""],
    french: ["aime", "aimes", "aime", "aimons", "aimez", "aiment"],
    infinitive: "aimer",
    command: ["", ""],
};
/// « avoir », of what one owns.
pub const HAVE: Verb = Verb {
    english: ["have", "has", ""],
    french: AVOIR,
    infinitive: "avoir",
    command: ["", ""],
};
