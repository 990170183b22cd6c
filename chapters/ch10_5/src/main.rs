//! x
use ch10_1::Dev;
use ch10_5::*;
use dfdx::prelude::*;
use rand::{SeedableRng, rngs::StdRng};
fn go<const H: usize, const D: usize>(seed: u64, steps: usize) {
    let dev = Dev::seed_from_u64(seed);
    let mut rng = StdRng::seed_from_u64(seed);
    let t = std::time::Instant::now();
    let mut p = Player::<H, D>::new(&dev);
    train(&mut p, &mut rng, steps, |s, l| if s % 200 == 0 { eprint!("{s}:{l:.3} ") }).unwrap();
    let deal = Deal::<256>::new(&dev, &mut rng);
    let mut gates: Vec<[f32; H]> = vec![[1.0; H]];
    for h in 0..H { let mut g = [1.0; H]; g[h] = 0.0; gates.push(g); }
    eprintln!("\nH={H} seed {seed} {:?} params {}", t.elapsed(), p.num_trainable_params());
    for g in gates {
        let g: Tensor<Rank2<256, H>, f32, Dev> = dev.tensor(g).broadcast();
        let said = p.play(&deal, g);
        let acc: Vec<f32> = (0..2).map(|i| {
            let (a, b) = (said.logits[i].as_vec(), deal.answers[i].as_vec());
            let am = |c: &[f32]| (0..8).max_by(|&i, &j| c[i].total_cmp(&c[j])).unwrap();
            a.chunks(8).zip(b.chunks(8)).filter(|(x, y)| am(x) == am(y)).count() as f32 / 2048.0
        }).collect();
        let [l, q] = said.losses(&deal);
        eprintln!("  left {:.3} partner {:.3}  acc {:?}", l.array(), q.array(), acc);
    }
}
fn main() {
    let steps: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    for seed in [105,0,1,2,3] {
        go::<8, 4>(seed, steps);
        go::<2, 16>(seed, steps);
        go::<4, 8>(seed, steps);
    }
}
