//! The parts of a gated recurrent unit.

use crate::{Run, Taped, check, taped, tensor};
use dfdx::prelude::*;
use kernels::{Dev, Tensor2, Tensor3, Tensor4};

fn preactivations<
    const S: usize,
    const B: usize,
    const I: usize,
    const HIDDEN: usize,
>(
    seed: u64,
) {
    let what = format!("gates {S} {B} {I} {HIDDEN}");
    check!(&what, seed, &[S * B * I, 3 * HIDDEN * I], |dev, inputs, ran| {
        let x: Tensor3<S, B, I> = tensor(dev, &inputs[0]);
        let w: Tensor3<3, HIDDEN, I> = tensor(dev, &inputs[1]);
        let y = kernels::gate_preactivations(x.retaped(), &w, |x| {
            ran.set(true);
            let w = w.clone().permute::<Rank3<3, I, HIDDEN>, _>();
            let x = x.broadcast::<Rank4<S, 3, B, I>, _>();
            x.matmul(w.broadcast::<Rank4<S, 3, I, HIDDEN>, _>())
        });
        Run::new(y, vec![], |g| vec![g.get(&x).as_vec(), g.get(&w).as_vec()])
    });
}

#[test]
fn preactivations_are_their_definition() {
    for seed in 0..3 {
        preactivations::<1, 1, 7, 5>(seed);
        preactivations::<5, 4, 9, 19>(seed);
    }
}

fn each_gate<const B: usize, const HIDDEN: usize, T: Tape<f32, Dev>>(
    x: Taped<Rank3<3, B, HIDDEN>, T>,
) -> [Taped<Rank2<B, HIDDEN>, T>; 3] {
    let (x, mut tape) = x.split_tape();
    [0, 1, 2].map(|gate| {
        let x = x.clone().put_tape(std::mem::take(&mut tape));
        let gate = x.device().tensor(gate);
        x.select(gate)
    })
}

fn gru_gates<const B: usize, const HIDDEN: usize>(seed: u64) {
    let sizes = [3 * B * HIDDEN, 3 * B * HIDDEN, 3 * HIDDEN, 3 * HIDDEN, B * HIDDEN];
    check!(&format!("GRU {B} {HIDDEN}"), seed, &sizes, |dev, inputs, ran| {
        let x: Tensor3<3, B, HIDDEN> = tensor(dev, &inputs[0]);
        let from_h: Tensor3<3, B, HIDDEN> = tensor(dev, &inputs[1]);
        let b_ih: Tensor2<3, HIDDEN> = tensor(dev, &inputs[2]);
        let b_hh: Tensor2<3, HIDDEN> = tensor(dev, &inputs[3]);
        let h: Tensor2<B, HIDDEN> = tensor(dev, &inputs[4]);
        let traced = from_h.retaped();
        let after = kernels::gru_gates(&x, traced, &b_ih, &b_hh, &h, |from_h| {
            ran.set(true);
            let from_x = taped(&x) + b_ih.clone().broadcast();
            let from_h = from_h + b_hh.clone().broadcast();
            let [x_r, x_z, x_n] = each_gate(from_x);
            let [h_r, h_z, h_n] = each_gate(from_h);
            let r = (x_r + h_r).sigmoid();
            let z = (x_z + h_z).sigmoid();
            let (n, tape) = (r * h_n + x_n).tanh().split_tape();
            z * (h.clone().put_tape(tape) - n.clone()) + n
        });
        Run::new(after, vec![], |g| {
            let (x, from_h) = (g.get(&x).as_vec(), g.get(&from_h).as_vec());
            let (b_ih, b_hh) = (g.get(&b_ih).as_vec(), g.get(&b_hh).as_vec());
            vec![x, from_h, b_ih, b_hh, g.get(&h).as_vec()]
        })
    });
}

#[test]
fn gates_are_their_definition() {
    for seed in 0..3 {
        gru_gates::<1, 5>(seed);
        gru_gates::<7, 33>(seed);
    }
}

fn unbind<const S: usize, const B: usize, const HIDDEN: usize>(seed: u64) {
    let what = format!("unbind {S} {B} {HIDDEN}");
    check!(&what, seed, &[S * 3 * B * HIDDEN], |dev, inputs, ran| {
        let x: Tensor4<S, 3, B, HIDDEN> = tensor(dev, &inputs[0]);
        let (steps, mut tape) = kernels::unbind(x.retaped(), |x| {
            ran.set(true);
            let (x, mut tape) = x.split_tape();
            let steps = std::array::from_fn(|s| {
                let all = x.clone().put_tape(std::mem::take(&mut tape));
                let step;
                (step, tape) = all.select(x.device().tensor(s)).split_tape();
                step
            });
            (steps, tape)
        });
        let steps = steps.map(|step| step.put_tape(std::mem::take(&mut tape)));
        Run::new(steps.stack(), vec![], |g| vec![g.get(&x).as_vec()])
    });
}

#[test]
fn unbind_is_its_definition() {
    for seed in 0..3 {
        unbind::<1, 2, 3>(seed);
        unbind::<5, 4, 7>(seed);
    }
}
