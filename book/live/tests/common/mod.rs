//! A page asked natively, and its committed module asked in an interpreter.

use live::Page;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use wasmi::{Engine, Instance, Linker, Memory, Module, Store, WasmParams};

/// How far two answers may be apart: no processor rounds like another.
const TOLERANCE: f64 = 1e-4;

fn file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The committed model of a page; nothing if it has none. The block is one of the
/// translator.
pub fn model(page: &str) -> Vec<u8> {
    let page = page.trim_end_matches("_block");
    fs::read(file(&format!("models/{page}.safetensors"))).unwrap_or_default()
}

/// A page with its committed model.
pub fn start<P: Page>(page: &str) -> P {
    P::new(&model(page)).expect("the model")
}

/// What a page says natively.
pub trait Asked {
    /// The answer to a question.
    fn ok(&mut self, question: &str) -> Value;
    /// What is wrong with a question: one line.
    fn error(&mut self, question: &str) -> String;
}

impl<P: Page> Asked for P {
    #[track_caller]
    fn ok(&mut self, question: &str) -> Value {
        let answer = self.ask(question.as_bytes());
        let answer = answer.unwrap_or_else(|error| panic!("{question}: {error}"));
        serde_json::from_str(&answer).expect("JSON")
    }

    #[track_caller]
    fn error(&mut self, question: &str) -> String {
        let error = self.ask(question.as_bytes()).expect_err(question);
        let line = format!("{error:#}");
        assert!(!line.is_empty() && !line.contains('\n'), "{line}");
        line
    }
}

/// The committed module of a page.
pub struct Wasm {
    store: Store<()>,
    instance: Instance,
    memory: Memory,
}

impl Wasm {
    /// With the committed model of `page`.
    pub fn start(page: &str) -> Self {
        let path = file(&format!("wasm/{page}.wasm"));
        let code = fs::read(&path).unwrap_or_else(|error| {
            let path = path.display();
            panic!("{path}: {error}; cargo run -p book -- refresh live makes it")
        });
        let engine = Engine::default();
        let module = Module::new(&engine, code).expect("a module");
        let mut store = Store::new(&engine, ());
        let linker = Linker::new(&engine);
        let instance = linker
            .instantiate_and_start(&mut store, &module)
            .expect("a module that imports nothing");
        let memory = instance.get_memory(&store, "memory").expect("its memory");
        let mut wasm = Wasm { store, instance, memory };
        assert_eq!(wasm.call("start", &model(page)), json!({"ok": null}));
        wasm
    }

    /// The answer to a question: `{"ok": …}` or `{"error": …}`.
    pub fn ask(&mut self, question: &str) -> Value {
        self.call("ask", question.as_bytes())
    }

    fn call(&mut self, name: &str, bytes: &[u8]) -> Value {
        let at = self.run("alloc", bytes.len() as i32);
        self.memory.write(&mut self.store, at, bytes).expect("room");
        let at = self.run(name, ());
        let data = &self.memory.data(&self.store)[at..];
        let length = u32::from_le_bytes(data[..4].try_into().expect("four"));
        serde_json::from_slice(&data[4..][..length as usize]).expect("JSON")
    }

    fn run(&mut self, name: &str, of: impl WasmParams) -> usize {
        let function = self.instance.get_typed_func::<_, i32>(&self.store, name);
        let at = function.expect(name).call(&mut self.store, of);
        at.unwrap_or_else(|trap| panic!("{name}: {trap}")) as usize
    }
}

/// Asks the page natively and in the interpreter, in order: the same answers to
/// good questions, and the same line to bad ones, with the word that is beside
/// each. Afterwards both still answer.
pub fn agree<P: Page>(
    page: &str,
    good: &[impl AsRef<str>],
    bad: &[(impl AsRef<str>, &str)],
) {
    let (mut native, mut wasm) = (start::<P>(page), Wasm::start(page));
    let mut alike = |question: &str, ours: Value| {
        let theirs = wasm.ask(question);
        if let Some(path) = difference(&ours, &theirs) {
            panic!("{page}, {question:.200}, at {path}:\n{ours}\n{theirs}");
        }
    };
    for question in good.iter().map(AsRef::as_ref) {
        alike(question, json!({"ok": native.ok(question)}));
    }
    for (question, word) in bad {
        let text = native.error(question.as_ref());
        assert!(text.contains(word), "{:.200}: {text}", question.as_ref());
        alike(question.as_ref(), json!({"error": text}));
    }
    let first = good[0].as_ref();
    alike(first, json!({"ok": native.ok(first)}));
}

/// Where two answers differ: in a number by more than the tolerance.
fn difference(a: &Value, b: &Value) -> Option<String> {
    let below = |name: String, a, b| difference(a, b).map(|path| name + "/" + &path);
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => {
            let (x, y) = (x.as_f64()?, y.as_f64()?);
            let near = (x - y).abs() <= TOLERANCE * x.abs().max(1.0);
            (!near).then(String::new)
        }
        (Value::Array(x), Value::Array(y)) if x.len() == y.len() => {
            let mut pairs = x.iter().zip(y).enumerate();
            pairs.find_map(|(i, (a, b))| below(i.to_string(), a, b))
        }
        (Value::Object(x), Value::Object(y)) if x.keys().eq(y.keys()) => {
            x.iter().find_map(|(key, a)| below(key.clone(), a, &y[key]))
        }
        _ => (a != b).then(String::new),
    }
}

/// The numbers of a JSON array, of whatever depth.
pub fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(values) => values.iter().flat_map(numbers).collect(),
        value => value.as_f64().into_iter().collect(),
    }
}

/// Whether two lists are the same numbers to `within`.
#[track_caller]
pub fn near(ours: &[f64], expected: &[f64], within: f64) {
    let same = ours.len() == expected.len()
        && ours.iter().zip(expected).all(|(a, b)| (a - b).abs() <= within);
    assert!(same, "{ours:?}\n{expected:?}");
}

/// The numbers that a figure of the section was drawn with, a list for each map or
/// strip.
pub fn drawn(svg: &str) -> Vec<Vec<f64>> {
    let lists = svg.split("data-values=\"").skip(1);
    let lists = lists.filter_map(|rest| rest.split('"').next());
    let list = |list: &str| {
        list.split(' ').map(|number| number.parse().expect("a number")).collect()
    };
    lists.map(list).collect()
}

/// Whether the weights of a head are the softmax of its scores, where `allowed`, and
/// what it finds is the mean of its values by them.
#[track_caller]
pub fn is_one_head(head: &Value, allowed: impl Fn(usize) -> bool) {
    let scores = numbers(&head["scores"]).into_iter().enumerate();
    let odds: Vec<f64> =
        scores.map(|(k, x)| if allowed(k) { x.exp() } else { 0.0 }).collect();
    let sum: f64 = odds.iter().sum();
    let weights: Vec<f64> = odds.iter().map(|odds| odds / sum).collect();
    near(&numbers(&head["weights"]), &weights, 1e-5);
    let width = numbers(&head["query"]).len();
    let mut mean = vec![0.0; width];
    for (value, weight) in numbers(&head["values"]).chunks(width).zip(weights) {
        mean.iter_mut().zip(value).for_each(|(mean, x)| *mean += weight * x);
    }
    near(&numbers(&head["found"]), &mean, 1e-4);
}
