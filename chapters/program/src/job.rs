//! A training as the flags ask for it: the sentences, the schedule, the saved
//! model.

use crate::sentences::warn;
use crate::{Setting, TrainingArgs};
use anyhow::{Context, Result, anyhow, ensure};
use ch10_2::parameters::Parameters;
use kernels::Dev;
use rand::{SeedableRng, rngs::StdRng};
use seq2seq::checkpoint::{Tensors, from_bytes, to_bytes};
use seq2seq::dataset::Dataset;
use seq2seq::text::{Pair, read_pairs};
use seq2seq::train::{BATCH, STEPS, Schedule, Seq2SeqModel, Training, train};
use seq2seq::vocab::{Vocab, Vocabularies};
use std::collections::HashSet;
use std::time::Instant;
use support::{ModelArgs, ModelFile, Progress, RunArgs, note, shown};

/// Saves a model in its file, with what it was made by.
///
/// # Errors
/// If it cannot be saved where `--model` says.
pub fn save<M: Parameters>(
    file: &ModelFile,
    model: &mut M,
    vocabularies: &[&Vocab],
) -> Result<()> {
    let made = words(&file.made().line());
    file.save(&to_bytes(model, &[vocabularies, &[&made]].concat()))
}

/// What a model was made by stands behind its vocabularies, like one.
fn words(line: &str) -> Vocab {
    Vocab::from_tokens(line.split(' ').map(String::from).collect())
}

/// Returns the model that is saved in a file, if one is; `new` makes one to fill,
/// which reads and writes with these vocabularies.
///
/// # Errors
/// If the file is damaged, or its model was made by something else.
pub fn saved<M: Parameters>(
    file: &ModelFile,
    new: impl FnOnce() -> M,
    vocabularies: &[&Vocab],
) -> Result<Option<M>> {
    let Some(bytes) = file.load()? else { return Ok(None) };
    let mut model = new();
    load(file, &bytes, &mut model, vocabularies).with_context(|| {
        let path = file.path().unwrap_or("the model".as_ref());
        shown(path)
    })?;
    file.answers();
    Ok(Some(model))
}

fn load<M: Parameters>(
    file: &ModelFile,
    bytes: &[u8],
    model: &mut M,
    vocabularies: &[&Vocab],
) -> Result<()> {
    let other = |why| anyhow!("{why:#}; --model FILE names another");
    let made = Tensors::new(bytes).and_then(|tensors| {
        let lines: Vec<&str> = tensors.text().lines().collect();
        (lines.len() > 1).then(|| lines[lines.len() - 1].to_string())
    });
    let Some(made) = made else {
        return from_bytes(bytes, model, vocabularies).map_err(other);
    };
    file.check_made(Some(&made))?;
    from_bytes(bytes, model, &[vocabularies, &[&words(&made)]].concat()).map_err(other)
}

/// What a program is to do: its flags and its sentences.
pub struct Job {
    /// The seed, and where figures go.
    pub run: RunArgs,
    /// How to train.
    pub training: TrainingArgs,
    /// Where the model is.
    pub model: ModelArgs,
    /// The sentences.
    pub dataset: Dataset,
    /// The bytes that they were read from.
    data: Vec<u8>,
}

impl Job {
    /// Reads the sentences of the book, or those of `--data`. What of those a model
    /// cannot learn is noted.
    ///
    /// # Errors
    /// If the file cannot be read or is not as it should be.
    pub fn new(run: RunArgs, training: TrainingArgs, model: ModelArgs) -> Result<Self> {
        let args = &training.sentences;
        let Some(path) = &args.data else {
            let data = seq2seq::corpus::PAIRS.as_bytes().to_vec();
            return Ok(Job { run, training, model, dataset: Dataset::book(), data });
        };
        let data = support::read_whole(path)?;
        let pairs = read_pairs(&data, args.pairs.unwrap_or(usize::MAX));
        let pairs = pairs.with_context(|| shown(path))?;
        let sources = pairs.iter().map(|pair| &pair.source);
        let tenth = sources.collect::<HashSet<_>>().len() / 10;
        let count = args.held_out.unwrap_or(tenth);
        // What is held out is the same whatever a training starts from.
        let dataset = Dataset::hold_out(pairs, count, &mut StdRng::seed_from_u64(0));
        let dataset = dataset.with_context(|| shown(path))?;
        warn(&shown(path), &dataset);
        Ok(Job { run, training, model, dataset, data })
    }

