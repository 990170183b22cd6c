//! The game of section 10.5: the deals are as the rules say, one head cannot
//! win, two can, and each has its own part in it.

use ch10_1::Dev;
use ch10_5::{CARDS, Deal, NUMBERS, Player, train};
use dfdx::prelude::*;
use rand::SeedableRng;
use rand::rngs::StdRng;

fn place(row: &[f32]) -> usize {
    assert_eq!(row.iter().filter(|&&x| x == 1.0).count(), 1, "one-hot");
    assert_eq!(row.iter().sum::<f32>(), 1.0, "one-hot");
    row.iter().position(|&x| x == 1.0).expect("is there")
}

#[test]
fn deals_follow_the_rules() {
    let dev = Dev::default();
    let deal: Deal<50> = Deal::new(&dev, &mut StdRng::seed_from_u64(1));
    let (faces, numbers) = (deal.faces.array(), deal.numbers.array());
    let [left, partner] = [0, 1].map(|which| deal.answers[which].array());
    for b in 0..50 {
        let pictures = deal.pictures[b];
        for card in 0..CARDS {
            assert_eq!(place(&faces[b][card][..CARDS]), card);
            assert_eq!(place(&faces[b][card][CARDS..]), pictures[card]);
            let twins: Vec<usize> = (0..CARDS)
                .filter(|&c| c != card && pictures[c] == pictures[card])
                .collect();
            assert_eq!(twins.len(), 1, "each picture is on two cards");
            let number = |card: usize| place(&numbers[b][card]);
            let before = if card == 0 { CARDS - 1 } else { card - 1 };
            assert_eq!(place(&left[b][card]), number(before));
            assert_eq!(place(&partner[b][card]), number(twins[0]));
        }
    }
}

#[test]
fn numbers_and_pictures_are_spread_evenly() {
    let dev = Dev::default();
    let deal: Deal<2000> = Deal::new(&dev, &mut StdRng::seed_from_u64(2));
    let mut counts = [0; NUMBERS];
    for row in deal.numbers.as_vec().chunks(NUMBERS) {
        counts[place(row)] += 1;
    }
    let near = |count: &usize| (1800..2200).contains(count);
    assert!(counts.iter().all(near), "{counts:?}");
    // A card's neighbour is its partner in one deal of seven.
    let twins = deal.pictures.iter().filter(|p| p[0] == p[1]).count();
    assert!((220..350).contains(&twins), "{twins}");
}

fn trained<const H: usize, const D: usize>(seed: u64) -> Player<H, D> {
    let mut player = Player::new(&Dev::seed_from_u64(seed));
    let mut rng = StdRng::seed_from_u64(seed.wrapping_add(1));
    let mut seen = 0;
    train(&mut player, &mut rng, 300, |step, loss| {
        seen += 1;
        assert_eq!(step, seen);
        assert!(loss.is_finite());
    })
    .expect("all parameters are used");
    player
}

fn test_deal(seed: u64) -> Deal<256> {
    Deal::new(&Dev::default(), &mut StdRng::seed_from_u64(seed))
}

/// What the page says of one head: it answers one question, and is right on
/// the other half of the time at the very most.
#[test]
fn one_head_cannot_win() {
    for seed in [105, 1] {
        let (player, deal) = (trained::<1, 32>(seed), test_deal(seed));
        let said = player.play(&deal, Dev::default().ones());
        let mut right = said.right(&deal);
        right.sort_by(f32::total_cmp);
        assert!(right[0] < 0.5, "{right:?}");
        let losses = player.losses_without(&deal, &[]);
        assert!(losses.iter().sum::<f32>() > 0.7, "{losses:?}");
    }
}

#[test]
fn two_heads_win_and_each_has_one_question() {
    for seed in [105, 1, 2] {
        let (player, deal) = (trained::<2, 16>(seed), test_deal(seed));
        let said = player.play(&deal, Dev::default().ones());
        assert!(said.right(&deal).iter().all(|&r| r > 0.99));
        let [a, b] = [0, 1].map(|h| player.losses_without(&deal, &[h]));
        // Without one head, one question is lost and the other is not.
        let lost = |losses: [f32; 2]| losses.map(|loss| loss > 1.0);
        assert_eq!(lost(a).iter().filter(|&&x| x).count(), 1, "{a:?}");
        assert_eq!(lost(a), lost(b).map(|x| !x), "{a:?} {b:?}");
    }
}

#[test]
fn four_heads_win_and_can_spare_some() {
    let (player, deal) = (trained::<4, 8>(105), test_deal(105));
    let said = player.play(&deal, Dev::default().ones());
    assert!(said.right(&deal).iter().all(|&r| r > 0.99));
    let without: Vec<f32> =
        (0..4).map(|h| player.losses_without(&deal, &[h]).iter().sum()).collect();
    let dear = without.iter().filter(|&&loss| loss > 0.1).count();
    let cheap = without.iter().filter(|&&loss| loss < 0.02).count();
    assert_eq!((dear, cheap), (2, 2), "{without:?}");
    let both: f32 = player.losses_without(&deal, &[2, 3]).iter().sum();
    assert!(both < 0.1, "{both}");
}

/// Without any head nothing is known, and the guess is as good as any.
#[test]
fn without_heads_there_is_only_guessing() {
    let (player, deal) = (trained::<2, 16>(3), test_deal(3));
    for loss in player.losses_without(&deal, &[0, 1]) {
        assert!((loss - 8f32.ln()).abs() < 0.05, "{loss}");
    }
}

#[test]
fn gates_of_one_change_nothing() {
    let dev = Dev::seed_from_u64(4);
    let (player, deal) = (Player::<4, 8>::new(&dev), test_deal(4));
    let layer = &player.attention;
    let whole = layer.forward(
        deal.faces.clone(),
        deal.faces.clone(),
        deal.numbers.clone(),
        &ch10_3::ValidLens::All,
    );
    let plain = player.left.forward(whole.output).as_vec();
    let gated = player.play(&deal, dev.ones());
    assert_eq!(gated.logits[0].as_vec(), plain);
    assert_eq!(gated.weights.as_vec(), whole.weights.as_vec());
}
