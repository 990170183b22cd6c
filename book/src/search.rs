//! What the index of the search does not say: which sections define a word; and an
//! index of Chinese, which has no spaces between words.

use crate::listing::Files;
use crate::words::is_han;
use anyhow::{Context, Result};
use elasticlunr::lang::English;
use elasticlunr::{Index, Language, Pipeline};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Puts behind the index in `folder` where the pages have a word in bold, which
/// is where they define it. Theme's attention.js leads there first.
///
/// # Errors
/// A page or the index cannot be read or written.
pub fn define(folder: &Path, chinese: bool) -> Result<()> {
    let files = Files::new(folder);
    let index = files.under("", ".js").into_iter();
    let mut index = index.filter(|name| name.starts_with("searchindex"));
    let Some(index) = index.next().map(|name| folder.join(name)) else {
        return Ok(());
    };
    let pages = files.under("", ".html");
    let of_section =
        |name: &&String| name.starts_with("ch10_") || name.starts_with("seq2seq");
    let mut defined = Vec::new();
    for name in pages.iter().filter(of_section) {
        let page = fs::read_to_string(folder.join(name))?;
        let main = page.split_once("<main>").map_or("", |(_, main)| main);
        let mut section = "";
        // What follows each tag, with what begins it.
        for part in main.split('<') {
            if let Some(rest) =
                part.strip_prefix("h1 id=\"").or_else(|| part.strip_prefix("h2 id=\""))
            {
                section = rest.split('"').next().unwrap_or_default();
            } else if section == "exercises" {
                // What it asks about the text has said.
            } else if let Some(word) = part.strip_prefix("strong>")
                && !word.ends_with(['.', ':', '?', '。', '：', '？'])
            {
                defined.push(json!([word, format!("{name}#{section}")]));
            }
        }
    }
    let mut text = fs::read_to_string(&index)?;
    if chinese {
        text = in_chinese(&text).context("the index of mdBook's search")?;
    }
    let defined = json!(defined);
    fs::write(&index, format!("{text}\nwindow.search.defined = {defined};\n"))?;
    Ok(())
}

/// The index of mdBook, made anew: mdBook's finds no Chinese.
fn in_chinese(text: &str) -> Result<String> {
    let (before, data) = text.split_once("JSON.parse('").context("has no data")?;
    let (data, after) = data.rsplit_once("'))").context("has no end")?;
    let data = data.replace("\\'", "'").replace("\\\\", "\\");
    let mut search: Value = serde_json::from_str(&data)?;
    let fields = ["title", "body", "breadcrumbs"];
    let mut index = Index::with_language(Box::new(Chinese), fields);
    let docs = search["index"]["documentStore"]["docs"].as_object();
    let mut docs: Vec<_> = docs.context("has no documents")?.iter().collect();
    docs.sort_by_key(|(id, _)| id.parse::<usize>().ok());
    for (id, doc) in docs {
        index.add_doc(id, fields.map(|key| doc[key].as_str().unwrap_or_default()));
    }
    search["index"] = serde_json::to_value(&index)?;
    search["search_options"]["bool"] = json!("AND");
    let data = search.to_string().replace('\\', "\\\\").replace('\'', "\\'");
    Ok(format!("{before}JSON.parse('{data}')){after}"))
}

/// Each two neighbouring characters are a word. Theme's chinese.js cuts queries in the
/// same way.
struct Chinese;

impl Language for Chinese {
    fn name(&self) -> String {
        "Chinese".to_string()
    }

    fn code(&self) -> String {
        "zh".to_string()
    }

    fn tokenize(&self, text: &str) -> Vec<String> {
        let text: Vec<char> = text.to_lowercase().chars().collect();
        let kind = |c: &char| match c {
            c if is_han(*c) => 2,
            '-' | '“' | '”' | '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ffef}' => {
                0
            }
            c => usize::from(!c.is_whitespace()),
        };
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mut tokens: Vec<String> = Vec::new();
        for run in text.chunk_by(|a, b| kind(a) == kind(b)) {
            match kind(&run[0]) {
                0 => {}
                1 => {
                    let text: String = run.iter().collect();
                    tokens.push(text.trim_matches(|c| !word(c)).to_string());
                }
                _ if run.len() == 1 => tokens.push(run[0].to_string()),
                _ => tokens.extend(run.windows(2).map(|pair| pair.iter().collect())),
            }
        }
        tokens.retain(|token| !token.is_empty());
        tokens
    }

    fn make_pipeline(&self) -> Pipeline {
        let mut pipeline = English::new().make_pipeline();
        // The trimmer takes Chinese for punctuation.
        pipeline.queue.remove(0);
        pipeline
    }
}
