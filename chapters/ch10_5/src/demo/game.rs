//! Models with one, two and four heads learn the game of pairs, are taken
//! apart, and lose heads.

use anyhow::Result;
use ch10_2::parameters::Parameters;
use ch10_3::Linear;
use ch10_5::task::cards::*;
use dfdx::prelude::*;
use kernels::{Dev, Tensor2, Tensor3};
use rand::SeedableRng;
use rand::rngs::StdRng;
use support::{Labels, Progress, RunArgs, heading, seeds, show_heatmaps};

/// Models of each kind, each from a seed of its own.
const MODELS: usize = 3;

/// Cards that no model was trained on.
type Test = CardBatch<256>;

pub struct Trained {
    test: Test,
    one: Vec<CardModel<1, 32>>,
    nonlinear: Vec<CardModel<1, 32>>,
    two: Vec<CardModel<2, 16>>,
    four: Vec<CardModel<4, 8>>,
}

pub fn train_all(run: &RunArgs, steps: Option<usize>) -> Trained {
    let mut rng = StdRng::seed_from_u64(run.seed);
    let test = CardBatch::new(&Dev::default(), &mut rng);
    Trained {
        test,
        one: models(run, steps, false),
        nonlinear: models(run, steps, true),
        two: models(run, steps, false),
        four: models(run, steps, false),
    }
}

/// One model a seed. Models of one seed see the same cards.
fn models<const H: usize, const D: usize>(
    run: &RunArgs,
    steps: Option<usize>,
    nonlinear: bool,
) -> Vec<CardModel<H, D>> {
    let (usual, lr) = if nonlinear { NONLINEAR } else { (STEPS, LR) };
    let steps = steps.unwrap_or(usual);
    let model = |seed: u64| {
        let mut progress = Progress::new(format!("heads: {H}"), steps);
        trained(seed, nonlinear, (steps, lr), |loss| progress.step(loss))
    };
    seeds(run.seed, MODELS as u64).map(model).collect()
}

impl Trained {
    /// How well each model plays, and where the two heads of model 0 attend.
    pub fn results(&self, run: &RunArgs) -> Result<()> {
        heading("The game of pairs");
        println!("{:>55}{:>23}", "loss", "right answers");
        print!("heads  width  read-out   parameters  model");
        println!("    left partner       left partner");
        self.rows(&self.one);
        self.rows(&self.nonlinear);
        self.rows(&self.two);
        self.rows(&self.four);
        heading("Where a single head attends");
        println!("read-out   model     left  partner     rest");
        self.attended("linear", &self.one);
        self.attended("nonlinear", &self.nonlinear);
        self.weights(run)
    }

    fn rows<const H: usize, const D: usize>(&self, models: &[CardModel<H, D>]) {
        for (n, model) in models.iter().enumerate() {
            let read_out =
                if model.nonlinear.is_some() { "nonlinear" } else { "linear" };
            let parameters = model.clone().count();
            print!("{H:>5}  {D:>5}  {read_out:<9}  {parameters:>10}  {n:>5}");
            let ([a, b], [c, d]) =
                (model.losses(&self.test, &[]), model.accuracy(&self.test));
            println!("{a:>8.4}{b:>8.4}   {c:>8.3}{d:>8.3}");
        }
    }

    /// The weights of a head for cards whose left neighbour is not the partner.
    fn attended(&self, read_out: &str, models: &[CardModel<1, 32>]) {
        for (n, model) in models.iter().enumerate() {
            let [[left, partner]] = model.attended(&self.test);
            let rest = 1.0 - left - partner;
            println!("{read_out:<9}  {n:>5}{left:>9.3}{partner:>9.3}{rest:>9.3}");
        }
    }

    fn weights(&self, run: &RunArgs) -> Result<()> {
        heading("Where the two heads attend");
        let gates: Tensor2<256, 2> = Dev::default().ones();
        let weights = self.two[0].forward(&self.test, gates).weights;
        let first =
            weights.slice((..1, .., .., ..)).realize::<Rank4<1, 2, CARDS, CARDS>>();
        let heads = first.array()[0];
        let letters = self.test.pictures[0].map(|picture| LETTERS[picture].to_string());
        let row: String = letters.iter().map(|letter| format!("{letter:>7}")).collect();
        println!("{:<22}{row}", "picture of each card");
        for (h, head) in heads.iter().enumerate() {
            for card in [2, 3] {
                crate::line(&format!("head {h}, card {card}"), 3, &head[card]);
            }
        }
        let card = |i: usize| format!("{i} {}", letters[i]);
        let cards: Vec<String> = (0..CARDS).map(card).collect();
        let labels = Labels {
            titles: vec!["head 0".into(), "head 1".into()],
            keys: "Card attended to",
            queries: "Card that asks",
            key_tokens: cards.clone(),
            query_tokens: cards,
            ..Labels::default()
        };
        run.figure("game", &show_heatmaps(&heads, &labels)?)
    }

