//! The link to the other language.

use super::everywhere;

#[test]
fn a_page_leads_to_its_heading_in_the_other_language() {
    everywhere("ch10_1.html", |tab| {
        let link = "document.querySelector('a.language')";
        assert_eq!(tab.text(&format!("{link}.lang")), "zh-CN");
        for (address, language) in [
            ("/zh/ch10_1.html#from-soft-to-hard", "zh-CN"),
            ("/ch10_1.html#from-soft-to-hard", "en"),
        ] {
            // In one go: what loads late moves what stands below it.
            tab.eval(&format!(
                "document.getElementById('from-soft-to-hard')\
                     .scrollIntoView({{ behavior: 'instant' }}), {link}.click()"
            ));
            let here = "location.pathname + location.hash";
            tab.wait(&format!("{here} === '{address}'"));
            tab.wait(&format!(
                "document.readyState === 'complete' && \
                 document.documentElement.lang === '{language}'"
            ));
        }
    });
}
