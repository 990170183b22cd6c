//! Three heads of width 33 make 99, not 100. Section 10.5.

use ch10_1::Dev;
use ch10_5::MultiHeadAttention;

/// Queries, keys and values of width 100; heads, their width, the output's.
type Layer = MultiHeadAttention<100, 100, 100, 3, 33, 100>;

fn main() {
    let layer = Layer::new(&Dev::default(), 0.0);
    println!("dropout {}", layer.attention.dropout);
}