    /// Weights by hand, and the scores that they and learned ones give.
    pub fn scores(&self, run: &RunArgs) -> Result<()> {
        heading("Weights chosen by hand");
        let by_hand = CardModel::by_hand(&Dev::default());
        let ([a, b], [c, d]) =
            (by_hand.losses(&self.test, &[]), by_hand.accuracy(&self.test));
        println!("loss           left {a:.4}, partner {b:.4}");
        println!("right answers  left {c:.3}, partner {d:.3}");
        heading("Scores, by position and by picture");
        println!("{:>21}  positions{:>24}", "", "pictures");
        println!("model    head    left     own   other      same   other");
        let mut panels = Vec::new();
        let names = ["by hand", "model 0", "model 1", "model 2"];
        for (name, model) in
            names.into_iter().zip(std::iter::once(&by_hand).chain(&self.two))
        {
            for (h, scores) in head_scores(model).into_iter().enumerate() {
                summary(name, h, &scores);
                panels.push((format!("{name}, head {h}"), scores));
            }
        }
        panels.truncate(4);
        let (titles, scores): (Vec<_>, Vec<_>) = panels.into_iter().unzip();
        let tokens = (0..CARDS).map(|p| p.to_string());
        let tokens: Vec<String> = tokens.chain(LETTERS.map(String::from)).collect();
        let labels = Labels {
            titles,
            keys: "Key: position, picture",
            queries: "Query: position, picture",
            key_tokens: tokens.clone(),
            query_tokens: tokens,
            columns: 2,
        };
        run.figure("scores", &show_heatmaps(&scores[..], &labels)?)
    }

    /// The losses without each of the heads, and without each two of four.
    pub fn masked(&self) {
        heading("One head masked out");
        header();
        without(&self.two, &self.test, &single(2));
        without(&self.four, &self.test, &single(4));
        heading("Two of four heads masked out");
        header();
        let pairs = (0..4).flat_map(|a| (a + 1..4).map(move |b| vec![a, b]));
        without(&self.four, &self.test, &pairs.collect::<Vec<_>>());
    }
}

fn header() {
    println!("{:<11}{:>17}{:>18}{:>18}", "", "model 0", "model 1", "model 2");
    println!("heads, without{}", "  left  partner   ".repeat(MODELS).trim_end());
}

/// No head, and each of the heads by itself.
fn single(heads: usize) -> Vec<Vec<usize>> {
    std::iter::once(vec![]).chain((0..heads).map(|h| vec![h])).collect()
}

/// Prints a row of losses for each set of heads that are masked out.
fn without<const H: usize, const D: usize>(
    models: &[CardModel<H, D>],
    test: &Test,
    sets: &[Vec<usize>],
) {
    for gone in sets {
        let names: Vec<String> = gone.iter().map(usize::to_string).collect();
        let name = if gone.is_empty() { "none".into() } else { names.join(" ") };
        print!("{H:>5}, {name:<5}");
        for model in models {
            let [left, partner] = model.losses(test, gone);
            print!("  {left:>7.3}{partner:>9.3}");
        }
        println!();
    }
}

const LETTERS: [&str; 4] = ["A", "B", "C", "D"];

/// What each head adds to a score for each pair of columns, position or
/// picture: a row for each column of the query.
fn head_scores(model: &CardModel<2, 16>) -> [Vec<Vec<f32>>; 2] {
    let columns: Tensor3<1, NUMBER, WIDTH> = {
        let mut cells = [[[0.0; WIDTH]; NUMBER]];
        (0..NUMBER).for_each(|c| cells[0][c][c] = 1.0);
        Dev::default().tensor(cells)
    };
    let project = |w: &Linear<WIDTH, WIDTH>| w.forward(columns.clone()).array()[0];
    let (queries, keys) =
        (project(&model.attention.w_q), project(&model.attention.w_k));
    [0, 1].map(|h| {
        let part = h * 16..(h + 1) * 16;
        let dot = |q: &[f32; WIDTH], k: &[f32; WIDTH]| {
            let pairs = q[part.clone()].iter().zip(&k[part.clone()]);
            pairs.map(|(a, b)| a * b).sum::<f32>() / 4.0
        };
        queries.iter().map(|q| keys.iter().map(|k| dot(q, k)).collect()).collect()
    })
}

/// Prints mean scores of a head.
fn summary(name: &str, h: usize, scores: &[Vec<f32>]) {
    let mean = |which: &dyn Fn(usize, usize) -> bool,
                columns: std::ops::Range<usize>| {
        let pairs = columns.clone().flat_map(|q| columns.clone().map(move |k| (q, k)));
        let cells: Vec<f32> =
            pairs.filter(|&(q, k)| which(q, k)).map(|(q, k)| scores[q][k]).collect();
        cells.iter().sum::<f32>() / cells.len() as f32
    };
    let left = |q: usize, k: usize| (q + CARDS - 1) % CARDS == k;
    let same = |q: usize, k: usize| q == k;
    let other = |q: usize, k: usize| !left(q, k) && q != k;
    let (positions, pictures) = (0..CARDS, CARDS..NUMBER);
    print!("{name:<9}{h:>4}");
    print!("{:>8.2}", mean(&left, positions.clone()));
    print!("{:>8.2}", mean(&same, positions.clone()));
    print!("{:>8.2}", mean(&other, positions));
    print!("{:>10.2}", mean(&same, pictures.clone()));
    println!("{:>8.2}", mean(&|q, k| q != k, pictures));
}
