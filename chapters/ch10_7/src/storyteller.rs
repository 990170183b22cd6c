// ANCHOR: storyteller
//! Section 10.7: the storyteller that the program keeps between two runs, and
//! `write`, which lets it go on with what a reader begins.

use anyhow::{Result, anyhow};
use ch10_1::Dev;
use ch10_7::language::{self, Storyteller};
use ch10_7::stories::{STEPS, Stories};
use ch10_7::write::draw;
use clap::{Arg, ArgMatches, Command, value_parser};
use rand::SeedableRng;
use rand::rngs::StdRng;
use seq2seq::checkpoint::{from_bytes, to_bytes};
use seq2seq::vocab::Languages;
use std::path::PathBuf;
use support::Progress;

// ANCHOR_END: storyteller

// ANCHOR: write_command
/// How long halves of a Transformer are trained.
pub fn lessons() -> Arg {
    let lessons = Arg::new("lessons").long("lessons").value_name("N");
    let lessons = lessons.global(true).default_value("1200");
    lessons
        .value_parser(value_parser!(u32).range(10..))
        .help("Train what writes stories in so many steps")
}

/// The flags of `write`.
pub fn command() -> Command {
    let number = |name: &'static str, value: &'static str| {
        Arg::new(name).long(name).value_name("N").default_value(value)
    };
    let temperature = number("temperature", "0.5")
        .value_parser(temperature)
        .allow_negative_numbers(true)
        .help("0 writes the likeliest, 1 as often as it is likely");
    let words = number("words", "120")
        .value_parser(value_parser!(u32).range(1..))
        .help("Write at most so many words and marks");
    let seed = number("seed", "0")
        .value_parser(value_parser!(u64))
        .help("Seed of what is drawn");
    Command::new("write")
        .about("Write a story on; trains first if need be")
        .arg(Arg::new("beginning").default_value("").help("How it begins"))
        .args([temperature, words, seed])
}

fn temperature(text: &str) -> Result<f32, String> {
    let number = text.parse().ok();
    let number = number.filter(|x: &f32| x.is_finite() && *x >= 0.0);
    number.ok_or_else(|| "not a number of at least 0".to_string())
}
// ANCHOR_END: write_command

// ANCHOR: write_job
/// Writes a story on.
///
/// # Errors
/// It begins with a word that is not in the stories; the model cannot be kept
/// or read.
pub fn write(args: &ArgMatches) -> Result<()> {
    let stories = Stories::book();
    let text = args.get_one("beginning").map_or("", String::as_str);
    let prompt = stories.prompt(text)?;
    let mut kept = Kept::new(stories, 0, args);
    if let Some(path) = args.get_one::<PathBuf>("model") {
        kept.path = path.clone();
    }
    let model = kept.model()?;
    let number = |name| args.get_one::<f32>(name).copied();
    let way = Way {
        temperature: number("temperature").unwrap_or_default(),
        words: args.get_one::<u32>("words").map_or(STEPS, |&n| n as usize),
        seed: args.get_one::<u64>("seed").copied().unwrap_or_default(),
    };
    let story = way.write(&kept.stories, &model, &prompt);
    lines(&story).iter().for_each(|line| println!("{line}"));
    Ok(())
}

/// How a story is written.
pub struct Way {
    /// By which logits are divided.
    pub temperature: f32,
    /// How many words and marks at most.
    pub words: usize,
    /// Seeds what is drawn.
    pub seed: u64,
}

impl Way {
    /// The text of a story, what it begins with included.
    pub fn write(
        &self,
        stories: &Stories,
        model: &Storyteller,
        prompt: &[usize],
    ) -> String {
        let mut rng = StdRng::seed_from_u64(self.seed);
        let choose = |logits: &[f32]| draw(logits, self.temperature, &mut rng);
        let written = model.write::<STEPS>(prompt, self.words, choose);
        stories.text(&[prompt, &written].concat())
    }
}

/// A text in lines of at most 72 letters.
pub fn lines(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.len() - 1;
        let len = lines[last].chars().count() + word.chars().count();
        match &mut lines[last] {
            line if line.is_empty() => line.push_str(word),
            line if len < 72 => line.extend([" ", word]),
            _ => lines.push(word.to_string()),
        }
    }
    lines
}
// ANCHOR_END: write_job

// ANCHOR: kept_storyteller
/// Stories, and where the model that learnt from them is kept.
pub struct Kept {
    /// The stories.
    pub stories: Stories,
    seed: u64,
    lessons: usize,
    path: PathBuf,
}

/// After so many steps the perplexity of the steps since the last line, and of
/// the stories held out.
pub type Told = (usize, [f64; 2]);

impl Kept {
    /// Out of the flags; `seed` is that of the training.
    pub fn new(stories: Stories, seed: u64, args: &ArgMatches) -> Self {
        let lessons = args.get_one::<u32>("lessons");
        let lessons = lessons.map_or(0, |&n| n as usize);
        let name = format!("storyteller-{lessons}-{seed}.safetensors");
        let path = support::kept_folder("ch10_7").join(name);
        Kept { stories, seed, lessons, path }
    }

    fn languages(&self) -> Languages {
        let vocab = &self.stories.vocab;
        Languages { source: vocab.clone(), target: vocab.clone() }
    }

    /// Trains the model and keeps it. Beside it, how it went.
    ///
    /// # Errors
    /// It cannot be kept.
    pub fn train(&self) -> Result<(Storyteller, Vec<Told>)> {
        support::can_keep(&self.path)?;
        let mut progress = Progress::new("stories", self.lessons);
        let (mut told, mut sum, mut step) = (Vec::new(), (0.0, 0), 0);
        let learn = |loss: f32, tokens: usize, model: &Storyteller| {
            progress.step_of(tokens, loss / tokens as f32);
            step += 1;
            sum = (sum.0 + f64::from(loss), sum.1 + tokens);
            if step % (self.lessons / 10) == 0 {
                let held_out = &self.stories.held_out;
                let ours = f64::exp(sum.0 / sum.1 as f64);
                let theirs = model.perplexity::<STEPS>(held_out);
                told.push((step, [ours, theirs]));
                sum = (0.0, 0);
            }
        };
        let mut model = language::train(&self.stories, self.lessons, self.seed, learn);
        let bytes = to_bytes(&mut model, &self.languages())?;
        support::keep(&self.path, &bytes)?;
        Ok((model, told))
    }

    /// The model that is kept; if there is none, trains it.
    ///
    /// # Errors
    /// The file is damaged or of another model.
    pub fn model(&self) -> Result<Storyteller> {
        let path = self.path.display();
        if !self.path.exists() {
            support::can_keep(&self.path)?;
            eprintln!("no storyteller in {path} yet: training");
            return Ok(self.train()?.0);
        }
        let bytes = support::read_whole(&self.path)?;
        let dev = Dev::seed_from_u64(self.seed);
        let mut model = language::storyteller(&dev, &self.stories);
        let read = from_bytes(&bytes, &mut model, &self.languages());
        let hint = "--model FILE names another";
        read.map_err(|why| anyhow!("{path}: {why:#}; {hint}"))?;
        Ok(model)
    }
}
// ANCHOR_END: kept_storyteller
