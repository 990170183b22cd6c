//! Every live figure of the book, and every heat map: on the Chinese pages, where
//! nothing of it may be left in English.

use super::{DESKTOP, PHONE, Tab, visit};

/// The Latin words that a reader sees or hears in a figure, but for some, for
/// examples, and for options that are words of the model.
const LATIN: &str = "(aside => { \
    const names = ['aria-label', 'aria-valuetext', 'aria-roledescription', 'title']; \
    const inside = all('.live-body, .live-body *:not(.live-examples *)'); \
    const own = inside.filter(one => !one.value || one.value !== one.textContent); \
    const texts = own.flatMap(one => [ \
        ...names.map(name => one.getAttribute(name) ?? ''), \
        ...[...one.childNodes].filter(node => node.nodeType === 3) \
            .map(node => node.textContent)]); \
    const words = texts.join('\\n').match(/\\p{Script=Latin}{2,}/gu) ?? []; \
    return [...new Set(words).difference(new Set(aside.split(' ')))].join(' '); })";

/// Figures of a page, each with the Latin words that it may say.
type Figures = &'static [(&'static str, &'static str)];

#[test]
fn sections_10_1_to_10_4() {
    visit::<Figures>(
        DESKTOP,
        &[
            ("zh/ch10_1.html", &[("desk", "")]),
            (
                "zh/ch10_2.html",
                &[("estimate", "boxcar Epanechnikov"), ("training", "")],
            ),
            ("zh/ch10_2/kernels.html", &[("estimate", "boxcar Epanechnikov")]),
            ("zh/ch10_3.html", &[("scores", ""), ("by_hand", "exp")]),
            ("zh/ch10_3/scaling.html", &[("scaling", "")]),
            (
                "zh/ch10_4.html",
                &[(
                    "translate",
                    "the red car is new eos unk la voiture rouge est neuve nouvelle",
                )],
            ),
            (
                "zh/seq2seq.html",
                &[("fixed", "eos unk the red car is new la voiture rouge est neuve")],
            ),
        ],
        opened,
    );
}

#[test]
fn sections_10_5_to_10_7() {
    visit::<Figures>(
        DESKTOP,
        &[
            ("zh/ch10_5.html", &[("game", "")]),
            ("zh/ch10_6.html", &[("order", "dog bites man"), ("positions", "")]),
            (
                "zh/ch10_6/coreference.html",
                &[(
                    "it",
                    "the animal did not cross the street because it was too tired by dog \
                     mouse hare horse",
                )],
            ),
            (
                "zh/ch10_7.html",
                &[(
                    "translator",
                    "the red car is new bos eos unk la voiture rouge est neuve nouvelle \
                     rouges neuf",
                )],
            ),
            ("zh/ch10_7/induction.html", &[("copying", "")]),
            (
                "zh/ch10_7/language_model.html",
                &[(
                    "story",
                    "One day the mole bos had looked and dug found lived met sat was \
                     wanted one",
                )],
            ),
        ],
        opened,
    );
}

#[test]
fn on_a_phone_tables_are_whole() {
    let pages = [("zh/ch10_3.html", "by_hand"), ("zh/ch10_7.html", "translator")];
    visit(PHONE, &pages, |tab, figure| {
        tab.touch(figure);
        if *figure == "translator" {
            tab.eval("all('details').forEach(one => { one.open = true; }), 0");
            tab.wait("one('.live-scores')");
            tab.answered();
            tab.eval("all('details').forEach(one => { one.open = true; }), 0");
        }
        tab.whole();
    });
}

/// Each figure is opened, begun anew, closed, and opened again.
fn opened(tab: &mut Tab, figures: &Figures) {
    let said = "one('.live-said').textContent";
    for (figure, aside) in *figures {
        tab.touch(figure);
        assert_eq!(tab.text(&format!("{LATIN}({aside:?})")), "", "{figure}");
        let first = tab.text(said);
        tab.eval("window.before = one('.live-body'), 0");
        tab.press("重新开始", "Enter");
        tab.wait("one('.live-body') !== before");
        tab.answered();
        assert_eq!(tab.text(said), first, "{figure}");
        tab.press("关闭", "Enter");
        tab.wait("document.activeElement === one(':scope > button')");
        assert!(tab.eval("one('.live-body')").is_null());
        tab.key("Enter");
        tab.wait("one('.live-body')");
        tab.answered();
        if *figure == "scores" {
            // What the module says is wrong, and what the script does.
            tab.eval("one('input[type=number]').focus()");
            tab.write("1e38");
            tab.refuses("查询 0 与第 0 对的分数太大：绝对值要小于 8e37");
            tab.write("");
            tab.refuses("查询 0 与第 0 对的分数：这不是数，请填一个数，例如 1.5");
            tab.write("1");
            tab.answered();
        }
    }
    heat_maps_are_whole(tab);
}

/// Each cell of the heat maps has a number, and is read with the keyboard.
fn heat_maps_are_whole(tab: &mut Tab) {
    tab.at(":root");
    let torn = "all('.heatmaps > g').filter(g => \
                g.dataset.rows * g.dataset.columns !== g.dataset.values.split(' ').length)";
    assert_eq!(tab.eval(&format!("{torn}.length")), 0);
    if tab.eval("one('.heatmaps')").is_null() {
        return;
    }
    tab.at("figure:has(.heatmaps)");
    tab.wait("one('svg').tabIndex === 0");
    tab.eval("one('svg').focus()");
    tab.key("ArrowRight");
    tab.wait("one('.cell')");
    tab.key("ArrowRight");
    tab.wait("/[权数值].*[0-9]$/.test(one('.cell').textContent)");
}
