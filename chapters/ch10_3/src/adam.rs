// ANCHOR: header
//! Section 10.3, training: the optimiser Adam.

use ch10_2::parameters::Optimizer;
// ANCHOR_END: header

// ANCHOR: state
/// Adam: Kingma and Ba 2014, "Adam: A Method for Stochastic Optimization",
/// algorithm 1, with its constants.
#[derive(Clone, Debug)]
pub struct Adam {
    /// The learning rate: about how far a parameter moves in a step while its
    /// gradient stays the same.
    pub lr: f32,
    /// The running mean of each gradient.
    pub means: Vec<f32>,
    /// The running mean of each gradient's square.
    pub squares: Vec<f32>,
    /// The number of steps taken.
    pub steps: i32,
}

impl Adam {
    /// Returns Adam for a model of `count` parameters, before its first step.
    pub fn new(count: usize, lr: f32) -> Self {
        Adam { lr, means: vec![0.0; count], squares: vec![0.0; count], steps: 0 }
    }
}
// ANCHOR_END: state

// ANCHOR: adam
impl Optimizer for Adam {
    fn update(&mut self, parameters: &mut [f32], gradients: &[f32]) {
        const BETAS: [f32; 2] = [0.9, 0.999];
        let lens = [parameters.len(), gradients.len()];
        assert_eq!(lens, [self.means.len(); 2], "parameters of another model");
        self.steps += 1;
        let [for_mean, for_square] = BETAS.map(|beta| 1.0 - beta.powi(self.steps));
        let (lr, root) = (self.lr / for_mean, for_square.sqrt());
        let moments = self.means.iter_mut().zip(&mut self.squares);
        for ((p, g), (m, s)) in parameters.iter_mut().zip(gradients).zip(moments) {
            *m += (1.0 - BETAS[0]) * (g - *m);
            *s += (1.0 - BETAS[1]) * (g * g - *s);
            *p -= lr * *m / (s.sqrt() / root + 1e-8);
        }
    }
}
// ANCHOR_END: adam
