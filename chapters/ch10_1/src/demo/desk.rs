//! The desk, average pooling, and three queries.

use super::{NAMES, QUERIES, TEMPERATURE, rows};
use anyhow::Result;
use ch10_1::*;
use dfdx::prelude::*;
use support::{Labels, show_heatmaps};
use support::{RunArgs, heading, row};

const SENSES: [&str; 4] = ["red", "words", "warmth", "scent"];

pub fn the_desk(dev: &Dev) {
    heading("The desk");
    let keys: Tensor2<5, 2> = dev.tensor(KEYS);
    let values: Tensor2<5, 4> = dev.tensor(VALUES);
    println!("keys {:?}", keys.shape().concrete());
    println!("values {:?}", values.shape().concrete());
    row("", 10, &["eye", "reading", "red", "words", "warmth", "scent"]);
    for (k, object) in OBJECTS.iter().enumerate() {
        row(object, 10, &[&KEYS[k][..], &VALUES[k][..]].concat());
    }
}

pub fn average(dev: &Dev) {
    heading("Average pooling");
    row("", 10, &SENSES);
    rows(&["mean"], &[average_pooling(dev.tensor(VALUES)).array()]);
}

pub fn three_queries(run: &RunArgs, dev: &Dev) -> Result<()> {
    heading("Three queries");
    // ANCHOR: three_queries
    let queries: Tensor2<3, 2> = dev.tensor(QUERIES);
    let (keys, values) = (dev.tensor(KEYS), dev.tensor(VALUES));
    let attention = soft_attention(queries, keys, values, TEMPERATURE);
    // ANCHOR_END: three_queries
    row("weights", 10, &OBJECTS);
    rows(&NAMES, &attention.weights.array());
    row("output", 10, &SENSES);
    rows(&NAMES, &attention.output.array());
    // ANCHOR: heat_map
    let labels = Labels::tokens(&NAMES, &OBJECTS);
    let svg = show_heatmaps(&attention.weights.array(), &labels)?;
    // ANCHOR_END: heat_map
    run.figure("three_queries", &svg)
}

pub fn identity(run: &RunArgs, dev: &Dev) -> Result<()> {
    heading("Heat maps");
    let mut identity = [[0.0; 10]; 10];
    (0..10).for_each(|i| identity[i][i] = 1.0);
    let weights: Tensor2<10, 10> = dev.tensor(identity);
    println!("weights {:?}", weights.shape().concrete());
    let svg = show_heatmaps(&weights.array(), &Labels::default())?;
    run.figure("identity", &svg)
}
