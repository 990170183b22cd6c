//! The reverser with the mask of a decoder: which places can it get right?
//!
//! Worked answer to exercise 8 of section 10.7.

use ch10_3::Mask;
use ch10_7::NormPosition;
use ch10_7::reversal::{
    LEN, PART, Reverser, Sequence, random_sequence, reversed, train_reverser,
};
use rand::{SeedableRng, rngs::StdRng};
use support::{Progress, row};

const STEPS: usize = 600;

fn shares(name: &str, causal: bool) -> [f64; LEN] {
    fn mask<const B: usize>(causal: bool) -> Mask<B, LEN, LEN> {
        if causal { Mask::causal() } else { Mask::none() }
    }
    let mut rng = StdRng::seed_from_u64(7);
    let new: [Sequence; 512] = std::array::from_fn(|_| random_sequence(&mut rng));
    let mut progress = Progress::new(name, STEPS);
    let model = train_reverser(
        STEPS,
        0,
        &new,
        |dev| Reverser::new(dev, 1, NormPosition::Post),
        &mask::<PART>(causal),
        |_, loss| progress.step(loss),
    );
    let (predicted, _) = model.predict(&new, &mask(causal));
    let right = |place: usize| {
        let all = predicted.iter().zip(&new);
        all.filter(|(ours, new)| ours[place] == reversed(new)[place]).count()
    };
    std::array::from_fn(|place| right(place) as f64 / new.len() as f64)
}

fn main() {
    let places = [0, 3, 6, 7, 8, 9, 12, 15];
    row("place", 8, &places);
    let mut all = Vec::new();
    for (name, causal) in [("encoder", false), ("decoder", true)] {
        let shares = shares(name, causal);
        row(name, 8, &places.map(|place| format!("{:.3}", shares[place])));
        all.push(shares);
    }
    assert!(all[0].iter().all(|share| *share > 0.95));
    assert!(all[1][..8].iter().all(|share| *share < 0.3));
    assert!(all[1][8..].iter().all(|share| *share > 0.95));
}
