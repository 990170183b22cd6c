//! Attention over flat slices by three nested loops: a second implementation
//! that shares no code with section 10.3.

/// B, Q, K and DV, and the widths of a query and of a key.
pub struct Sizes {
    /// Examples.
    pub b: usize,
    /// Queries an example.
    pub q: usize,
    /// Key-value pairs an example.
    pub k: usize,
    /// Widths of a query, a key and a value.
    pub widths: [usize; 3],
}

/// The score of the scaled dot product.
pub fn scaled_dot(query: &[f32], key: &[f32]) -> f32 {
    let dot: f32 = query.iter().zip(key).map(|(q, k)| q * k).sum();
    dot / (query.len() as f32).sqrt()
}

/// Output (B, Q, DV) and weights (B, Q, K), row after row. `allows` says whether
/// query q of example b may attend to pair k.
pub fn attention(
    sizes: &Sizes,
    [queries, keys, values]: [&[f32]; 3],
    score: impl Fn(&[f32], &[f32]) -> f32,
    allows: impl Fn(usize, usize, usize) -> bool,
) -> (Vec<f32>, Vec<f32>) {
    let [dq, dk, dv] = sizes.widths;
    let mut output = vec![0.0; sizes.b * sizes.q * dv];
    let mut weights = vec![0.0; sizes.b * sizes.q * sizes.k];
    for (b, q) in (0..sizes.b).flat_map(|b| (0..sizes.q).map(move |q| (b, q))) {
        let row = b * sizes.q + q;
        let query = &queries[row * dq..][..dq];
        let weights = &mut weights[row * sizes.k..][..sizes.k];
        let allowed: Vec<usize> = (0..sizes.k).filter(|&k| allows(b, q, k)).collect();
        let mut largest = f32::NEG_INFINITY;
        for &k in &allowed {
            weights[k] = score(query, &keys[(b * sizes.k + k) * dk..][..dk]);
            largest = largest.max(weights[k]);
        }
        let mut sum = 0.0;
        for &k in &allowed {
            weights[k] = (weights[k] - largest).exp();
            sum += weights[k];
        }
        for &k in &allowed {
            weights[k] /= sum;
            let value = &values[(b * sizes.k + k) * dv..][..dv];
            for (out, v) in output[row * dv..][..dv].iter_mut().zip(value) {
                *out += weights[k] * v;
            }
        }
    }
    (output, weights)
}
