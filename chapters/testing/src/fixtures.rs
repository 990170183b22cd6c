//! Numbers that PyTorch computed: `tests/fixtures`, whose README says what is
//! in a file.

use crate::gradients::backward_from;
use crate::numbers::close;
use ch10_2::parameters::Parameters;
use dfdx::prelude::*;
use kernels::Dev;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// Reads `tests/fixtures/f32/NAME.json` of the repository.
pub fn fixture(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
    let path = folder.join("f32").join(format!("{name}.json"));
    let text = std::fs::read_to_string(&path);
    let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).expect("is JSON")
}

/// Reads the cases of a fixture that has several.
pub fn cases(name: &str) -> Vec<Value> {
    match fixture(name)["cases"].take() {
        Value::Array(cases) if !cases.is_empty() => cases,
        _ => panic!("{name} has no cases"),
    }
}

/// Returns all numbers of nested lists, in order.
pub fn flat(value: &Value) -> Vec<f32> {
    match value {
        Value::Array(list) => list.iter().flat_map(flat).collect(),
        number => vec![number.as_f64().expect("is a number") as f32],
    }
}

/// Converts nested lists to a tensor; only their number must fit the shape.
pub fn tensor<S: ConstShape>(dev: &Dev, value: &Value) -> Tensor<S, f32, Dev> {
    dev.tensor_from_vec(flat(value), S::default())
}

/// Converts a list of lists of whole numbers: tokens, lengths of each query.
#[track_caller]
pub fn counts<const R: usize, const C: usize>(value: &Value) -> [[usize; C]; R] {
    let cells = flat(value);
    assert_eq!(cells.len(), R * C, "how many numbers");
    std::array::from_fn(|r| std::array::from_fn(|c| cells[r * C + c] as usize))
}

/// Returns the numbers of `values` in the order of a model's parameters: `names` are
/// ours, `theirs` gives the name in the file. For `params` and for `grads`,
/// whose `inputs.…` are left out.
///
/// # Panics
/// If the file lacks such a name, or has one that no parameter of ours has.
#[track_caller]
pub fn flat_parameters(
    names: impl IntoIterator<Item = String>,
    values: &Value,
    theirs: impl Fn(&str) -> String,
) -> Vec<f32> {
    let mut left: BTreeSet<&str> = values
        .as_object()
        .expect("is an object")
        .keys()
        .map(String::as_str)
        .filter(|name| !name.starts_with("inputs."))
        .collect();
    let mut numbers = Vec::new();
    for name in names {
        let there = theirs(&name);
        assert!(left.remove(&*there), "{name}: no {there} in the file");
        numbers.extend(flat(&values[&there]));
    }
    assert!(left.is_empty(), "no parameter is {left:?}");
    numbers
}

/// Returns the numbers of `values` in the order of the parameters of this model.
#[track_caller]
pub fn flat_there(
    model: &mut impl Parameters,
    values: &Value,
    theirs: impl Fn(&str) -> String,
) -> Vec<f32> {
    let names = model.parameters().into_iter().map(|(name, _)| name);
    flat_parameters(names, values, theirs)
}

/// Gives a model the parameters of PyTorch's. `theirs` as in [`flat_parameters`].
#[track_caller]
pub fn load(
    model: &mut impl Parameters,
    values: &Value,
    theirs: impl Fn(&str) -> String,
) {
    let flat = flat_there(model, values, theirs);
    model.load_flat(&flat);
}

/// Reads the gradient of an input.
pub type GradientOf = Box<dyn Fn(&Gradients<f32, Dev>) -> Vec<f32>>;

/// Reads that of `x`.
pub fn gradient_of<S: ConstShape>(x: &Tensor<S, f32, Dev>) -> GradientOf {
    let x = x.clone();
    Box::new(move |gradients| gradients.get(&x).as_vec())
}

/// Fails unless the output of a case, and the gradients of a model's parameters
/// and of these inputs, are PyTorch's, to 1e-5. `theirs` as in
/// [`flat_parameters`].
#[track_caller]
pub fn agrees<S: ConstShape, T: Tape<f32, Dev> + Into<OwnedTape<f32, Dev>>>(
    case: &Value,
    model: &mut impl Parameters,
    theirs: impl Fn(&str) -> String,
    output: Tensor<S, f32, Dev, T>,
    inputs: &[(&str, GradientOf)],
) {
    close(&output.as_vec(), &flat(&case["outputs"]["output"]), 1e-5, "output");
    let gradients = backward_from(output, &flat(&case["cotangent"]));
    for (name, gradient) in inputs {
        let wanted = flat(&case["grads"][format!("inputs.{name}")]);
        close(&gradient(&gradients), &wanted, 1e-5, name);
    }
    let wanted = flat_there(model, &case["grads"], theirs);
    close(&model.flat_gradient(gradients), &wanted, 1e-5, "parameters");
}
