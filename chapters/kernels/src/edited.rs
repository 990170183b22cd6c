//! Definitions that somebody has edited. A kernel computes what the definition
//! on the page said when tests held the two equal; after an edit it would not,
//! so the edited definition runs in its place.
//!
//! A definition is known by a fingerprint of its listings: the text between
//! the comments of an anchor, without comments and white space. When a kernel
//! has followed its definition, `cargo test -p laws --test kernels recorded`
//! prints the lines to write below.

use std::sync::Once;

/// A listing that a definition consists of, or calls.
#[derive(Debug)]
pub struct Listing {
    /// The file, below `chapters`.
    pub file: &'static str,
    /// The name of the anchor.
    pub anchor: &'static str,
    /// The fingerprint of the text that the kernel was tested against.
    pub tested: u64,
    /// The fingerprint of the text that was compiled in.
    pub compiled: u64,
}

impl Listing {
    const fn is_edited(&self) -> bool {
        self.tested != self.compiled
    }
}

/// The definition of a kernel: its own listings, and the definitions that it
/// calls.
#[derive(Debug)]
pub struct Definition {
    /// The kernel.
    pub kernel: &'static str,
    /// What the definition itself consists of, wherever it is handed over.
    pub listings: &'static [Listing],
    /// What it calls.
    pub calls: &'static [&'static Definition],
}

impl Definition {
    /// Returns whether a listing is no longer what the kernel was tested against.
    pub(crate) const fn is_edited(&self) -> bool {
        let mut at = 0;
        while at < self.listings.len() {
            if self.listings[at].is_edited() {
                return true;
            }
            at += 1;
        }
        let mut at = 0;
        while at < self.calls.len() {
            if self.calls[at].is_edited() {
                return true;
            }
            at += 1;
        }
        false
    }

    /// Returns the listings of the definition and of all that it calls.
    pub fn all_listings(&self) -> Vec<&'static Listing> {
        let own = self.listings.iter();
        own.chain(self.calls.iter().flat_map(|called| called.all_listings())).collect()
    }

    /// Runs the definition, and says so on standard error if it is because
    /// somebody has edited it.
    pub(crate) fn run<R>(&self, definition: impl FnOnce() -> R) -> R {
        if self.is_edited() {
            say_edited();
        }
        definition()
    }
}

/// Names the edited listings on standard error, once.
#[cold]
fn say_edited() {
    static SAID: Once = Once::new();
    SAID.call_once(|| {
        let listings = DEFINITIONS.iter().flat_map(|definition| definition.listings);
        for Listing { file, anchor, .. } in listings.filter(|l| l.is_edited()) {
            eprintln!(
                "note: {anchor} in chapters/{file} was edited: it runs as written, \
                 without its kernel"
            );
        }
    });
}

macro_rules! listings {
    ($($file:literal, $anchor:literal, $tested:literal;)*) => {
        &[$(Listing {
            file: $file,
            anchor: $anchor,
            tested: $tested,
            compiled: fingerprint(
                include_str!(concat!("../../", $file)),
                concat!("// ANCHOR: ", $anchor, "\n"),
                concat!("// ANCHOR_END: ", $anchor, "\n"),
            ),
        }),*]
    };
}

macro_rules! definitions {
    ($($name:ident, calls [$($called:ident)*], { $($listings:tt)* })*) => {
        $(pub(crate) const $name: Definition = Definition {
            kernel: stringify!($name),
            listings: listings!($($listings)*),
            calls: &[$(&$called),*],
        };)*

        /// The definitions of all kernels, and what several of them call.
        pub const DEFINITIONS: &[&Definition] = &[$(&$name),*];
    };
}

