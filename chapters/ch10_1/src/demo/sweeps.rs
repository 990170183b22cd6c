//! A wish that grows, a temperature that falls, and a query that equals a key.

use super::{QUERIES, TEMPERATURE, rows};
use anyhow::Result;
use ch10_1::*;
use dfdx::prelude::*;
use support::{Mark, Plot, RunArgs, Series, heading, line_plots, row};

pub fn from_cup_to_book(run: &RunArgs, dev: &Dev) -> Result<()> {
    heading("From the cup to the book");
    let wishes: [f32; 51] = std::array::from_fn(|i| i as f32 / 25.0);
    let queries: Tensor2<51, 2> = dev.tensor(wishes.map(|wish| [1.0, wish]));
    let scores = score(queries, dev.tensor(KEYS));
    let weights = attention_weights(scores, TEMPERATURE).array();
    row("wish", 10, &OBJECTS);
    for q in (0..51).step_by(10) {
        rows(&[&format!("{:.1}", wishes[q])], &[weights[q]]);
    }
    let series = OBJECTS.iter().enumerate().map(|(k, object)| {
        let points = wishes.iter().zip(&weights);
        let points = points.map(|(&wish, w)| (wish.into(), w[k].into()));
        let bold = ["cup", "book"].contains(object);
        Series::new(object, if bold { Mark::Line } else { Mark::Dashes }, points)
    });
    let labels = ("strength of the wish to read", "weight");
    let plot = Plot { labels, series: series.collect(), ..Plot::default() };
    run.figure("from_cup_to_book", &line_plots(&[plot], 1)?)
}

pub fn from_soft_to_hard(run: &RunArgs, dev: &Dev) -> Result<()> {
    heading("From soft to hard");
    let scores = score(dev.tensor([QUERIES[2]]), dev.tensor(KEYS));
    let hard = pool(hard_weights(scores.clone()), dev.tensor(VALUES));
    let largest_and_distance = |temperature: f32| {
        let weights = attention_weights(scores.clone(), temperature);
        let largest = weights.clone().max::<Rank0, _>().array();
        let difference = pool(weights, dev.tensor(VALUES)) - hard.clone();
        (largest, difference.square().sum::<Rank0, _>().sqrt().array())
    };
    println!("temperature  largest weight  distance to hard attention");
    for temperature in [10.0, 1.0, 0.5, 0.2, 0.1, 0.05, 0.01] {
        let (largest, distance) = largest_and_distance(temperature);
        println!("{temperature:>11}{largest:>16.4}{distance:>28.4}");
    }
    let mut series = [
        Series::new("largest weight", Mark::Line, []),
        Series::new("distance", Mark::Dashes, []),
    ];
    for temperature in (-40..=40).map(|i| 10f32.powf(i as f32 / 20.0)) {
        let (largest, distance) = largest_and_distance(temperature);
        series[0].points.push((temperature.into(), largest.into()));
        series[1].points.push((temperature.into(), distance.into()));
    }
    let plot = Plot {
        labels: ("temperature", ""),
        log: (true, false),
        series: series.into(),
        ..Plot::default()
    };
    run.figure("from_soft_to_hard", &line_plots(&[plot], 1)?)
}

pub fn an_equal_key(dev: &Dev) {
    heading("A query that equals a key");
    let query: Tensor2<1, 2> = dev.tensor([KEYS[3]]);
    row("query", 10, &OBJECTS);
    rows(&[OBJECTS[3]], &score(query, dev.tensor(KEYS)).array());
}
