//! The parameters of section 10.7 by the names that they have in PyTorch.

use seq2seq::parameters::Parameters;
use serde_json::Value;

use crate::common::numbers;

/// PyTorch's name of one of our parameters.
fn name(ours: &str) -> String {
    let other = [
        ("around_attention.norm.", "addnorm1.ln."),
        ("around_self.norm.", "addnorm1.ln."),
        ("around_cross.norm.", "addnorm2.ln."),
        ("self_attention.", "attention1."),
        ("cross_attention.", "attention2."),
        ("ffn.first.", "ffn.dense1."),
        ("ffn.second.", "ffn.dense2."),
        ("block_", "blks."),
        ("embedding", "embedding.weight"),
        ("w_out", "dense.weight"),
        ("b_out", "dense.bias"),
        ("w_q", "W_q"),
        ("w_k", "W_k"),
        ("w_v", "W_v"),
        ("w_o.", "W_o."),
        ("gain", "weight"),
        ("shift", "bias"),
    ];
    let start = ours.replace("around_ffn.norm.", "addnorm3.ln.");
    other.iter().fold(start, |name, (ours, there)| name.replace(ours, there))
}

/// A row of numbers in the order of our parameters, out of those by name.
pub fn there(model: &mut impl Parameters, values: &Value) -> Vec<f32> {
    let names = model.parameters().into_iter().map(|(name, _)| name);
    let names: Vec<String> = names.collect();
    let value = |ours: &String| {
        let wanted = name(ours);
        // A layer alone has shorter names; and the last norm of a block is
        // the third in a decoder, but the second in an encoder.
        let all = [
            wanted.clone(),
            format!("ln.{wanted}"),
            wanted.replace("first", "dense1").replace("second", "dense2"),
            wanted.replace("addnorm3", "addnorm2"),
            wanted.replace("norm.", "ln."),
        ];
        let found = all.iter().find(|name| values.get(name).is_some());
        numbers(&values[found.unwrap_or_else(|| panic!("{ours}: {wanted}"))])
    };
    names.iter().flat_map(value).collect()
}

/// Takes the parameters of `model` out of those by name.
pub fn set(model: &mut impl Parameters, values: &Value) {
    let row = there(model, values);
    model.set_row(&row);
}