definitions! {
    DROPOUT, calls [], {
        "ch10_3/src/attention.rs", "dropout", 0x85e489de9a1fa40f;
    }
    DROPOUT_ADD, calls [DROPOUT], {
        "ch10_7/src/norm.rs", "residual_add", 0xfc2fa6eab651098a;
        "ch10_7/src/decoder_of_today/block.rs", "today_block_forward", 0x93349308e1878366;
    }
    ADD, calls [], {
        "seq2seq/src/decoder.rs", "decoder_step", 0xb7033051526b20fd;
    }
    LINEAR, calls [], {
        "ch10_3/src/linear.rs", "linear_forward", 0xb4da73c033f64b10;
    }
    FEED_FORWARD, calls [LINEAR], {
        "ch10_7/src/feed_forward.rs", "feed_forward_forward", 0x343c3eea0353bb63;
    }
    LAYER_NORM, calls [], {
        "ch10_7/src/norm.rs", "layer_norm_forward", 0xd8a9d63e0a69fd3f;
    }
    SOFTMAX, calls [], {
        "ch10_3/src/mask.rs", "softmax_where", 0xb5be75f38fa1ff5e;
        "ch10_3/src/mask.rs", "lens", 0xe05f4f5044ad953e;
        "ch10_3/src/mask.rs", "fill", 0xf5ce9bd3680406bc;
        "ch10_3/src/mask.rs", "to_allowed", 0x43c27d8124ff4cb2;
        "ch10_3/src/mask.rs", "allows", 0x533445e73f74e972;
    }
    ADDITIVE_ATTENTION, calls [SOFTMAX DROPOUT], {
        "ch10_3/src/additive.rs", "additive_projected", 0x69be88531e304dfd;
        "ch10_3/src/attention.rs", "attend", 0x9ca8aa5990a4a732;
        "ch10_3/src/mask.rs", "masked_softmax", 0xe339f9115289a959;
    }
    ATTENTION, calls [SOFTMAX DROPOUT], {
        "ch10_5/src/multi_head.rs", "attend_heads", 0x76b21719ba7b801f;
        "ch10_7/src/decoder_of_today/grouped.rs", "grouped_forward", 0x93e1711d6cc512b0;
        "ch10_3/src/dot_product.rs", "heads", 0x3d7cae766e698574;
        "ch10_3/src/mask.rs", "masked_softmax_heads", 0x755804517cc143c3;
        "ch10_5/src/heads.rs", "split", 0xef685f7b601f15f8;
        "ch10_5/src/heads.rs", "merge", 0xeab544a6862aacec;
    }
    EMBEDDING, calls [], {
        "seq2seq/src/embedding.rs", "embedding", 0x4889f4bdcb67491b;
    }
    EMBEDDING_WITH_POSITIONS, calls [DROPOUT], {
        "ch10_7/src/embedding.rs", "embedding_forward", 0x692731487b6cfa71;
        "ch10_6/src/encoding.rs", "encoding_forward", 0xef83a78dc4b28852;
        "ch10_6/src/encoding.rs", "encode", 0xe49ee8334f6d7c9e;
    }
    CROSS_ENTROPY, calls [], {
        "seq2seq/src/loss.rs", "masked_cross_entropy", 0x3730a39ace1f955b;
        "seq2seq/src/loss.rs", "cross_entropy", 0x31501905d69e9ee1;
        "seq2seq/src/loss.rs", "logits", 0xddf3d413e4b9ebae;
    }
    GATE_PREACTIVATIONS, calls [], {
        "seq2seq/src/gru.rs", "gate_preactivations", 0x3134444ab8dcb9c7;
    }
    GRU_GATES, calls [GATE_PREACTIVATIONS], {
        "seq2seq/src/gru.rs", "cell_step", 0x2047add28d6e1649;
    }
    UNBIND, calls [], {
        "seq2seq/src/gru.rs", "scan", 0xc7d2a698cb226ca0;
    }
}

/// Returns the FNV-1a hash of the text between two lines, without comments and
/// white space; of nothing, if a line is missing: that counts as edited.
const fn fingerprint(text: &str, from: &str, to: &str) -> u64 {
    let text = text.as_bytes();
    let mut at = find(text, 0, from.as_bytes());
    let end = find(text, at, to.as_bytes());
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    while at < end {
        if text[at] == b'/' && text[at + 1] == b'/' {
            while text[at] != b'\n' {
                at += 1;
            }
        } else if !text[at].is_ascii_whitespace() {
            hash = (hash ^ text[at] as u64).wrapping_mul(0x0100_0000_01b3);
        }
        at += 1;
    }
    hash
}

/// Returns where `what` begins in the text, at `at` or after; the end of the
/// text if nowhere.
const fn find(text: &[u8], mut at: usize, what: &[u8]) -> usize {
    while at + what.len() <= text.len() {
        let mut same = 0;
        while same < what.len() && text[at + same] == what[same] {
            same += 1;
        }
        if same == what.len() {
            return at;
        }
        at += 1;
    }
    text.len()
}
