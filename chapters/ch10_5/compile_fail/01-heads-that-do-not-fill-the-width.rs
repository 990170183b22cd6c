//! Three heads of width 33 make 99, not 100. Section 10.5.

use ch10_5::MultiHeadAttention;
use kernels::Dev;

/// Rows of width 100; heads, and their width.
type Layer = MultiHeadAttention<100, 3, 33>;

fn main() {
    let layer = Layer::new(&Dev::default(), 0.0);
    println!("dropout {}", layer.dropout);
}
// Right, line 7: type Layer = MultiHeadAttention<100, 5, 20>;
