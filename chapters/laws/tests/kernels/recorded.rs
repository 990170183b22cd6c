//! The definitions that the kernels were tested against are those of the pages,
//! and the lists of what they consist of are whole.

use kernels::edited::{DEFINITIONS, Definition, Listing};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};

#[test]
fn no_definition_is_edited() {
    let listings = DEFINITIONS.iter().flat_map(|definition| definition.listings);
    let edited: Vec<String> = listings
        .filter(|listing| listing.tested != listing.compiled)
        .map(|Listing { file, anchor, compiled, .. }| {
            format!("        \"{file}\", \"{anchor}\", {compiled:#018x};")
        })
        .collect();
    assert!(
        edited.is_empty(),
        "these definitions were edited, so they run in place of their kernels.\n\
         If the kernels compute what they say now, and the other tests of kernels \
         pass, write into chapters/kernels/src/edited.rs:\n{}",
        edited.join("\n")
    );
}

/// Whatever a definition calls, and the book defines, is in a listing of the
/// definition or of one that it names: an edit there has an effect, too.
#[test]
fn definitions_list_all_that_they_call() {
    let libraries = Libraries::read();
    let mut handed_over = BTreeSet::new();
    let mut missing = Vec::new();
    for definition in DEFINITIONS {
        let kernel = definition.kernel.to_lowercase();
        let listings = all_listings(definition);
        let defined: BTreeSet<&str> = listings
            .iter()
            .flat_map(|listing| libraries.functions_in(listing))
            .collect();
        for listing in listings {
            let functions = libraries.functions_in(listing).into_iter();
            assert!(functions.count() > 0, "{listing:?} has no function");
        }
        for listing in definition.listings {
            for name in libraries.called_in(listing, &kernel) {
                let ours = libraries.names.contains(&name);
                if ours
                    && !ELSEWHERE.contains(&name.as_str())
                    && !defined.contains(name.as_str())
                {
                    missing.push(format!("{kernel}: {name}, in {}", listing.file));
                }
            }
            handed_over.insert((listing.file, kernel.clone()));
        }
    }
    assert!(missing.is_empty(), "called, and in no listing of it: {missing:#?}");
    for (file, kernel) in &libraries.handed_over {
        assert!(
            handed_over.contains(&(file.as_str(), kernel.clone())),
            "{file} hands a definition to kernels::{kernel}, which lists none of it"
        );
    }
}

/// Names in the libraries that the standard library or a local closure has, too.
const ELSEWHERE: [&str; 3] = ["counts", "extend", "from_fn"];

fn all_listings(definition: &Definition) -> Vec<&'static Listing> {
    let called = definition.calls.iter().flat_map(|called| all_listings(called));
    definition.listings.iter().chain(called).collect()
}

/// The functions of the sections' libraries.
struct Libraries {
    /// Of each file: the name of a function, its lines, and what is called in it.
    functions: BTreeMap<String, Vec<Function>>,
    /// The lines of each file.
    lines: BTreeMap<String, Vec<String>>,
    /// All names.
    names: BTreeSet<String>,
    /// Which file hands a definition to which kernel.
    handed_over: BTreeSet<(String, String)>,
}

struct Function {
    name: String,
    first_line: usize,
    calls: Calls,
}

/// What a function calls, in closures that it hands to a kernel and elsewhere.
#[derive(Default)]
struct Calls {
    names: BTreeSet<String>,
    /// The kernels that it calls, and what a closure in their arguments calls.
    kernels: BTreeMap<String, Option<BTreeSet<String>>>,
}

impl Libraries {
    fn read() -> Self {
        let chapters =
            Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("chapters");
        let mut found = Libraries {
            functions: BTreeMap::new(),
            lines: BTreeMap::new(),
            names: BTreeSet::new(),
            handed_over: BTreeSet::new(),
        };
        let sections =
            ["ch10_2", "ch10_3", "seq2seq", "ch10_4", "ch10_5", "ch10_6", "ch10_7"];
        for section in sections {
            found.read_folder(chapters, &chapters.join(section).join("src"));
        }
        found
    }

