//! The live figures on a Chinese page: nothing that they say is left in English.

use super::{Browser, Tab, VIEWS, host};

/// The Latin words that a reader sees or hears in an element, but for some, for
/// examples, and for options that are words of the model.
const LATIN: &str = "(element, aside) => { \
    const names = ['aria-label', 'aria-valuetext', 'aria-roledescription', 'title']; \
    const all = [...element.querySelectorAll('*:not(.live-examples *)')]; \
    const own = all.filter(one => !one.value || one.value !== one.textContent); \
    const texts = [element, ...own].flatMap(one => [ \
        ...names.map(name => one.getAttribute(name) ?? ''), \
        ...[...one.childNodes].filter(node => node.nodeType === 3) \
            .map(node => node.textContent)]); \
    const words = texts.join('\\n').match(/\\p{Script=Latin}{2,}/gu) ?? []; \
    const left = new Set(words).difference(new Set(aside.split(' '))); \
    return [...left].join(' '); }";

/// Runs a test on a page as if it were Chinese.
fn in_chinese(page: &str, test: impl Fn(&mut Tab)) {
    let Some(mut browser) = Browser::start() else { return };
    let (theme, width) = VIEWS[0];
    let mut tab = browser.open(page, theme, width);
    tab.eval("document.documentElement.lang = 'zh-CN'; 0");
    test(&mut tab);
    tab.leave();
}

/// Opens a figure, which may say in Latin letters what stands in `aside`.
#[track_caller]
fn speaks(tab: &mut Tab, figure: &str, aside: &str) {
    tab.touch(figure);
    let body = format!("{}.querySelector('.live-body')", host(figure));
    let latin = tab.text(&format!("({LATIN})({body}, {aside:?})"));
    assert_eq!(latin, "", "{figure}");
}

#[test]
fn ch10_1_and_ch10_2() {
    in_chinese("ch10_1.html", |tab| {
        speaks(tab, "desk", "");
        assert_eq!(tab.said("desk"), "最大的权重 0.92 落在书上。");
        tab.eval("document.querySelector('#figure-10-1-1 svg').focus()");
        tab.key("ArrowDown");
        let cell = "document.querySelector('#figure-10-1-1 .cell')?.textContent";
        tab.wait(&format!("{cell}?.startsWith('查询 ')"));
    });
    in_chinese("ch10_2.html", |tab| speaks(tab, "training", ""));
    in_chinese("ch10_2/kernels.html", |tab| {
        speaks(tab, "estimate", "boxcar Epanechnikov");
    });
}

#[test]
fn ch10_3_to_ch10_5() {
    in_chinese("ch10_3.html", |tab| {
        speaks(tab, "scores", "");
        // What the module says is wrong, and what the script does.
        let score = format!("{}.querySelector('input[type=number]')", host("scores"));
        tab.eval(&format!("{score}.focus()"));
        for (text, line) in [
            ("1e38", "查询 0 与第 0 对的分数太大：绝对值要小于 8e37"),
            ("", "查询 0 与第 0 对的分数：这不是数，请填一个数，例如 1.5"),
        ] {
            tab.write(text);
            let wrong = format!("{}.querySelector('.live-error')", host("scores"));
            tab.wait(&format!("{wrong}.textContent === {line:?}"));
        }
    });
    in_chinese("ch10_3/scaling.html", |tab| speaks(tab, "scaling", ""));
    in_chinese("ch10_4.html", |tab| {
        let written = "la voiture rouge est neuve nouvelle";
        speaks(tab, "translate", &format!("the red car is new eos unk {written}"));
    });
    in_chinese("ch10_5.html", |tab| speaks(tab, "game", ""));
}

#[test]
fn ch10_6_and_ch10_7() {
    in_chinese("ch10_6.html", |tab| {
        speaks(tab, "positions", "");
        speaks(tab, "order", "dog bites man");
    });
    in_chinese("ch10_6/coreference.html", |tab| {
        let fact = "the animal did not cross the street because it was too tired by";
        speaks(tab, "it", &format!("{fact} dog mouse hare horse"));
    });
    in_chinese("ch10_7.html", |tab| {
        let written = "la voiture rouge est neuve nouvelle rouges neuf";
        speaks(tab, "translator", &format!("the red car is new bos eos unk {written}"));
    });
    in_chinese("ch10_7/language_model.html", |tab| {
        let written = "had looked and dug found lived met sat was wanted one";
        speaks(tab, "story", &format!("One day the mole bos {written}"));
    });
}
