//! The numbers from PyTorch in tests/fixtures: well formed, and each file
//! used. The comparisons themselves are in chapters/laws/tests.

use crate::repository::{files, read};
use serde_json::Value;

fn fixtures() -> Vec<(String, Value)> {
    let files = files("tests/fixtures", "json");
    let parse = |file: String| {
        let value = serde_json::from_str(&read(&file));
        let value = value.unwrap_or_else(|error| panic!("{file}: {error}"));
        (file, value)
    };
    files.into_iter().map(parse).collect()
}

#[test]
fn every_fixture_is_used() {
    let tests = files("chapters", "rs").into_iter();
    let tests = tests.filter(|file| file.contains("/tests/"));
    let tests: Vec<String> = tests.map(|file| read(&file)).collect();
    for (file, _) in fixtures() {
        let name = file.rsplit('/').next().expect("has a name");
        let stem = format!("\"{}\"", name.trim_end_matches(".json"));
        let used = |text: &String| text.contains(name) || text.contains(&stem);
        assert!(tests.iter().any(used), "{file}: no test names it");
    }
}

#[test]
fn fixtures_are_well_formed() {
    for (file, fixture) in fixtures() {
        let stem = file.rsplit('/').next().expect("has a name");
        let name = fixture["name"].as_str().expect("has a name");
        assert_eq!(format!("{name}.json"), stem, "{file}");
        // Scores of sentences and pieces of words are no numbers of a layer.
        if ["bleu", "pieces"].contains(&name) {
            continue;
        }
        assert_eq!(fixture["dtype"], "f32", "{file}");
        assert!(fixture["torch"].is_string(), "{file}: which version?");
        // And a training has no output, but steps.
        if fixture["steps"].is_array() {
            single_precision(&file, &fixture);
            continue;
        }
        let alone = vec![fixture.clone()];
        for case in fixture["cases"].as_array().unwrap_or(&alone) {
            let output = &case["outputs"]["output"];
            let cotangent = &case["cotangent"];
            assert!(output.is_array(), "{file}: no output");
            assert_eq!(shape(output), shape(cotangent), "{file}: cotangent");
            for (name, gradient) in case["grads"].as_object().expect("grads") {
                let of = match name.strip_prefix("inputs.") {
                    Some(input) => &case["inputs"][input],
                    None => &case["params"][name],
                };
                assert_eq!(shape(gradient), shape(of), "{file}: {name}");
            }
        }
        single_precision(&file, &fixture);
    }
}

/// The lengths of nested lists, which must be equal at each depth.
fn shape(value: &Value) -> Vec<usize> {
    let Some(list) = value.as_array() else { return vec![] };
    let inner = list.first().map(shape).unwrap_or_default();
    assert!(list.iter().all(|item| shape(item) == inner), "ragged: {value}");
    [vec![list.len()], inner].concat()
}

/// JSON knows no infinity and no NaN, but it knows numbers that are too large
/// for single precision.
fn single_precision(file: &str, value: &Value) {
    match value {
        Value::Number(number) => {
            let number = number.as_f64().expect("is a number");
            assert!((number as f32).is_finite(), "{file}: {number}");
        }
        Value::Array(list) => {
            list.iter().for_each(|item| single_precision(file, item));
        }
        Value::Object(object) => {
            object.values().for_each(|item| single_precision(file, item));
        }
        _ => {}
    }
}
