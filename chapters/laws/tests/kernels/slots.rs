//! Operations of one's own: gradients of views and of inputs given twice.

use crate::{Run, check, taped, tensor};
use dfdx::prelude::*;
use kernels::{Dev, Tensor1, Tensor2, Tensor3, custom_op, grad_slot, to_vec};

/// a · b, as an operation of its own.
fn dot(a: &Tensor1<3>, b: &Tensor1<3>) -> Tensor<Rank0, f32, Dev, OwnedTape<f32, Dev>> {
    let (of_a, of_b) = (to_vec(a), to_vec(b));
    let sum: f32 = of_a.iter().zip(&of_b).map(|(a, b)| a * b).sum();
    let slots = [grad_slot(a), grad_slot(b)];
    let tape = OwnedTape::default();
    custom_op(slots, a.device().tensor(sum), tape, move |d, [d_a, d_b]| {
        for i in 0..3 {
            d_a[i] += d[0] * of_b[i];
            d_b[i] += d[0] * of_a[i];
        }
    })
}

#[test]
fn gradients_are_added_up() {
    let dev = Dev::default();
    let a: Tensor1<3> = dev.tensor([1.0, 2.0, 3.0]);
    let b: Tensor1<3> = dev.tensor([-1.0, 0.5, 4.0]);
    let y = dot(&a, &b);
    assert_eq!(y.array(), 12.0);
    let g = (y * 2.0 + dot(&a, &b)).backward();
    assert_eq!(g.get(&a).array(), [-3.0, 1.5, 12.0]);
    assert_eq!(g.get(&b).array(), [3.0, 6.0, 9.0]);
}

#[test]
fn an_input_given_twice_gets_both_gradients() {
    let a: Tensor1<3> = Dev::default().tensor([1.0, 2.0, 3.0]);
    let y = dot(&a, &a);
    assert_eq!(y.array(), 14.0);
    assert_eq!(y.backward().get(&a).array(), [2.0, 4.0, 6.0]);
}

#[test]
fn numbers_of_a_view_are_in_the_order_of_its_shape() {
    let dev = Dev::default();
    let x: Tensor2<2, 3> = dev.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    assert_eq!(to_vec(&x), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let turned = x.clone().permute::<Rank2<3, 2>, _>();
    assert_eq!(to_vec(&turned), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    let row: Tensor1<2> = dev.tensor([7.0, 8.0]);
    assert_eq!(to_vec(&row.broadcast::<Rank2<2, 2>, Axis<0>>()), [7.0, 8.0, 7.0, 8.0]);
}

/// A kernel gets a permuted tensor; the gradient goes to where it came from.
#[test]
fn views_may_be_inputs() {
    check!("linear of a view", 1, &[24, 15], |dev, inputs, ran| {
        let x: Tensor3<4, 2, 3> = tensor(dev, &inputs[0]);
        let weight: Tensor2<5, 3> = tensor(dev, &inputs[1]);
        let view = taped(&x).permute::<Rank3<2, 4, 3>, _>();
        let y = kernels::linear(view, &weight, None, |view| {
            ran.set(true);
            view.matmul(weight.clone().permute::<Rank2<3, 5>, _>())
        });
        Run::new(y, vec![], |g| vec![g.get(&x).as_vec(), g.get(&weight).as_vec()])
    });
}