    /// Creates a run on the sentences of the book.
    pub fn book(run: impl Into<RunArgs>) -> Self {
        Self::of_book(run, crate::EpochArgs::default(), ModelArgs::default())
    }

    /// Creates a run on the sentences of the book, trained for `epochs`.
    pub fn of_book(
        run: impl Into<RunArgs>,
        epochs: crate::EpochArgs,
        model: ModelArgs,
    ) -> Self {
        let data = seq2seq::corpus::PAIRS.as_bytes().to_vec();
        let training = TrainingArgs { epochs, ..TrainingArgs::default() };
        Job { run: run.into(), training, model, dataset: Dataset::book(), data }
    }

    /// Returns pairs to show: these of the book, or, of a reader's own sentences,
    /// as many that were not trained with, if there are, and fit.
    pub fn examples<const N: usize>(&self, book: [(&str, &str); N]) -> Vec<Pair> {
        if self.training.sentences.data.is_none() {
            return book.map(|(source, target)| Pair::new(source, target)).to_vec();
        }
        let Dataset { train, validation, held_out, .. } = &self.dataset;
        let fits = |pair: &&Pair| pair.source.len().max(pair.target.len()) < STEPS;
        let all = held_out.iter().chain(validation).chain(train).filter(fits);
        all.take(N).cloned().collect()
    }

    /// Returns the schedule of a setting, with `--epochs` in it.
    pub fn schedule<M>(&self, setting: &Setting<M>) -> Schedule {
        let epochs = self.training.epochs.epochs.unwrap_or(setting.schedule.epochs);
        Schedule { epochs, ..setting.schedule }
    }

    /// Trains a model from a seed and shows its progress; `on_epoch` is called
    /// as in [`train`].
    ///
    /// # Errors
    /// If there is no pair to train with.
    pub fn train_from<M: Seq2SeqModel>(
        &self,
        what: &str,
        setting: &Setting<M>,
        seed: u64,
        on_epoch: impl FnMut(usize, &M),
    ) -> Result<(M, Vec<f32>)> {
        let schedule = self.schedule(setting);
        let steps = schedule.epochs * self.dataset.train.len().div_ceil(BATCH);
        let mut progress = Progress::new(what, steps);
        let on_step = |loss, tokens| progress.step_of(tokens, loss);
        let sizes = self.dataset.vocabularies.sizes();
        let model = |dev: &Dev| (setting.model)(dev, sizes);
        train(&self.dataset, &schedule, seed, model, on_step, on_epoch)
    }

    /// Trains the model of a section and saves it. Returns it with the loss of each
    /// epoch.
    ///
    /// # Errors
    /// If it cannot be saved where `--model` says.
    pub fn train<M: Seq2SeqModel>(
        &self,
        program: &str,
        setting: &Setting<M>,
    ) -> Result<(M, Vec<f32>)> {
        let file = self.file(program, setting);
        file.check()?;
        let (mut model, losses) = self.train_kept(&file, setting)?;
        let Vocabularies { source, target } = &self.dataset.vocabularies;
        save(&file, &mut model, &[source, target])?;
        file.finished();
        Ok((model, losses))
    }

