//! The kernels: against definitions in dfdx's operations, written here, and
//! against finite differences.

mod attentions;
mod functions;
mod layers;
mod parallel;
mod recurrent;
mod slots;

use dfdx::prelude::*;
use kernels::{DefinitionTape, Dev, onto_owned_tape};
use std::cell::Cell;
use std::marker::PhantomData;

/// The tape on which kernels are recorded.
type KernelTape = OwnedTape<f32, Dev>;

/// A tensor on a tape.
type Taped<S, T> = Tensor<S, f32, Dev, T>;

/// `x` on a tape of its own.
fn taped<S: Shape, T: Tape<f32, Dev>>(x: &Tensor<S, f32, Dev>) -> Taped<S, T> {
    x.retaped()
}

/// What a case computed from its inputs, recorded on the tape T.
struct Run<T> {
    tape: PhantomData<T>,
    /// Its outputs.
    values: Vec<Vec<f32>>,
    /// A weighted sum of the first of them.
    loss: f64,
    /// The gradients of that sum by the inputs.
    gradients: Vec<Vec<f32>>,
}

impl<T: Tape<f32, Dev> + Into<KernelTape>> Run<T> {
    /// Goes back from `output`. The other outputs are off the tape; `gradients`
    /// reads those of the inputs.
    fn new<S: ConstShape>(
        output: Taped<S, T>,
        others: Vec<Vec<f32>>,
        gradients: impl Fn(&Gradients<f32, Dev>) -> Vec<Vec<f32>>,
    ) -> Self {
        let row = onto_owned_tape(output).reshape_like(&(S::NUMEL,));
        Self::of_row(row, others, &gradients)
    }

    /// The same, compiled once for all shapes.
    fn of_row(
        output: Taped<(usize,), KernelTape>,
        others: Vec<Vec<f32>>,
        gradients: Gradient,
    ) -> Self {
        let weights = Dev::seed_from_u64(99).sample_normal_like(output.shape());
        let numbers = output.as_vec();
        let products = numbers.iter().zip(weights.as_vec());
        let loss = products.map(|(x, w)| f64::from(*x) * f64::from(w)).sum();
        let gradients = gradients(&(output * weights).sum::<Rank0, _>().backward());
        let values = [vec![numbers], others].concat();
        Run { tape: PhantomData, values, loss, gradients }
    }
}

/// Reads the gradients of inputs.
type Gradient<'a> = &'a dyn Fn(&Gradients<f32, Dev>) -> Vec<Vec<f32>>;

/// What runs: from random numbers, inputs, and a cell that its definition sets.
type Case<'a, T> = &'a dyn Fn(&Dev, &[Vec<f32>], &Cell<bool>) -> Run<T>;

/// Runs a case on inputs with as many numbers as `sizes` says: by the kernel,
/// by the definition, and by the kernel at inputs a little further on. The
/// case sets the cell when it runs its definition. `check!` writes the case
/// twice, as it is of two types.
fn compare(
    what: &str,
    seed: u64,
    sizes: &[usize],
    kernel: Case<KernelTape>,
    definition: Case<DefinitionTape>,
) {
    let what = format!("{what}, seed {seed}");
    let dev = Dev::seed_from_u64(seed);
    let inputs: Vec<_> = sizes.iter().map(|&n| normal(&dev, n)).collect();
    let random = || Dev::seed_from_u64(seed + 100);
    let ran = Cell::new(false);
    let run = |inputs: &[Vec<f32>]| kernel(&random(), inputs, &ran);
    let kernel = run(&inputs);
    assert!(!ran.get(), "{what}: the kernel ran its definition");
    let by_definition = Cell::new(false);
    let definition = definition(&random(), &inputs, &by_definition);
    assert!(by_definition.get(), "{what}: the definition did not run");
    assert_close(&what, &kernel.values, &definition.values);
    assert_close(
        &format!("{what}, gradient"),
        &kernel.gradients,
        &definition.gradients,
    );
    for input in 0..inputs.len() {
        let direction = direction(&dev, sizes[input]);
        let at = |step: f32| {
            let mut inputs = inputs.clone();
            for (x, d) in inputs[input].iter_mut().zip(&direction) {
                *x += step * d;
            }
            run(&inputs).loss
        };
        let measured = (at(STEP) - at(-STEP)) / (2.0 * f64::from(STEP));
        let gradient = &kernel.gradients[input];
        let (slope, length) =
            (dot(gradient, &direction), dot(gradient, gradient).sqrt());
        let difference = (slope - measured).abs();
        assert!(
            difference <= 5e-3 * (1.0 + length),
            "{what}, input {input}: {slope}, by differences {measured}"
        );
    }
}

macro_rules! check {
    ($what:expr, $seed:expr, $sizes:expr, $case:expr $(,)?) => {
        $crate::compare($what, $seed, $sizes, &$case, &$case)
    };
}
use check;

/// How far a finite difference goes.
const STEP: f32 = 1e-3;

fn normal(dev: &Dev, count: usize) -> Vec<f32> {
    dev.sample_normal_like(&(count,)).as_vec()
}

/// A random direction, of length 1.
fn direction(dev: &Dev, count: usize) -> Vec<f32> {
    let direction = normal(dev, count);
    let length = dot(&direction, &direction).sqrt();
    direction.iter().map(|x| x / length as f32).collect()
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

/// All numbers, to 1e-5 of their size or of 1.
fn assert_close(what: &str, ours: &[Vec<f32>], theirs: &[Vec<f32>]) {
    assert_eq!(ours.len(), theirs.len(), "{what}");
    for (part, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
        assert_eq!(ours.len(), theirs.len(), "{what}: part {part}");
        let largest = theirs.iter().fold(1.0f32, |max, x| max.max(x.abs()));
        for (at, (a, b)) in ours.iter().zip(theirs).enumerate() {
            let close = (a - b).abs() <= 1e-5 * largest;
            assert!(close, "{what}: part {part} at {at}: {a}, by the definition {b}");
        }
    }
}

/// The tensor of these numbers.
fn tensor<S: ConstShape>(dev: &Dev, numbers: &[f32]) -> Tensor<S, f32, Dev> {
    dev.tensor_from_vec(numbers.to_vec(), S::default())
}
