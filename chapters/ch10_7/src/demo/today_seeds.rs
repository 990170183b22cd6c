//! The parts of today, one after another: what each adds, from several seeds.

use ch10_2::parameters::Parameters;
use ch10_7::decoder_of_today::{GroupedCache, Parts, TodayDecoder, train_decoder};
use ch10_7::kv_cache::KvCache;
use ch10_7::language_model::{PART, Setting, Storyteller};
use ch10_7::stories::{STEPS, Stories, TEXT};
use kernels::Dev;
use program::Job;
use std::hint::black_box;
use support::{Progress, fastest, heading, row, seeds, spread};

/// The rates that are tried.
const RATES: [f32; 3] = [0.004, 0.008, 0.016];
/// Seeds for each.
const CHOOSING: u64 = 2;
/// Tokens of a window.
const WINDOW: usize = 32;

/// A decoder of the table.
struct Variant {
    name: &'static str,
    parts: Parts,
    /// The best by [`rates`].
    lr: f32,
    /// The parameters, and the bytes that a token takes in the cache.
    sizes: fn(&Stories, &Parts) -> [usize; 2],
    /// Milliseconds a token to write a whole text.
    writing: fn(&Stories, &Parts) -> f64,
    /// The perplexity on the validation stories and on those held out.
    trained: fn(&Stories, &Parts, &Setting, u64) -> [f64; 2],
}

/// From the section's language model to a decoder of today, part by part. A gated
/// network of 86 hidden numbers is about as large as the other one of 128.
const VARIANTS: [Variant; 6] = {
    let before = Parts::BEFORE;
    let rotary = Parts { rotary: true, ..before };
    let rms_norm = Parts { rms_norm: true, ..rotary };
    let window = Parts { window: WINDOW, ..Parts::TODAY };
    [
        variant::<4, 128>("language model", before, 0.004),
        variant::<4, 128>("+ rotary", rotary, 0.008),
        variant::<4, 128>("+ RMSNorm", rms_norm, 0.008),
        variant::<4, 86>("+ SwiGLU", Parts::TODAY, 0.008),
        variant::<2, 86>("+ grouped queries", Parts::TODAY, 0.008),
        variant::<2, 86>("+ window", window, 0.008),
    ]
};

const fn variant<const KV: usize, const FFN: usize>(
    name: &'static str,
    parts: Parts,
    lr: f32,
) -> Variant {
    Variant {
        name,
        parts,
        lr,
        sizes: sizes::<KV, FFN>,
        writing: writing::<KV, FFN>,
        trained: trained::<KV, FFN>,
    }
}

type Decoder<const KV: usize, const FFN: usize> = TodayDecoder<64, 4, KV, 16, FFN>;

fn untrained<const KV: usize, const FFN: usize>(
    stories: &Stories,
    parts: &Parts,
) -> Decoder<KV, FFN> {
    Decoder::new(&Dev::default(), stories.vocab_size(), 2, 0.0, parts)
}

fn sizes<const KV: usize, const FFN: usize>(
    stories: &Stories,
    parts: &Parts,
) -> [usize; 2] {
    let cache: GroupedCache<STEPS, KV, 16> = GroupedCache::new(2);
    [untrained::<KV, FFN>(stories, parts).count(), cache.bytes_per_token()]
}

fn writing<const KV: usize, const FFN: usize>(stories: &Stories, parts: &Parts) -> f64 {
    let model = untrained::<KV, FFN>(stories, parts);
    milliseconds(|| {
        let mut cache: GroupedCache<STEPS, KV, 16> = GroupedCache::new(2);
        for _ in 0..STEPS {
            black_box(model.read(&[4], &mut cache));
        }
    })
}

/// The same with the section's cache, which is copied for each token.
fn writing_with_copies(stories: &Stories) -> f64 {
    let model = Storyteller::of_stories(&Dev::default(), stories, &Setting::BOOK);
    milliseconds(|| {
        let mut cache: KvCache<1, STEPS, 64> = KvCache::new(&Dev::default(), 2);
        for _ in 0..STEPS {
            black_box(model.stack.step(&[4], &mut cache));
        }
    })
}

fn milliseconds(text: impl FnMut()) -> f64 {
    1e3 * fastest(50, text) / STEPS as f64
}

