//! What the side page on kernels says of widths and of more data, measured here
//! as means over ten samples. Section 10.2.

use ch10_1::{Dev, Tensor1, Tensor2};
use ch10_2::kernels::{Kernel, kernel_weights};
use ch10_2::*;
use dfdx::prelude::*;

const WIDTHS: [f32; 4] = [0.1, 0.2, 0.5, 1.0];

/// The error on 200 points that the estimate did not see, and how many of the
/// 2,000 had no key in their window, for each width.
fn errors(kernel: Kernel) -> ([f32; 4], [usize; 4]) {
    let (mut errors, mut empty) = ([0.0; 4], [0; 4]);
    for seed in 100..110 {
        let dev = Dev::seed_from_u64(seed);
        let train: Samples<50> = draw_samples(&dev);
        let held_out: Samples<200> = draw_samples(&dev);
        for (i, width) in WIDTHS.into_iter().enumerate() {
            let u: Tensor2<200, 50> = differences(held_out.x.clone(), train.x.clone());
            let weights = kernel_weights(kernel, width, u);
            let sums: Tensor1<200> = weights.clone().sum::<_, Axis<1>>();
            empty[i] += sums.as_vec().iter().filter(|&&sum| sum == 0.0).count();
            errors[i] += mse(pool(weights, train.y.clone()), &held_out.y) / 10.0;
        }
    }
    (errors, empty)
}

fn least(errors: [f32; 4]) -> f32 {
    errors.into_iter().fold(f32::INFINITY, f32::min)
}

#[test]
fn the_width_matters_more_than_the_kernel() {
    let kernels = [Kernel::Gaussian, Kernel::Boxcar, Kernel::Epanechnikov];
    let all = kernels.map(|kernel| errors(kernel).0);
    let best = all.map(least);
    assert!(best.iter().all(|e| (e - best[0]).abs() < 0.04), "{best:?}");
    // At its best the Gaussian is narrower by the name of its width.
    assert_eq!(all[0][1], best[0], "{all:?}");
    assert!(all[1][2] == best[1] && all[2][2] == best[2], "{all:?}");
    // Away from empty windows the wrong width costs more.
    assert!(all[0][3] > 1.8 * best[0], "{all:?}");
    assert!(all[1][3] > 1.25 * best[1] && all[2][3] > 1.1 * best[2], "{all:?}");
}

#[test]
fn empty_windows_make_a_narrow_boxcar_as_bad_as_average_pooling() {
    let (boxcar, empty) = errors(Kernel::Boxcar);
    let (average, _) = errors(Kernel::Constant);
    assert!(empty[0] > 100 && empty[1] > 0 && empty[2] == 0, "{empty:?}");
    assert!(boxcar[0] > 0.8 * average[0], "{boxcar:?} {average:?}");
    assert_eq!(errors(Kernel::Gaussian).1, [0; 4]);
}

/// The error with width 1, and with one that shrinks with the points.
fn with_points<const N: usize>() -> [f32; 2] {
    let mut errors = [0.0; 2];
    for seed in 200..210 {
        let dev = Dev::seed_from_u64(seed);
        let Samples { x, y } = draw_samples::<N>(&dev);
        let queries = test_inputs::<50>(&dev);
        let truth = truth(queries.clone());
        let u: Tensor2<50, N> = differences(queries, x);
        for (i, width) in [1.0, (N as f32).powf(-0.2)].into_iter().enumerate() {
            let output = pool(gaussian_weights(u.clone() / width), y.clone());
            errors[i] += mse(output, &truth) / 10.0;
        }
    }
    errors
}

#[test]
fn more_data_helps_only_if_the_width_shrinks() {
    let errors = [with_points::<50>(), with_points::<200>(), with_points::<800>()];
    for [few, more] in [[errors[0], errors[1]], [errors[1], errors[2]]] {
        assert!(more[0] > 0.85 * few[0], "{errors:?}");
        assert!((0.35..0.65).contains(&(more[1] / few[1])), "{errors:?}");
    }
    assert!(errors[2][0] > 0.35, "{errors:?}");
}
