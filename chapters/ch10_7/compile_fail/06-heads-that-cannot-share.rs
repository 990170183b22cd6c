//! Four heads of queries cannot share three of keys equally. Section 10.7.

use ch10_7::decoder_of_today::GroupedQueryAttention;
use kernels::Dev;

/// Width 64, four heads of queries, heads of keys and values, width of a head.
type Layer = GroupedQueryAttention<64, 4, 3, 16>;

fn main() {
    let layer = Layer::new(&Dev::default(), 0.0, true);
    println!("dropout {}", layer.dropout);
}
// Right, line 7: type Layer = GroupedQueryAttention<64, 4, 2, 16>;
