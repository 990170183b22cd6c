//! Our parameters by the names that they have in PyTorch.

use serde_json::Value;

/// PyTorch's name of one of our parameters, in a model whose parameters are
/// `all`.
pub fn theirs(ours: &str, all: &Value) -> String {
    let mut name = format!(".{ours}");
    for (ours, there) in [
        (".feed_forward.", ".ffn."),
        (".attention_residual.norm.", ".addnorm1.ln."),
        (".cross_residual.norm.", ".addnorm2.ln."),
        (".feed_forward_residual.norm.", ".addnorm3.ln."),
        (".cross_attention.", ".attention2."),
        (".first.", ".dense1."),
        (".second.", ".dense2."),
        (".blocks.", ".blks."),
        (".embedding.vectors", ".embedding.weight"),
        (".output.", ".dense."),
        (".b_out", ".dense.bias"),
        (".w_q.", ".W_q."),
        (".w_k.", ".W_k."),
        (".w_v.", ".W_v."),
        (".w_o.", ".W_o."),
        (".stack.", "."),
        (".gamma", ".weight"),
        (".beta", ".bias"),
    ] {
        name = name.replace(ours, there);
    }
    let name = &name[1..];
    // In an encoder the attention has no number, and the last norm of a block
    // is the second; a layer of its own is in no block.
    [
        name.to_string(),
        name.replace("self_attention.", "attention1."),
        name.replace("self_attention.", "attention."),
        name.replace("addnorm3", "addnorm2"),
        name.replace("norm.", "ln."),
        format!("ln.{name}"),
    ]
    .into_iter()
    .find(|name| all.get(name).is_some())
    .unwrap_or_else(|| panic!("{ours}: no {name}"))
}