    fn read_folder(&mut self, chapters: &Path, folder: &Path) {
        let entries = fs::read_dir(folder).expect("a folder of sources");
        for path in entries.map(|entry| entry.expect("an entry").path()) {
            if path.is_dir() {
                if !path.ends_with("demo") {
                    self.read_folder(chapters, &path);
                }
            } else if path.extension().is_some_and(|e| e == "rs")
                && !path.ends_with("main.rs")
            {
                self.read_file(chapters, &path);
            }
        }
    }

    fn read_file(&mut self, chapters: &Path, path: &PathBuf) {
        let name = path.strip_prefix(chapters).expect("below chapters");
        let name = name.to_str().expect("a name in UTF-8").replace('\\', "/");
        let text = fs::read_to_string(path).expect("a source");
        let mut functions = Functions::default();
        functions.visit_file(&syn::parse_file(&text).expect("Rust"));
        for function in &functions.found {
            self.names.insert(function.name.clone());
            let kernels = function.calls.kernels.keys();
            let known = kernels.filter(|kernel| {
                DEFINITIONS.iter().any(|d| d.kernel.eq_ignore_ascii_case(kernel))
            });
            self.handed_over.extend(known.map(|kernel| (name.clone(), kernel.clone())));
        }
        self.lines.insert(name.clone(), text.lines().map(str::to_string).collect());
        self.functions.insert(name, functions.found);
    }

    /// The functions of a listing.
    fn in_listing(&self, listing: &Listing) -> impl Iterator<Item = &Function> {
        let lines = &self.lines[listing.file];
        let line = |comment: &str| {
            let comment = format!("// {comment}: {}", listing.anchor);
            let at = lines.iter().position(|line| line.trim() == comment);
            at.unwrap_or_else(|| panic!("{}: no {comment}", listing.file))
        };
        let (from, to) = (line("ANCHOR"), line("ANCHOR_END"));
        let functions = self.functions[listing.file].iter();
        functions.filter(move |f| (from..to).contains(&f.first_line))
    }

    fn functions_in(&self, listing: &Listing) -> Vec<&str> {
        self.in_listing(listing).map(|f| f.name.as_str()).collect()
    }

    /// What the functions of a listing call: those that hand a closure to the
    /// kernel, in the closure alone.
    fn called_in(&self, listing: &Listing, kernel: &str) -> BTreeSet<String> {
        let calls: Vec<&Calls> = self.in_listing(listing).map(|f| &f.calls).collect();
        let closure = calls.iter().find_map(|calls| calls.kernels.get(kernel)?.clone());
        let all =
            || calls.iter().flat_map(|calls| calls.names.iter().cloned()).collect();
        closure.unwrap_or_else(all)
    }
}

/// Collects the functions of a file.
#[derive(Default)]
struct Functions {
    found: Vec<Function>,
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_fn(&mut self, f: &'ast syn::ItemFn) {
        self.add(&f.sig, &f.block);
    }

    fn visit_impl_item_fn(&mut self, f: &'ast syn::ImplItemFn) {
        self.add(&f.sig, &f.block);
    }
}

impl Functions {
    fn add(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let mut calls = Calls::default();
        calls.visit_block(block);
        self.found.push(Function {
            name: signature.ident.to_string(),
            first_line: signature.ident.span().start().line - 1,
            calls,
        });
    }
}

impl<'ast> Visit<'ast> for Calls {
    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        if let syn::Expr::Path(function) = &*call.func {
            let names: Vec<String> =
                function.path.segments.iter().map(|s| s.ident.to_string()).collect();
            match names.as_slice() {
                [first, kernel] if first == "kernels" => {
                    let definition = call.args.iter().rfind(|argument| {
                        // That of a mask is no definition: it takes nothing.
                        matches!(argument, syn::Expr::Closure(c) if !c.inputs.is_empty())
                    });
                    let called = definition.map(|closure| {
                        let mut calls = Calls::default();
                        calls.visit_expr(closure);
                        calls.names
                    });
                    self.kernels.insert(kernel.clone(), called);
                }
                [.., last] => {
                    self.names.insert(last.clone());
                }
                [] => {}
            }
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        self.names.insert(call.method.to_string());
        visit::visit_expr_method_call(self, call);
    }
}
