//! The kernels: against definitions in dfdx's operations, written here.

mod attentions;
mod functions;
mod layers;
mod parallel;
mod recorded;
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
    /// The gradients of a weighted sum of the first of them by the inputs.
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
        let values = [vec![output.as_vec()], others].concat();
        let gradients = gradients(&(output * weights).sum::<Rank0, _>().backward());
        Run { tape: PhantomData, values, gradients }
    }
}

/// Reads the gradients of inputs.
type Gradient<'a> = &'a dyn Fn(&Gradients<f32, Dev>) -> Vec<Vec<f32>>;

/// What runs: from random numbers, inputs, and a cell that its definition sets.
type Case<'a, T> = &'a dyn Fn(&Dev, &[Vec<f32>], &Cell<bool>) -> Run<T>;

/// Runs a case on inputs with as many numbers as `sizes` says, by the kernel and by
/// the definition. The case sets the cell when it runs its definition. `check!`
/// writes the case twice, as it is of two types.
fn compare(
    what: &str,
    seed: u64,
    sizes: &[usize],
    kernel: Case<KernelTape>,
    definition: Case<DefinitionTape>,
) {
    let what = format!("{what}, seed {seed}");
    let dev = Dev::seed_from_u64(seed);
    let inputs: Vec<Vec<f32>> =
        sizes.iter().map(|&n| dev.sample_normal_like(&(n,)).as_vec()).collect();
    let random = || Dev::seed_from_u64(seed + 100);
    let ran = Cell::new(false);
    let kernel = kernel(&random(), &inputs, &ran);
    assert!(!ran.get(), "{what}: the kernel ran its definition");
    let definition = definition(&random(), &inputs, &ran);
    assert!(ran.get(), "{what}: the definition did not run");
    assert_close(&what, &kernel.values, &definition.values);
    let what = format!("{what}, gradient");
    assert_close(&what, &kernel.gradients, &definition.gradients);
}

macro_rules! check {
    ($what:expr, $seed:expr, $sizes:expr, $case:expr $(,)?) => {
        $crate::compare($what, $seed, $sizes, &$case, &$case)
    };
}
use check;

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
