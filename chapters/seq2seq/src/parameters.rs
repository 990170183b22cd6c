// ANCHOR: parameters_header
//! Interlude, training: the parameters of a model as one long row of numbers.

use ch10_1::Dev;
use dfdx::prelude::*;
// ANCHOR_END: parameters_header

// ANCHOR: parameter
/// A parameter, whatever its shape.
pub trait Parameter {
    /// The lengths of its axes.
    fn lens(&self) -> Vec<usize>;
    /// Appends its numbers to `row`.
    fn read(&self, row: &mut Vec<f32>);
    /// Takes its numbers from the front of `row`, and gives the rest.
    fn write<'a>(&mut self, row: &'a [f32]) -> &'a [f32];
    /// Appends its gradient to `row`; zeros if it took no part.
    fn gradient(&self, gradients: &mut Gradients<f32, Dev>, row: &mut Vec<f32>);
}

impl<Form: Shape> Parameter for Tensor<Form, f32, Dev> {
    fn lens(&self) -> Vec<usize> {
        self.shape().concrete().into_iter().collect()
    }

    fn read(&self, row: &mut Vec<f32>) {
        let start = row.len();
        row.resize(start + self.shape().num_elements(), 0.0);
        self.copy_into(&mut row[start..]);
    }

    fn write<'a>(&mut self, row: &'a [f32]) -> &'a [f32] {
        let (own, rest) = row.split_at(self.shape().num_elements());
        self.copy_from(own);
        rest
    }

    fn gradient(&self, gradients: &mut Gradients<f32, Dev>, row: &mut Vec<f32>) {
        if gradients.try_alloc_for(self).is_ok() {
            gradients.get(self).read(row);
        }
    }
}
// ANCHOR_END: parameter

// ANCHOR: parameters
/// Parameters with their names, in an order that never changes.
pub type Named<'a> = Vec<(String, &'a mut dyn Parameter)>;

/// Something that has parameters.
pub trait Parameters {
    /// All of them.
    fn parameters(&mut self) -> Named<'_>;

    /// How many numbers they are.
    fn count(&mut self) -> usize {
        self.row().len()
    }

    /// Their numbers in one row.
    fn row(&mut self) -> Vec<f32> {
        let mut row = Vec::new();
        for (_, parameter) in self.parameters() {
            parameter.read(&mut row);
        }
        row
    }

    /// Takes their numbers from a row of exactly as many.
    fn set_row(&mut self, mut row: &[f32]) {
        for (_, parameter) in self.parameters() {
            row = parameter.write(row);
        }
        assert!(row.is_empty(), "a row for another model");
    }

    /// Their gradients in one row.
    fn gradient(&mut self, mut gradients: Gradients<f32, Dev>) -> Vec<f32> {
        let mut row = Vec::new();
        for (_, parameter) in self.parameters() {
            parameter.gradient(&mut gradients, &mut row);
        }
        row
    }
}

/// Puts `prefix` and a point before each name.
pub fn within<'a>(prefix: &str, named: Named<'a>) -> Named<'a> {
    let longer = |(name, parameter)| (format!("{prefix}.{name}"), parameter);
    named.into_iter().map(longer).collect()
}
// ANCHOR_END: parameters
