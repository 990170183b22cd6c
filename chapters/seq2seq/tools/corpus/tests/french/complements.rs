//! What may follow a verb.

use super::lexicon::{Adjective, Verb};
use super::reader::{Read, Reader, Who};

impl Reader<'_> {
    fn end(&self) -> bool {
        [".", "!", "?", "mais", "parce"].contains(&self.peek(0))
    }

    pub fn complement(&mut self, verb: &Verb, who: Who, no: bool) -> Read<()> {
        match verb.infinitive.as_str() {
            "être" if self.place()? => Ok(()),
            "être" => self.agreeing(who, "v").map(|_| ()),
            "avoir" if self.feeling() => Ok(()),
            "vouloir" if self.infinitive()? => Ok(()),
            "aller" | "parler" => {
                self.expect("à")?;
                self.somebody().map(|_| ())
            }
            "chanter" | "danser" | "travailler" | "jouer" | "dormir" => {
                self.place()?;
                Ok(())
            }
            "manger" if self.end() || self.place()? => Ok(()),
            "avoir" => {
                self.mean("have");
                self.noun_phrase(no).map(|_| ())
            }
            _ => self.noun_phrase(no).map(|_| ()),
        }
    }

    fn feeling(&mut self) -> bool {
        let means = match self.peek(0) {
            "faim" => "hungry",
            "soif" => "thirsty",
            "froid" => "cold",
            "chaud" => "hot",
            "peur" => "afraid",
            _ => return false,
        };
        self.at += 1;
        self.mean(means);
        true
    }

    fn infinitive(&mut self) -> Read<bool> {
        let word = self.peek(0);
        let mut verbs = self.lexicon.verbs.iter();
        let Some(verb) = verbs.find(|verb| verb.infinitive == word) else {
            return Ok(false);
        };
        self.at += 1;
        self.mean(&format!("to {}", verb.english));
        let who = Who { person: 2, feminine: None };
        self.complement(verb, who, false).map(|()| true)
    }

    pub fn place(&mut self) -> Read<bool> {
        let means = match self.peek(0) {
            "dans" => "in",
            "sur" => "on",
            "sous" => "under",
            "derrière" => "behind",
            "devant" => "in front of",
            "à" => "at",
            _ => return Ok(false),
        };
        self.at += 1;
        self.mean(means);
        self.noun_phrase(false).map(|_| true)
    }

    /// An adjective that may stand here and agrees.
    pub fn agreeing(&mut self, who: Who, place: &str) -> Read<&Adjective> {
        let word = self.peek(0).to_string();
        let plural = 2 * usize::from(who.person > 2);
        let fits = |a: &&Adjective| match who.feminine {
            Some(feminine) => a.forms[plural + usize::from(feminine)] == word,
            // Nobody knows whether « je » is a man or a woman.
            None => a.forms[plural..plural + 2].iter().all(|f| *f == word),
        };
        let adjectives = &self.lexicon.adjectives;
        let may = |a: &&Adjective| a.place.contains(place);
        let found = adjectives.iter().filter(may).find(fits);
        let found = found.ok_or(format!("adjective « {word} »"))?;
        self.at += 1;
        self.mean(&found.english);
        Ok(found)
    }
}
