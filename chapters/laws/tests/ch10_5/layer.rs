//! The layer: its dropout, its heads, and how many parameters it has.

use ch10_2::parameters::Parameters;
use ch10_3::Mask;
use ch10_5::MultiHeadAttention;
use dfdx::prelude::*;
use kernels::{DefinitionTape, Dev, Tensor3, onto_owned_tape};
use testing::{close, largest_difference};

/// Two heads of width 3.
type Layer = MultiHeadAttention<6, 2, 3>;

struct Inputs {
    queries: Tensor3<2, 3, 6>,
    keys: Tensor3<2, 4, 6>,
    values: Tensor3<2, 4, 6>,
}

fn setup(seed: u64, dropout: f32) -> (Dev, Layer, Inputs) {
    let dev = Dev::seed_from_u64(seed);
    let inputs = Inputs {
        queries: dev.sample_normal(),
        keys: dev.sample_normal(),
        values: dev.sample_normal(),
    };
    (dev.clone(), Layer::new(&dev, dropout), inputs)
}

/// By the kernel and by the definition the same weights are dropped; in evaluation
/// none.
#[test]
fn dropout_is_for_training_alone() {
    for mask in [Mask::none(), Mask::valid_lens_per_query([[1, 2, 3], [4, 0, 2]])] {
        let run = |dropout| {
            let kernel = trained::<OwnedTape<f32, Dev>>(dropout, &mask);
            close(&kernel, &trained::<DefinitionTape>(dropout, &mask), 1e-5, "both");
            kernel
        };
        assert!(largest_difference(&run(0.4), &run(0.0)) > 0.1);
        let [with, without] = [0.4, 0.0].map(|dropout| {
            let (_, layer, x) = setup(2, dropout);
            layer.forward(x.queries, x.keys, x.values, &mask).output.as_vec()
        });
        assert_eq!(with, without);
    }
}

/// The gradient by the layer's parameters, the output and the weights.
fn trained<T: Tape<f32, Dev> + Into<OwnedTape<f32, Dev>>>(
    dropout: f32,
    mask: &Mask<2, 3, 4>,
) -> Vec<f32> {
    let (_, mut layer, x) = setup(2, dropout);
    let queries = x.queries.retaped::<T>();
    let got = layer.forward(queries, x.keys.retaped(), x.values.retaped(), mask);
    let (output, weights) = (got.output.as_vec(), got.weights.as_vec());
    let gradients = onto_owned_tape(got.output).square().sum().backward();
    [layer.flat_gradient(gradients), output, weights].concat()
}

/// Rows 3 to 5 of the projections belong to head 1, and to no other.
#[test]
fn a_head_has_rows_of_its_own() {
    let (dev, mut layer, x) = setup(8, 0.0);
    let weights = |layer: &Layer| {
        let Inputs { queries, keys, values } = &x;
        let (q, k, v) = (queries.clone(), keys.clone(), values.clone());
        layer.forward(q, k, v, &Mask::none()).weights.array()
    };
    let before = weights(&layer);
    let mut weight = layer.w_q.weight.array();
    weight[3..].iter_mut().flatten().for_each(|w| *w = 3.0 - *w);
    layer.w_q.weight = dev.tensor(weight);
    for (before, after) in before.iter().zip(&weights(&layer)) {
        assert_eq!(before[0], after[0], "head 0 stays");
        assert_ne!(before[1], after[1], "head 1 changes");
    }
}

#[test]
fn the_number_of_parameters_does_not_depend_on_the_heads() {
    let dev = Dev::default();
    let mut five: MultiHeadAttention<20, 5, 4> = MultiHeadAttention::new(&dev, 0.0);
    let mut two: MultiHeadAttention<20, 2, 10> = MultiHeadAttention::new(&dev, 0.0);
    assert_eq!((five.count(), two.count()), (1600, 1600));
}
