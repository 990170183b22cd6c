//! The two editions of the book, and the words that the builder itself puts on
//! their pages. What it says of faults is English.

/// An edition: where it is, and its words.
pub struct Words {
    /// The folder of its pages beside the sources of the other one.
    pub source: &'static str,
    /// Where it is published, below the English one.
    pub folder: &'static str,
    /// As the pages name it to browsers.
    pub language: &'static str,
    /// Its title and its description, where `book.toml` does not have them.
    pub about: Option<[&'static str; 2]>,
    /// What a link to it says.
    pub name: &'static str,
    /// Fewer characters than this cannot stand in for a figure.
    pub shortest_alt: usize,
    /// Longer descriptions are cut by those who show them.
    pub description: usize,
    /// Before and after the number of a figure in its caption.
    pub figure: [&'static str; 2],
    pub output_of: &'static str,
    pub rustc_says: &'static str,
    pub what_compiles: &'static str,
    pub try_it: &'static str,
    pub skip: &'static str,
    pub question: &'static str,
    pub answer: &'static str,
    pub right: &'static str,
    pub wrong: &'static str,
    pub the_program: &'static str,
    pub the_drawing: &'static str,
    pub to_take_along: &'static str,
    pub report: &'static str,
    /// At the foot of each page: about the book, its licence, those of others.
    pub foot: [&'static str; 3],
}

pub const ENGLISH: Words = Words {
    source: "en",
    folder: "",
    language: "en",
    about: None,
    name: "English",
    shortest_alt: 40,
    description: 160,
    figure: ["Figure ", ":"],
    output_of: "Output of ",
    rustc_says: "rustc says",
    what_compiles: "What compiles: ",
    try_it: "Try it: compute this figure here",
    skip: "Skip to the text",
    question: "Question",
    answer: "Answer",
    right: "Right.",
    wrong: "Wrong.",
    the_program: "The program",
    the_drawing: "The drawing",
    to_take_along: "To take along:",
    report: "Report a mistake on this page",
    foot: ["About this book", "CC BY 4.0", "Third-party notices"],
};

pub const CHINESE: Words = Words {
    source: "zh",
    folder: "zh/",
    language: "zh-CN",
    about: Some([
        "Attention, Compiled",
        "用 Rust 实现注意力机制，由编译器检查张量的形状：一本带有可运行程序的书。",
    ]),
    name: "中文",
    shortest_alt: 14,
    description: 80,
    figure: ["图 ", "："],
    output_of: "输出：",
    rustc_says: "rustc 报告",
    what_compiles: "能编译的写法：",
    try_it: "试一试：就在这里计算这张图",
    skip: "跳到正文",
    question: "问题",
    answer: "答案",
    right: "对。",
    wrong: "错。",
    the_program: "程序",
    the_drawing: "图的源文件",
    to_take_along: "可以下载（英文版）：",
    report: "报告本页的错误",
    foot: ["关于本书", "CC BY 4.0 许可", "第三方声明"],
};

/// What mdBook's pages and scripts say, and in Chinese.
pub const MDBOOK: [(&str, &str); 27] = [
    ("aria-label=\"Table of contents\"", "aria-label=\"目录\""),
    ("\"Toggle Table of Contents\"", "\"显示或隐藏目录\""),
    ("\"Change theme\"", "\"更换主题\""),
    ("aria-label=\"Themes\"", "aria-label=\"主题\""),
    ("theme-default_theme\">Auto<", "theme-default_theme\">自动<"),
    ("theme-light\">Light<", "theme-light\">浅色<"),
    ("theme-rust\">Rust<", "theme-rust\">铁锈<"),
    ("theme-coal\">Coal<", "theme-coal\">炭黑<"),
    ("theme-navy\">Navy<", "theme-navy\">深蓝<"),
    ("\"Search (`/`)\"", "\"搜索（按 / 键）\""),
    ("\"Toggle Searchbar\"", "\"显示或隐藏搜索框\""),
    ("\"Search this book ...\"", "\"搜索本书\""),
    ("\"Print this book\"", "\"打印本书\""),
    ("\"Git repository\"", "\"代码仓库\""),
    ("\"Suggest an edit\"", "\"提出修改\""),
    ("\"Previous chapter\"", "\"上一页\""),
    ("\"Next chapter\"", "\"下一页\""),
    ("\"Page navigation\"", "\"翻页\""),
    (">Keyboard shortcuts<", ">键盘快捷键<"),
    (
        "Press <kbd>←</kbd> or <kbd>→</kbd> to navigate between chapters",
        "<kbd>←</kbd> 和 <kbd>→</kbd>：翻页",
    ),
    (
        "Press <kbd>S</kbd> or <kbd>/</kbd> to search in the book",
        "<kbd>S</kbd> 或 <kbd>/</kbd>：搜索本书",
    ),
    ("Press <kbd>?</kbd> to show this help", "<kbd>?</kbd>：显示本帮助"),
    ("Press <kbd>Esc</kbd> to hide this help", "<kbd>Esc</kbd>：关闭本帮助"),
    ("Show hidden lines", "显示隐藏的行"),
    ("'Hide lines'", "'隐藏这些行'"),
    ("'Copy to clipboard'", "'复制到剪贴板'"),
    ("'Copied!'", "'已复制'"),
];

/// The same of the search.
pub const SEARCH: [(&str, &str); 3] = [
    (
        "count + ' search result for \\'' + searchterm + '\\':'",
        "'“' + searchterm + '”有 1 个结果：'",
    ),
    (
        "'No search results for \\'' + searchterm + '\\'.'",
        "'没有找到“' + searchterm + '”。'",
    ),
    (
        "count + ' search results for \\'' + searchterm + '\\':'",
        "'“' + searchterm + '”有 ' + count + ' 个结果：'",
    ),
];

/// A page or a script of mdBook in Chinese. What is the page's own stays.
pub fn in_chinese(text: &str) -> String {
    let at = text.find("<main>").unwrap_or(text.len());
    let (before, rest) = text.split_at(at);
    let (main, after) = rest.split_at(rest.rfind("</main>").unwrap_or(0));
    let [before, after] = [before, after].map(|text| {
        let all = MDBOOK.iter().chain(&SEARCH);
        all.fold(text.to_string(), |text, (english, chinese)| {
            text.replace(english, chinese)
        })
    });
    before + main + &after
}

/// The page of the other edition for a page of this name, and that edition.
pub fn other(name: &str) -> (String, &'static Words) {
    match name.strip_prefix(CHINESE.folder) {
        Some(name) => (name.to_string(), &ENGLISH),
        None if name == "404.html" => ("zh/index.html".to_string(), &CHINESE),
        None => (format!("{}{name}", CHINESE.folder), &CHINESE),
    }
}

/// The edition of a file named from the root.
pub fn words_of(file: &str) -> &'static Words {
    match file.starts_with("book/zh/") {
        true => &CHINESE,
        false => &ENGLISH,
    }
}

/// Whether a character is Chinese.
pub fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}
