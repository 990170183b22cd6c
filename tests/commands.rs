//! What the README, CONTRIBUTING.md and the pages say works: the packages, tests,
//! examples and flags of their commands are there, and the README's table is that of
//! the pages.

use crate::records::Call;
use crate::repository::{files, none, read, root, sections};

/// What is said beside the book, in both languages.
const GUIDES: [&str; 4] =
    ["README.md", "CONTRIBUTING.md", "README.zh.md", "CONTRIBUTING.zh.md"];

/// The commands of a text: those in `sh` fences, and spans of code that name Cargo.
fn commands(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (n, piece) in text.split("```").enumerate() {
        let codes: Vec<&str> = match n % 2 {
            0 => {
                let paragraphs = piece.split("\n\n");
                paragraphs.flat_map(|text| text.split('`').skip(1).step_by(2)).collect()
            }
            _ if piece.starts_with("sh\n") => piece.lines().collect(),
            _ => Vec::new(),
        };
        for code in codes {
            let code = code.split_whitespace().collect::<Vec<_>>().join(" ");
            let code = code.split(" # ").next().unwrap_or_default();
            if code.starts_with("cargo ") || code.contains(" cargo ") {
                found.push(code.to_string());
            }
        }
    }
    found
}

/// What a command names that is not there: a package, a section's tests, an
/// example, or an argument of the program that it runs.
fn fault(command: &str) -> Option<String> {
    let words = shlex::split(command)?;
    let mut package = String::new();
    for two in words.windows(2).take_while(|two| two[0] != "--") {
        let name = &two[1];
        let place = match &*two[0] {
            "-p" if name == "book" => continue,
            "-p" => {
                package = format!("chapters/{name}");
                format!("{package}/Cargo.toml")
            }
            "--test" => format!("chapters/laws/tests/{name}"),
            "--example" => format!("{package}/examples/{name}.rs"),
            _ => continue,
        };
        if !root().join(&place).exists() {
            return Some(format!("there is no {place}"));
        }
    }
    let call = Call::parse(command).filter(|call| !call.arguments.is_empty())?;
    // The help comes only if nothing before it is unknown.
    let output = call.command().arg("--help").output().expect("starts");
    let error = String::from_utf8_lossy(&output.stderr);
    (!output.status.success()).then(|| error.trim().to_string())
}

#[test]
fn every_command_is_real() {
    let mut faults = Vec::new();
    for file in files("book/en", "md").into_iter().chain(GUIDES.map(String::from)) {
        // What is left out is the reader's own.
        for command in commands(&read(&file)).iter().filter(|one| !one.contains('…'))
        {
            if let Some(fault) = fault(command) {
                faults.push(format!("{file}: `{command}`: {fault}"));
            }
        }
    }
    none(faults);
}

#[test]
fn the_readme_has_the_three_commands() {
    let three = ["cargo run", "cargo run -p ch10_3", "cargo test"];
    assert_eq!(commands(&read("README.md"))[..3], three);
}

#[test]
fn the_readme_table_is_that_of_the_pages() {
    let readme = read("README.md");
    for name in sections() {
        let file = format!("book/en/{name}.md");
        let page = read(&file);
        let title = page.lines().find_map(|line| line.strip_prefix("# "));
        let title = title.and_then(|title| title.split(" {#").next()).expect("a title");
        let start =
            format!("\n| {title} | [{name}]({file}) | `cargo run -p {name}` | ");
        assert_eq!(readme.matches(&start).count(), 1, "README.md: no row `{start}…`");
    }
    assert_eq!(readme.matches("](book/en/").count(), sections().len());
}

/// What the README and CONTRIBUTING link to is there, and so is every path that
/// begins with `book`, `chapters` or `tests` in CONTRIBUTING.
#[test]
fn what_the_readme_and_contributing_name_is_there() {
    let mut faults = Vec::new();
    for file in GUIDES {
        let text = read(file);
        let links = text.split("](").skip(1);
        let links = links.filter_map(|rest| rest.split(')').next());
        let links = links.filter(|link| !link.starts_with("https://"));
        let code = text.split('`').filter(|_| file == "CONTRIBUTING.md");
        let paths = code.filter(|code| {
            let ours = ["book/", "chapters/", "tests/"];
            !code.contains(char::is_whitespace)
                && ours.iter().any(|at| code.starts_with(at))
        });
        for path in links.chain(paths) {
            let before_star = path.split('*').next().unwrap_or_default();
            if !root().join(before_star).exists() {
                faults.push(format!("{file}: {path} is not there"));
            }
        }
    }
    none(faults);
}

/// Behind "the test" a page names one that is there.
#[test]
fn the_tests_that_pages_name_are_there() {
    let code: String = files("chapters", "rs").iter().map(|file| read(file)).collect();
    let pages = [files("book/en", "md"), files("book/zh", "md")].concat();
    let mut faults = Vec::new();
    for page in pages {
        let text = read(&page).split_whitespace().collect::<Vec<_>>().join(" ");
        for start in ["test `", "测试 `"] {
            for rest in text.split(start).skip(1) {
                let name = rest.split('`').next().unwrap_or_default();
                if !code.contains(&format!("fn {name}()")) {
                    faults.push(format!("{page}: there is no test {name}"));
                }
            }
        }
    }
    none(faults);
}
