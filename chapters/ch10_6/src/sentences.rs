// ANCHOR: sentences
//! Sentences of our own in which the last adjective decides what "it" means:
//! section 10.6. It knows no model.

use rand::Rng;
use rand::rngs::StdRng;

/// Who acts, and who may be acted on.
pub const ANIMALS: [&str; 10] =
    ["animal", "dog", "cat", "horse", "fox", "hare", "goat", "bear", "duck", "mouse"];
/// What else may be acted on.
pub const PLACES: [&str; 10] = [
    "street", "road", "path", "bridge", "river", "valley", "field", "garden", "tunnel",
    "market",
];
/// What animals do to places: as in "did not", as in "was not … by".
pub const CROSS: [[&str; 2]; 4] = [
    ["cross", "crossed"],
    ["enter", "entered"],
    ["visit", "visited"],
    ["explore", "explored"],
];
/// What animals do to animals, likewise.
pub const CHASE: [[&str; 2]; 4] = [
    ["chase", "chased"],
    ["catch", "caught"],
    ["follow", "followed"],
    ["stop", "stopped"],
];
/// Why one does not do it: then "it" is who acts.
pub const WEAK: [&str; 8] =
    ["tired", "ill", "lazy", "slow", "weak", "sleepy", "scared", "hungry"];
/// Why it is not done to a place: then "it" is the place.
pub const WIDE: [&str; 8] =
    ["wide", "long", "dark", "muddy", "noisy", "busy", "crowded", "narrow"];
/// Why it is not done to an animal: then "it" is that animal.
pub const FAST: [&str; 6] = ["fast", "quick", "clever", "strong", "nimble", "big"];
/// The words that hold a sentence together; the first fills it up.
const OTHERS: [&str; 11] = [
    "",
    "the",
    "did",
    "was",
    "not",
    "by",
    "because",
    "it",
    "too",
    "today",
    "yesterday",
];
// ANCHOR_END: sentences

// ANCHOR: vocabulary
/// Words that a sentence has at most.
pub const WORDS: usize = 14;
/// All words, each once.
pub const VOCABULARY: usize = 69;

/// All words, each with its number: its place here.
pub fn vocabulary() -> Vec<&'static str> {
    let mut words = OTHERS.to_vec();
    words.extend(CROSS.concat());
    words.extend(CHASE.concat());
    words.extend(ANIMALS.iter().chain(&PLACES));
    words.extend(WEAK.iter().chain(&WIDE).chain(&FAST));
    words
}

/// The number of a word; 0 if it is not known.
pub fn number(word: &str) -> usize {
    vocabulary().iter().position(|known| *known == word).unwrap_or(0)
}
// ANCHOR_END: vocabulary

// ANCHOR: fact
/// What a sentence says: who did not do what to whom, and why.
#[derive(Clone, Copy, Debug)]
pub struct Fact {
    /// Who acts.
    pub agent: &'static str,
    /// Who or what is acted on.
    pub patient: &'static str,
    /// What is not done, in both forms.
    pub verb: [&'static str; 2],
    /// The adjective.
    pub why: &'static str,
    /// Whether the adjective speaks of who acts.
    pub of_agent: bool,
}

impl Fact {
    /// Draws one, of places and of animals as often, and as often with an
    /// adjective for who acts as with one for what is acted on.
    pub fn new(rng: &mut StdRng) -> Self {
        let of_agent = rng.gen_bool(0.5);
        let (patients, verbs, whys) = match rng.gen_bool(0.5) {
            true => (&PLACES, &CROSS, &WIDE[..]),
            false => (&ANIMALS, &CHASE, &FAST[..]),
        };
        let agent = pick(&ANIMALS, rng);
        let mut patient = agent;
        while patient == agent {
            patient = pick(patients, rng);
        }
        let whys = if of_agent { &WEAK } else { whys };
        let (verb, why) = (pick(verbs, rng), pick(whys, rng));
        Self { agent, patient, verb, why, of_agent }
    }
}

fn pick<X: Copy>(from: &[X], rng: &mut StdRng) -> X {
    from[rng.gen_range(0..from.len() as u32) as usize]
}
// ANCHOR_END: fact

// ANCHOR: held_out
impl Fact {
    /// What "it" is, and what it is not.
    pub fn nouns(&self) -> [&'static str; 2] {
        match self.of_agent {
            true => [self.agent, self.patient],
            false => [self.patient, self.agent],
        }
    }

    /// Whether a model may be trained on it, or tested, or neither: one in
    /// five pairs of noun and adjective is kept for the test, and stands in
    /// no sentence of the training, whichever noun "it" means there.
    pub fn is_for(&self, test: bool) -> bool {
        let kept = |noun: &str| (number(noun) + number(self.why)).is_multiple_of(5);
        let [meant, other] = self.nouns();
        if test { kept(meant) } else { !kept(meant) && !kept(other) }
    }
}
// ANCHOR_END: held_out

// ANCHOR: sentence
/// A sentence with one "it".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// Its words.
    pub words: Vec<&'static str>,
    /// The noun that "it" means.
    pub meant: &'static str,
    /// The other noun.
    pub other: &'static str,
}

/// How a fact is told.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// "was not crossed by" in place of "did not cross".
    pub passive: bool,
    /// Begins with the reason.
    pub reason_first: bool,
    /// Begins with "today" or the like; or empty.
    pub opening: &'static str,
}

impl Style {
    /// Draws one for a fact. Of places everything is told in four orders; of
    /// two animals in one, since their roles have no other mark.
    pub fn new(fact: &Fact, rng: &mut StdRng) -> Self {
        let free = PLACES.contains(&fact.patient);
        let (passive, reason_first) = (rng.gen_bool(0.5), rng.gen_bool(0.5));
        Self {
            passive: free && passive,
            reason_first: free && reason_first,
            opening: pick(&["", "today", "yesterday"], rng),
        }
    }
}

impl Sentence {
    /// Puts a fact into words.
    pub fn new(fact: &Fact, style: &Style) -> Self {
        let Fact { agent, patient, verb: [plain, done], why, .. } = *fact;
        let mut words = vec!["the", agent, "did", "not", plain, "the", patient];
        if style.passive {
            words = vec!["the", patient, "was", "not", done, "by", "the", agent];
        }
        let reason = ["because", "it", "was", "too", why];
        match style.reason_first {
            true => words.splice(0..0, reason),
            false => words.splice(words.len().., reason),
        };
        if !style.opening.is_empty() {
            words.insert(0, style.opening);
        }
        let [meant, other] = fact.nouns();
        Self { words, meant, other }
    }

    /// Draws a sentence to train on, or one to test.
    pub fn draw(rng: &mut StdRng, test: bool) -> Self {
        loop {
            let fact = Fact::new(rng);
            let style = Style::new(&fact, rng);
            if fact.is_for(test) {
                return Self::new(&fact, &style);
            }
        }
    }

    /// The place of a word; 0 if it is not there.
    pub fn place(&self, word: &str) -> usize {
        self.words.iter().position(|w| *w == word).unwrap_or(0)
    }

    /// The place of the adjective.
    pub fn why(&self) -> usize {
        self.place("too") + 1
    }
}
// ANCHOR_END: sentence
