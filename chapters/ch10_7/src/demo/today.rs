//! The decoder of today: its parts, what they do to positions and to the choice of
//! a token, and a story.

use super::today_seeds::{compare, rates};
use anyhow::Result;
use ch10_7::decoder_of_today::{
    Parts, TodayDecoder, rotary, top_k, top_p, train_decoder,
};
use ch10_7::language_model::{Setting, sample};
use ch10_7::stories::{STEPS, Stories};
use dfdx::prelude::*;
use kernels::{Dev, Tensor4};
use program::Job;
use rand::SeedableRng;
use rand::rngs::StdRng;
use seq2seq::vocab::EOS;
use support::{Progress, Spread, heading, row, spread};

/// The flags of `today`.
#[derive(clap::Args)]
pub struct Args {
    /// Try learning rates for each decoder
    #[arg(long, conflicts_with = "seeds")]
    pub rates: bool,
    /// Train each decoder from N seeds
    #[arg(long, value_name = "N", value_parser = support::number(1..=1000))]
    pub seeds: Option<usize>,
    /// Train in N steps
    #[arg(long, value_name = "N", default_value_t = 600, value_parser = support::number(10..=100_000))]
    pub steps: usize,
}

/// All parts of today but a window: two heads of keys and values, and a gated
/// network with about as many parameters as the other.
pub type Today = TodayDecoder<64, 4, 2, 16, 86>;

/// Tokens that top-k keeps, and the probability that top-p keeps.
const TOP_K_AND_P: (usize, f32) = (10, 0.9);

/// Trains a decoder with the parts of today, and lets it write.
pub fn today(job: &Job, args: &Args) -> Result<()> {
    let stories = Stories::book();
    if args.rates {
        rates(job, &stories, args.steps);
        return Ok(());
    }
    if let Some(seeds) = args.seeds {
        compare(job, &stories, args.steps, seeds);
        return Ok(());
    }
    turned(job.run.seed);
    heading("A decoder of today");
    let mut progress = Progress::new("stories", args.steps);
    // The rate is that of the record `today_rates`.
    let setting = Setting { steps: args.steps, lr: 0.008, ..Setting::BOOK };
    let seed = job.run.seed;
    row("step", 8, &["validation"]);
    let every = (args.steps / 6).max(1);
    let model: Today = train_decoder(
        &stories,
        &Parts::TODAY,
        &setting,
        seed,
        |step, loss, tokens, model| {
            progress.step_of(tokens, loss / tokens as f32);
            if step.is_multiple_of(every) {
                let perplexity = model.perplexity(&stories.validation);
                row(&step.to_string(), 8, &[format!("{perplexity:.2}")]);
            }
        },
    );
    halves(&stories, &model);
    truncation(&stories, &model)?;
    write(job, &stories, &model)
}

/// Prints the products of one query and one key, each rotated by its position.
fn turned(seed: u64) {
    heading("Rotated by their positions");
    let dev = Dev::seed_from_u64(seed);
    let [query, key] = [(); 2].map(|()| {
        let row: Tensor4<1, 1, 1, 16> = dev.sample_normal();
        let rows: Tensor4<1, 60, 1, 16> =
            row.reshape::<Rank1<16>>().broadcast::<_, Axes3<0, 1, 2>>();
        rotary(rows, 0).as_vec()
    });
    row("positions back", 16, &["least", "most"]);
    for back in [0, 1, 2, 5, 20] {
        let products = (back..60).map(|at| {
            let (q, k) = (&query[at * 16..][..16], &key[(at - back) * 16..][..16]);
            q.iter().zip(k).map(|(q, k)| q * k).sum::<f32>()
        });
        let Spread { least, most, .. } = spread(products);
        row(&back.to_string(), 16, &[least, most].map(|x| format!("{x:.3}")));
    }
}

/// Prints the perplexity of the model, and of the same with the rows of queries and
/// keys in the order of most checkpoints: those that have even numbers here come first.
fn halves(stories: &Stories, model: &Today) {
    heading("A checkpoint in another layout");
    let mut other = model.clone();
    let dev = other.b_out.device().clone();
    let order = |row: usize| 2 * (row % 8) + row / 8;
    for block in &mut other.blocks {
        let attention = &mut block.attention;
        let queries = attention.w_q.weight.array();
        let row = |row: usize| queries[row / 16 * 16 + order(row % 16)];
        attention.w_q.weight = dev.tensor(std::array::from_fn(row));
        let keys = attention.w_k.array();
        let keys = keys.map(|head| std::array::from_fn(|row| head[order(row)]));
        attention.w_k = dev.tensor(keys);
    }
    row("rows of queries and keys", 26, &["validation"]);
    for (name, model) in [("in pairs", model), ("in halves", &other)] {
        let perplexity = model.perplexity(&stories.validation);
        row(name, 26, &[format!("{perplexity:.2}")]);
    }
}

/// Prints what top-k and top-p keep of the tokens that may come next.
fn truncation(stories: &Stories, model: &Today) -> Result<()> {
    heading("Top-k and top-p");
    let (k, p) = TOP_K_AND_P;
    row("after", 22, &[format!("top-{k}"), format!("top-p {p}")]);
    for beginning in ["Once there was a", "The mole", "“I am cold,” said"] {
        let mut scores = Vec::new();
        model.generate::<STEPS>(&stories.prompt(beginning)?, 1, |logits| {
            scores = logits.to_vec();
            0
        });
        let sum = |all: &[f32]| all[EOS..].iter().map(|x| x.exp()).sum::<f32>();
        let share = |logits: &[f32]| sum(logits) / sum(&scores);
        let few = top_p(&scores, p).iter().filter(|logit| logit.is_finite()).count();
        let cells = [format!("{:.2}", share(&top_k(&scores, k))), few.to_string()];
        row(beginning, 22, &cells);
    }
    Ok(())
}

/// From all logits to those of the tokens that are kept.
type Truncate<'a> = &'a dyn Fn(&[f32]) -> Vec<f32>;

/// Prints three continuations.
fn write(job: &Job, stories: &Stories, model: &Today) -> Result<()> {
    heading("Stories that it writes");
    let prompt = stories.prompt("One day the mole")?;
    let (k, p) = TOP_K_AND_P;
    let ways: [(String, Truncate); 3] = [
        ("all tokens".into(), &<[f32]>::to_vec),
        (format!("top-{k}"), &|logits| top_k(logits, k)),
        (format!("top-p {p}"), &|logits| top_p(logits, p)),
    ];
    for (name, truncate) in ways {
        println!("{name}");
        let mut rng = StdRng::seed_from_u64(job.run.seed);
        let written = model.generate::<STEPS>(&prompt, 50, |logits| {
            sample(&truncate(logits), 1.0, &mut rng)
        });
        let text = stories.text(&[&prompt[..], &written].concat());
        super::language::lines(&text).iter().for_each(|line| println!("  {line}"));
    }
    Ok(())
}
