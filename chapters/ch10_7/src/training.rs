// ANCHOR: lr_of_step
//! Section 10.7, training by steps instead of epochs: each step has a batch of
//! its own, and the learning rate follows the share of the steps that is done.

use ch10_2::parameters::Parameters;
use kernels::{Dev, MaybeSend};
use seq2seq::train::{Loss, Trainer};

/// Returns the learning rate of one of `steps` steps, counted from 1: it rises over
/// the first tenth of them to about `lr`, and falls in a straight line to a
/// twentieth of it.
pub fn lr_of_step(lr: f32, step: usize, steps: usize) -> f32 {
    let share = step as f32 / steps as f32;
    lr * (10.0 * share).min(1.05 - share)
}
// ANCHOR_END: lr_of_step

// ANCHOR: train_steps
/// Trains a model from the start. `batch` returns the parts of a batch, one for each
/// worker, and `loss` the loss of a part. Calls `on_step` with the number of each
/// step, the sum of its losses, and the model.
pub fn train_steps<M: Parameters + MaybeSend, P: Sync, Batch: AsRef<[P]>>(
    steps: usize,
    lr: f32,
    seed: u64,
    model: impl Fn(&Dev) -> M,
    mut batch: impl FnMut() -> Batch,
    loss: impl Fn(&M, &P) -> Loss + Sync,
    mut on_step: impl FnMut(usize, f32, &M),
) -> M {
    let mut trainer = Trainer::new(seq2seq::train::WORKERS, seed, lr, model);
    for step in 1..=steps {
        trainer.set_lr(lr_of_step(lr, step, steps));
        let sum = trainer.step(batch().as_ref(), &loss);
        on_step(step, sum, trainer.model());
    }
    trainer.into_model()
}
// ANCHOR_END: train_steps
