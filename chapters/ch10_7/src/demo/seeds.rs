//! The section's model from several seeds: how well each translates, what two
//! defects of evaluation would cost it, and what attends to a noun.

use super::{Section, TransformerSection};
use anyhow::Result;
use ch10_3::Mask;
use ch10_7::translator::{BookTransformer, HEADS, LAYERS, WIDTH};
use dfdx::prelude::*;
use kernels::{Tensor1, Tensor4};
use program::{Job, printable_tokens};
use seq2seq::dataset::Evaluation;
use seq2seq::loss::masked_cross_entropy;
use seq2seq::text::Pair;
use seq2seq::train::{PART, STEPS, Seq2SeqModel};
use seq2seq::vocab::Batch;
use support::{heading, row};

/// Seeds from which it is trained.
const SEEDS: u64 = 5;

/// Trains the models, and prints what each part finds.
pub fn seeds(job: &Job) -> Result<()> {
    let setting = TransformerSection::book();
    job.print_settings(&[&setting], SEEDS);
    let mut models = Vec::new();
    for seed in support::seeds(job.run.seed, SEEDS) {
        let name = format!("seed {seed}");
        let (model, _) = job.train_from(&name, &setting, seed, |_, _| ())?;
        models.push((seed, model));
    }
    let dataset = &job.dataset;
    heading("Held-out sentences");
    row("seed", 6, &["BLEU-2", "corpus", "right"]);
    for (seed, model) in &models {
        let Evaluation { mean_bleu, corpus_bleu, exact, .. } =
            Evaluation::new(model, dataset, &dataset.held_out);
        let cells = [mean_bleu, corpus_bleu, exact].map(|x| format!("{x:.3}"));
        row(&seed.to_string(), 6, &cells);
    }
    position_0(job, &models);
    no_mask(job, &models)?;
    attending_to_nouns(job, &models);
    Ok(())
}

/// The same model whose decoder gives every position the encoding of position 0.
fn at_position_0(model: &BookTransformer) -> BookTransformer {
    let mut model = model.clone();
    let positions = &mut model.decoder.embedding.positions;
    let first: Tensor1<WIDTH> = positions.encode::<1>(0).reshape();
    positions.table = first.broadcast();
    model
}

fn position_0(job: &Job, models: &[(u64, BookTransformer)]) {
    heading("Every token that is written at position 0");
    row("right", 6, &["trained", "all at 0"]);
    let pairs = &job.dataset.held_out;
    let mut loops = Vec::new();
    for (seed, model) in models {
        let wrong = at_position_0(model);
        let right = [model, &wrong]
            .map(|model| Evaluation::new(model, &job.dataset, pairs).exact);
        row(&seed.to_string(), 6, &right.map(|share| format!("{share:.3}")));
        let vocabularies = &job.dataset.vocabularies;
        let of = |model: &BookTransformer, pair: &Pair| {
            let row = vocabularies.source.encode::<STEPS>(&pair.source);
            vocabularies.target.decode(&model.decode(row))
        };
        let spoilt = |pair: &&Pair| {
            of(model, pair) == pair.target && of(&wrong, pair) != pair.target
        };
        let first = pairs.iter().find(spoilt);
        loops.extend(first.map(|pair| (pair, of(&wrong, pair))));
    }
    for (Pair { source, target }, wrong) in loops {
        println!("\n      {}", printable_tokens(source));
        println!("      {}", printable_tokens(&wrong));
        println!("not   {}", printable_tokens(target));
    }
}

/// The loss per token, the decoder being given the right translations.
fn loss(
    job: &Job,
    model: &BookTransformer,
    mask: impl Fn([usize; PART]) -> Mask<PART, STEPS, STEPS>,
) -> Result<f32> {
    let (mut sum, mut count) = (0.0, 0);
    for pairs in job.dataset.held_out.chunks(PART) {
        let batch: Batch<PART, STEPS> = Batch::new(pairs, &job.dataset.vocabularies)?;
        let read = Mask::valid_lens(batch.source_lens);
        let (memory, _) = model.encoder.forward(&batch.source, &read, NoneTape);
        let (inputs, own) = (batch.teacher_forcing(), mask(batch.target_lens));
        let (rows, _) = model.decoder.forward(&inputs, &own, memory, &read);
        let (output, lens) = (&model.decoder.output, &batch.target_lens);
        let (weight, bias) = (&output.weight, &output.bias);
        let losses = masked_cross_entropy(rows, weight, bias, &batch.target, lens);
        sum += losses.sum().array() * STEPS as f32;
        count += batch.target_tokens();
    }
    Ok(sum / count as f32)
}

fn no_mask(job: &Job, models: &[(u64, BookTransformer)]) -> Result<()> {
    heading("No causal mask in evaluation");
    row("loss", 6, &["masked", "no mask"]);
    for (seed, model) in models {
        let masked = loss(job, model, Mask::causal_within)?;
        let none = loss(job, model, |_| Mask::none())?;
        row(&seed.to_string(), 6, &[masked, none].map(|loss| format!("{loss:.4}")));
    }
    Ok(())
}

/// Of the sentences "the … noun is …" that no model was trained with: the mean
/// weight that the heads of the encoder's last layer give the noun.
fn attending_to_nouns(job: &Job, models: &[(u64, BookTransformer)]) {
    heading("Weight on the noun, in layer 2 of the encoder");
    let pairs = job.dataset.held_out.iter().chain(&job.dataset.validation);
    let sentences: Vec<(&Pair, usize)> = pairs
        .filter(|pair| pair.source[0] == "the")
        .filter_map(|pair| {
            let verb = |word: &String| word == "is" || word == "are";
            Some((pair, pair.source.iter().position(verb)?))
        })
        .collect();
    println!("sentences {}", sentences.len());
    row("seed", 6, &["le, la", "others", "verb", "full stop"]);
    for (seed, model) in models {
        let mut sums = [(0.0, 0); 4];
        for (pair, verb) in &sentences {
            let (tokens, len) = job.dataset.vocabularies.source.encode(&pair.source);
            let mask = Mask::valid_lens([len]);
            let (_, weights) = model.encoder.forward(&[tokens], &mask, NoneTape);
            let heads: Tensor4<1, HEADS, STEPS, STEPS> = weights[LAYERS - 1].clone();
            let [mean] = heads.mean::<Rank3<1, STEPS, STEPS>, Axis<1>>().array();
            let the = usize::from(!["le", "la"].contains(&pair.target[0].as_str()));
            for (sum, query) in [(the, 0), (2, *verb), (3, pair.source.len() - 1)] {
                sums[sum].0 += mean[query][verb - 1];
                sums[sum].1 += 1;
            }
        }
        let cells = sums.map(|(sum, count)| format!("{:.2}", sum / count as f32));
        row(&seed.to_string(), 6, &cells);
    }
}
