//! Our parameters out of those of d2l's models in PyTorch.

use ch10_2::parameters::Parameters;
use serde_json::Value;
use testing::flat;

/// PyTorch's name of one of our parameters.
fn name_there(ours: &str) -> String {
    let (side, rest) = ours.split_once('.').expect("encoder or decoder");
    let parts: Vec<&str> = rest.split('.').collect();
    let weight = |ours: &str| ours.replace("w_", "weight_").replace("b_", "bias_");
    match parts[..] {
        ["embedding", "vectors"] => format!("{side}.embedding.weight"),
        ["w_context"] => "decoder.rnn.weight_ih_l0".into(),
        ["output", name] => format!("decoder.dense.{name}"),
        ["context", "additive", "w_q", "weight"] => {
            "decoder.attention.W_q.weight".into()
        }
        ["context", "additive", "w_k", "weight"] => {
            "decoder.attention.W_k.weight".into()
        }
        ["context", "additive", "w_v"] => "decoder.attention.w_v.weight".into(),
        ["rnn", "first", name] => format!("{side}.rnn.{}_l0", weight(name)),
        ["rnn", "upper", "0", name] => format!("{side}.rnn.{}_l1", weight(name)),
        _ => panic!("{ours}: what is it there?"),
    }
}

/// One of our parameters. The first layer of PyTorch's decoder reads context
/// and embedding as one vector, ours as two.
fn value_there(values: &Value, ours: &str, width: usize) -> Vec<f32> {
    let all = flat(&values[&name_there(ours)]);
    let columns = match ours {
        "decoder.w_context" => 0..width,
        "decoder.rnn.first.w_ih" => width..usize::MAX,
        _ => return all,
    };
    let row = values["decoder.rnn.weight_ih_l0"][0].as_array();
    let row = row.expect("a list").len();
    let columns = columns.start..columns.end.min(row);
    let rows = all.chunks(row).map(|row| row[columns.clone()].to_vec());
    rows.flatten().collect()
}

/// All parameters of a model, or their gradients, in our order. `width` is the
/// width of the context.
pub fn flat_there(
    model: &mut impl Parameters,
    values: &Value,
    width: usize,
) -> Vec<f32> {
    let names = model.parameters().into_iter().map(|(name, _)| name);
    names.flat_map(|name| value_there(values, &name, width)).collect()
}
