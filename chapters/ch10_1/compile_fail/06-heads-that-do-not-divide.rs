//! A width of 10 cannot be shared out among 3 heads. Reading the types.

fn split<const WIDTH: usize, const HEADS: usize>() -> usize {
    const { assert!(WIDTH % HEADS == 0, "HEADS divides WIDTH") };
    WIDTH / HEADS
}

fn main() {
    println!("{}", split::<10, 3>());
}
