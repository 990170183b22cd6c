//! A page asked natively, and its committed module asked in an interpreter.

use live::Page;
use live::abi::Shared;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use wasmi::{Engine, Instance, Linker, Memory, Module, Store};

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

/// The page `P`, natively, by the bytes that a browser would send.
pub struct Native<P>(Shared<P>);

impl<P: Page> Native<P> {
    /// With the committed model of `page`.
    pub fn start(page: &str) -> Self {
        let mut native = Native(Shared::new());
        let started = native.call(&model(page), Shared::start);
        assert_eq!(started, serde_json::json!({"ok": null}));
        native
    }

    /// The answer to a question: `{"ok": …}` or `{"error": …}`.
    pub fn ask(&mut self, question: &str) -> Value {
        self.call(question.as_bytes(), Shared::ask)
    }

    /// What is under `ok`.
    #[track_caller]
    pub fn ok(&mut self, question: &str) -> Value {
        let mut answer = self.ask(question);
        assert!(answer.get("ok").is_some(), "{question}: {answer}");
        answer["ok"].take()
    }

    /// What is under `error`: one line.
    #[track_caller]
    pub fn error(&mut self, question: &str) -> String {
        let answer = self.ask(question);
        let text = answer["error"].as_str();
        let text = text.unwrap_or_else(|| panic!("{question}: {answer}"));
        assert!(!text.is_empty() && !text.contains('\n'), "{text}");
        text.to_string()
    }

    fn call(
        &mut self,
        bytes: &[u8],
        function: fn(&mut Shared<P>, *const u8, usize) -> *const u8,
    ) -> Value {
        let at = self.0.alloc(bytes.len());
        self.0.input().copy_from_slice(bytes);
        function(&mut self.0, at, bytes.len());
        let output = self.0.output();
        let length = u32::from_le_bytes(output[..4].try_into().expect("four"));
        assert_eq!(length as usize, output.len() - 4);
        serde_json::from_slice(&output[4..]).expect("JSON")
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
        let started = wasm.call("start", &model(page));
        assert_eq!(started, serde_json::json!({"ok": null}));
        wasm
    }

    /// The answer to a question: `{"ok": …}` or `{"error": …}`.
    pub fn ask(&mut self, question: &str) -> Value {
        self.call("ask", question.as_bytes())
    }

    fn call(&mut self, name: &str, bytes: &[u8]) -> Value {
        let length = bytes.len() as i32;
        let alloc = self.instance.get_typed_func::<i32, i32>(&self.store, "alloc");
        let at = alloc.expect("alloc").call(&mut self.store, length).expect("no trap");
        self.memory.write(&mut self.store, at as usize, bytes).expect("room");
        let function =
            self.instance.get_typed_func::<(i32, i32), i32>(&self.store, name);
        let at = function.expect(name).call(&mut self.store, (at, length));
        let at = at.unwrap_or_else(|trap| {
            panic!("{name} {}: {trap}", String::from_utf8_lossy(bytes))
        });
        let data = &self.memory.data(&self.store)[at as usize..];
        let length = u32::from_le_bytes(data[..4].try_into().expect("four"));
        serde_json::from_slice(&data[4..][..length as usize]).expect("JSON")
    }
}

/// Asks the page natively and in the interpreter, in order: the same answers to
/// good questions, and the same line to bad ones, with the word that is beside
/// each. Afterwards both still answer.
#[track_caller]
pub fn agree<P: Page>(
    page: &str,
    good: &[impl AsRef<str>],
    bad: &[(impl AsRef<str>, &str)],
) {
    let (mut native, mut wasm) = (Native::<P>::start(page), Wasm::start(page));
    let mut alike = |question: &str, ours: Value| {
        let theirs = wasm.ask(question);
        if let Some(path) = difference(&ours, &theirs) {
            panic!("{page}, {question:.200}, at {path}:\n{ours}\n{theirs}");
        }
    };
    for question in good.iter().map(AsRef::as_ref) {
        let answer = native.ok(question);
        alike(question, serde_json::json!({"ok": answer}));
    }
    for (question, word) in bad {
        let text = native.error(question.as_ref());
        assert!(text.contains(word), "{:.200}: {text}", question.as_ref());
        alike(question.as_ref(), serde_json::json!({"error": text}));
    }
    let first = good[0].as_ref();
    let answer = native.ok(first);
    alike(first, serde_json::json!({"ok": answer}));
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
