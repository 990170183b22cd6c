//! Attention over flat slices by three nested loops: a second implementation
//! that shares no code with section 10.3, for its tests and its bench.

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

/// Output (B, Q, DV) and weights (B, Q, K), row after row. `len` gives the
/// length for query q of example b, at most K.
pub fn attention(
    sizes: &Sizes,
    [queries, keys, values]: [&[f32]; 3],
    score: impl Fn(&[f32], &[f32]) -> f32,
    len: impl Fn(usize, usize) -> usize,
) -> (Vec<f32>, Vec<f32>) {
    let [dq, dk, dv] = sizes.widths;
    let mut output = vec![0.0; sizes.b * sizes.q * dv];
    let mut weights = vec![0.0; sizes.b * sizes.q * sizes.k];
    for (b, q) in (0..sizes.b).flat_map(|b| (0..sizes.q).map(move |q| (b, q))) {
        let row = b * sizes.q + q;
        let query = &queries[row * dq..][..dq];
        let weights = &mut weights[row * sizes.k..][..len(b, q)];
        let mut largest = f32::NEG_INFINITY;
        for (k, weight) in weights.iter_mut().enumerate() {
            *weight = score(query, &keys[(b * sizes.k + k) * dk..][..dk]);
            largest = largest.max(*weight);
        }
        let mut sum = 0.0;
        for weight in weights.iter_mut() {
            *weight = (*weight - largest).exp();
            sum += *weight;
        }
        for (k, weight) in weights.iter_mut().enumerate() {
            *weight /= sum;
            let value = &values[(b * sizes.k + k) * dv..][..dv];
            for (out, v) in output[row * dv..][..dv].iter_mut().zip(value) {
                *out += *weight * v;
            }
        }
    }
    (output, weights)
}