    /// Trains a model, or goes on where a run that was stopped has left it: now and
    /// then the training is kept beside the file of the model.
    fn train_kept<M: Seq2SeqModel>(
        &self,
        file: &ModelFile,
        setting: &Setting<M>,
    ) -> Result<(M, Vec<f32>)> {
        let (schedule, seed) = (self.schedule(setting), self.run.seed);
        let sizes = self.dataset.vocabularies.sizes();
        let model = |dev: &Dev| (setting.model)(dev, sizes);
        let steps = self.dataset.train.len().div_ceil(BATCH);
        let mut progress = Progress::new("training", schedule.epochs * steps);
        let mut training = match file.kept() {
            Some((done, state)) if done < schedule.epochs => {
                let all = schedule.epochs;
                note(format_args!(
                    "... training: going on after epoch {done} of {all}"
                ));
                progress.resume(done * steps);
                let data = &self.dataset;
                Training::resume::<STEPS>(data, &schedule, seed, model, done, &state)?
            }
            _ => Training::new(&schedule, seed, model),
        };
        let mut last = Instant::now();
        for epoch in training.losses.len() + 1..=schedule.epochs {
            let on_step = |loss, tokens| progress.step_of(tokens, loss);
            training.epoch::<STEPS>(&self.dataset, on_step)?;
            if last.elapsed().as_secs() >= self.model.keep_every {
                file.keep(epoch, &training.state());
                last = Instant::now();
            }
        }
        Ok(training.finish())
    }

    /// Returns the saved model of a section; if there is none, trains it.
    ///
    /// # Errors
    /// If the file is damaged or of another model.
    pub fn model<M: Seq2SeqModel>(
        &self,
        program: &str,
        setting: &Setting<M>,
    ) -> Result<M> {
        let file = self.file(program, setting);
        let Vocabularies { source, target } = &self.dataset.vocabularies;
        let sizes = self.dataset.vocabularies.sizes();
        let new = || (setting.model)(&Dev::default(), sizes);
        if let Some(model) = saved(&file, new, &[source, target])? {
            return Ok(model);
        }
        note("no model for this setting and these sentences yet: training");
        Ok(self.train(program, setting)?.0)
    }

    /// Prints, for a recorded run, the hash of what it depends on, as
    /// [`RunArgs::print_settings`] does.
    pub fn print_settings<M>(&self, settings: &[&Setting<M>], seeds: u64) {
        let each = settings.iter().map(|one| (&one.config, self.schedule(one)));
        let each: Vec<_> = each.collect();
        let name = settings.first().map_or("", |one| one.name);
        let sentences = &self.training.sentences;
        let all = (name, each, seeds, sentences.pairs, sentences.held_out);
        self.run.print_settings(&all, &self.data);
    }

    /// Returns where the model of a section is saved.
    pub fn file<M>(&self, program: &str, setting: &Setting<M>) -> ModelFile {
        let sentences = &self.training.sentences;
        let split = (sentences.pairs, sentences.held_out);
        let model = (setting.name, &setting.config);
        let settings = (model, self.schedule(setting), self.run.seed, split);
        ModelFile::new(&self.model, program, &settings, &self.data, self.flags())
    }

    /// Returns the flags that ask for this model again.
    fn flags(&self) -> String {
        let sentences = &self.training.sentences;
        let data = sentences.data.as_ref().map(|path| shown(path));
        let number = |number: Option<usize>| number.map(|number| number.to_string());
        let seed = Some(self.run.seed).filter(|seed| *seed != 0);
        let flags = [
            ("--data", data),
            ("--pairs", number(sentences.pairs)),
            ("--held-out", number(sentences.held_out)),
            ("--epochs", number(self.training.epochs.epochs)),
            ("--seed", seed.map(|seed| seed.to_string())),
        ];
        let given = flags.into_iter().filter_map(|(flag, value)| {
            let value = value?;
            Some(format!("{flag} {value}"))
        });
        given.collect::<Vec<_>>().join(" ")
    }

    /// Returns the tokens of a sentence to translate.
    ///
    /// # Errors
    /// If there are none, or more than a model reads.
    pub fn sentence(&self, sentence: &str) -> Result<Vec<String>> {
        let source = seq2seq::text::tokens(sentence);
        let (most, len) = (STEPS - 1, source.len());
        let blank = sentence.chars().any(|c| c.is_control());
        ensure!(!blank, "a control character in the sentence");
        ensure!(len > 0, "there is no sentence to translate");
        ensure!(len <= most, "{len} tokens; the model reads at most {most}");
        Ok(source)
    }
}
