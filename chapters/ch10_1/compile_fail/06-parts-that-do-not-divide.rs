//! A width of 10 cannot be cut into 3 equal parts. Reading the types.

fn part<const WIDTH: usize, const PARTS: usize>() -> usize {
    const { assert!(WIDTH % PARTS == 0, "PARTS divides WIDTH") };
    WIDTH / PARTS
}

fn main() {
    println!("{}", part::<10, 3>());
}
// Right, line 9: println!("{}", part::<10, 5>());