/// Milliseconds to read a prompt of 112 tokens in pieces of 16, and one by one.
fn reading(stories: &Stories) -> [f64; 2] {
    let model = untrained::<2, 86>(stories, &Parts::TODAY);
    let cache: GroupedCache<STEPS, 2, 16> = GroupedCache::new(2);
    let pieces = || {
        let mut cache = cache.clone();
        (0..7).for_each(|_| drop(black_box(model.read(&[4; 16], &mut cache))));
    };
    let single = || {
        let mut cache = cache.clone();
        (0..112).for_each(|_| drop(black_box(model.read(&[4], &mut cache))));
    };
    [1e3 * fastest(50, pieces), 1e3 * fastest(50, single)]
}

fn trained<const KV: usize, const FFN: usize>(
    stories: &Stories,
    parts: &Parts,
    setting: &Setting,
    seed: u64,
) -> [f64; 2] {
    let mut progress = Progress::new("stories", setting.steps);
    let on_step = |_, loss, tokens, _: &Decoder<KV, FFN>| {
        progress.step_of(tokens, loss / tokens as f32);
    };
    let model = train_decoder::<KV, FFN>(stories, parts, setting, seed, on_step);
    [&stories.validation, &stories.held_out].map(|part| model.perplexity(part))
}

/// Tries rates, with seeds other than those of [`compare`]. The last two decoders
/// keep the rate of the one before them.
pub fn rates(job: &Job, stories: &Stories, steps: usize) {
    print_settings(job, (RATES, CHOOSING), steps);
    heading("Rates, on the validation stories");
    row("perplexity", 20, &RATES.map(|rate| rate.to_string()));
    for variant in &VARIANTS[..4] {
        let means = RATES.map(|lr| {
            let setting = Setting { steps, lr, ..Setting::BOOK };
            let one =
                |seed| (variant.trained)(stories, &variant.parts, &setting, seed)[0];
            spread(seeds(job.run.seed.wrapping_add(5), CHOOSING).map(one)).mean
        });
        row(variant.name, 20, &means.map(|mean| format!("{mean:.2}")));
    }
}

fn print_settings(job: &Job, more: impl std::fmt::Debug, steps: usize) {
    let variants = VARIANTS.map(|variant| (variant.name, variant.parts));
    let settings = (variants, more, PART, steps, job.run.seed);
    job.run.print_settings(&settings, TEXT.as_bytes());
}

/// Trains each decoder from several seeds, and measures how fast it writes.
pub fn compare(job: &Job, stories: &Stories, steps: usize, count: usize) {
    print_settings(job, (VARIANTS.map(|variant| variant.lr), count), steps);
    heading("Held-out stories");
    let from = || seeds(job.run.seed, count as u64);
    let names: Vec<String> = from().map(|seed| format!("seed {seed}")).collect();
    row("perplexity", 20, &names);
    let mut all = Vec::new();
    for variant in &VARIANTS {
        let setting = Setting { steps, lr: variant.lr, ..Setting::BOOK };
        let one = |seed| (variant.trained)(stories, &variant.parts, &setting, seed)[1];
        let found: Vec<f64> = from().map(one).collect();
        let cells: Vec<String> = found.iter().map(|x| format!("{x:.2}")).collect();
        row(variant.name, 20, &cells);
        all.push(spread(found).mean);
    }
    heading("What each costs, and what it is worth");
    row("", 20, &["parameters", "bytes", "ms", "held out"]);
    for (variant, mean) in VARIANTS.iter().zip(all) {
        let [numbers, bytes] = (variant.sizes)(stories, &variant.parts);
        let time = (variant.writing)(stories, &variant.parts);
        let cells = [format!("{time:.3}"), format!("{mean:.2}")];
        let cells = [&[numbers.to_string(), bytes.to_string()], &cells[..]].concat();
        row(variant.name, 20, &cells);
    }
    heading("Milliseconds");
    let line = |name: &str, time: f64| println!("{name:38}{time:.3}");
    line("a token, the cache copied each time", writing_with_copies(stories));
    let [whole, single] = reading(stories);
    line("a prompt of 112 tokens, 16 at a time", whole);
    line("a prompt of 112 tokens, one by one", single);
}
