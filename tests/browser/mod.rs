//! Pages of `raddle report` in a browser: whole, quiet, legible, and used by pointer and keyboard.

mod driver;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use self::driver::Browser;
use crate::commands::ends;

/// Keys of the WebDriver protocol.
const ENTER: &str = "\u{e007}";
const RIGHT: &str = "\u{e014}";
const TAB: &str = "\u{e004}";

/// Makes runs of every program, and pages of them: of one run each, and of all.
fn pages(folder: &Path) -> Vec<PathBuf> {
    for line in [
        "lasso path diabetes --points 20 --out path",
        "lasso cv diabetes --points 10 --folds 3 --l1-ratio 0.5,1 --out cv",
        "lasso fit diabetes --workers 2 --schedule priority --explain --out fit",
        "mf fit synth:ratings:users=60,items=40,n=900,rank=2 --rank 2 --epochs 4 --out mf",
        "mf cv synth:ratings:users=60,items=40,n=900,rank=2 --ranks 2,3 --folds 2 --out mfcv",
        "lda fit --topics 8 --epochs 12 --workers 2 --rescale 6:1 --out lda",
    ] {
        ends_somehow(folder, line);
    }
    let runs = ["path", "cv", "fit", "mf", "mfcv", "lda"];
    for run in runs {
        ends(folder, &format!("raddle report {run} --out {run}.html"), 0);
    }
    ends(folder, &format!("raddle report {} --out all.html --title All", runs.join(" ")), 0);
    runs.iter().chain(&["all"]).map(|page| folder.join(format!("{page}.html"))).collect()
}

/// Runs a fit that may end at a limit.
fn ends_somehow(folder: &Path, line: &str) {
    let ran = crate::commands::run(folder, &format!("{line} --quiet"));
    assert!(matches!(ran.code, Some(0 | 3)), "{line}: {:?} {}", ran.code, ran.err);
}

/// Contrast of every text with what is behind it, least first, and elements that are wider than the window
/// (WCAG 2.2).
const LOOK: &str = r#"
    const parts = (text) => (text.match(/[\d.]+/g) || []).map(Number);
    const light = (c) => { const [r, g, b] = c.slice(0, 3).map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
    const ground = (e) => { for (; e; e = e.parentElement) { const c = parts(getComputedStyle(e).backgroundColor); if (c.length === 3 || c[3] > 0) return c; } return [255, 255, 255]; };
    let least = [99, ""], texts = 0;
    for (const e of document.querySelectorAll("body *")) {
      if (e.closest("script, style") || ![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue;
      if (!e.getClientRects().length) continue;
      const style = getComputedStyle(e);
      const [a, b] = [light(parts(e.namespaceURI.endsWith("svg") ? style.fill : style.color)), light(ground(e))];
      const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      texts += 1;
      if (contrast < least[0]) least = [contrast, e.outerHTML.slice(0, 200)];
    }
    return { least: least[0], where: least[1], texts, wide: document.documentElement.scrollWidth - innerWidth,
      resources: performance.getEntriesByType("resource").map((r) => r.name) };
"#;

#[test]
fn pages_ask_for_nothing_say_nothing_and_are_legible_at_every_width_in_light_and_dark() {
    let Some(browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let pages = pages(folder.path());
    for page in &pages {
        for (width, dark) in [(360, false), (1280, false), (360, true), (1280, true)] {
            browser.look(width, dark);
            browser.open(page);
            // What is folded is read, too.
            browser.run("for (const d of document.querySelectorAll('details')) d.open = true;");
            let look = browser.run(LOOK);
            let about = format!("{} {width} {dark}: {look}", page.display());
            assert!(look["texts"].as_u64().unwrap() > 30, "{about}");
            assert!(look["least"].as_f64().unwrap() >= 4.5, "{about}");
            assert!(look["wide"].as_i64().unwrap() <= 0, "{about}");
            assert_eq!(look["resources"], Value::Array(Vec::new()), "{about}");
            if let Some(shots) = std::env::var_os("RADDLE_SCREENSHOTS") {
                let name = format!("{}-{width}-{dark}.b64", page.file_stem().unwrap().display());
                fs::write(Path::new(&shots).join(name), browser.screenshot()).unwrap();
            }
        }
        assert_eq!(browser.console(), [""; 0], "{}", page.display());
    }
    assert_eq!(pages.len(), 7);
}

#[test]
fn without_scripts_every_curve_and_table_is_there() {
    let Some(browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let pages = pages(folder.path());
    let all = pages.last().unwrap();
    let selectors = [
        "svg .line",
        "svg .bar",
        "svg .member",
        "table",
        "table tbody tr",
        ".contents li",
        "figure",
        "dl.facts",
    ];
    browser.open(all);
    let with: Vec<usize> = selectors.iter().map(|selector| browser.count(selector)).collect();
    browser.scripts(false);
    browser.open(all);
    let without: Vec<usize> = selectors.iter().map(|selector| browser.count(selector)).collect();
    assert_eq!(browser.count("th button"), 0, "a script ran");
    assert_eq!(with, without);
    assert!(without.iter().all(|&count| count > 0), "{without:?}");
    assert_eq!(browser.count(".contents li"), 8);
}

#[test]
fn runs_are_hidden_and_shown_and_rows_sorted() {
    let Some(browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    ends_somehow(folder.path(), "lasso fit diabetes --out a");
    ends_somehow(folder.path(), "lasso fit diabetes --ratio 100 --out b");
    ends(folder.path(), "raddle report a b --out page.html", 0);
    browser.look(1280, false);
    browser.open(&folder.path().join("page.html"));
    let shown = || {
        browser.run("return [...document.querySelectorAll('figure[data-runs] > svg g.series[data-s=\"1\"]')].map((g) => g.getClientRects().length > 0)")
    };
    let all = |is: bool| {
        let shown = shown();
        let shown = shown.as_array().unwrap();
        assert!(shown.len() >= 4 && shown.iter().all(|shown| *shown == is), "{shown:?}");
    };
    all(true);
    browser.click("figure[data-runs] .legend li[data-s=\"1\"] button");
    all(false);
    // By keyboard: the button has the focus.
    browser.press(ENTER);
    all(true);
    // Of both runs the first column is sorted, down and up.
    let names = || {
        browser.run("return [...document.querySelectorAll('section table')[0].tBodies[0].rows].map((r) => r.cells[0].textContent)")
    };
    assert_eq!(names(), serde_json::json!(["a", "b"]));
    browser.click("section table th button");
    browser.click("section table th button");
    assert_eq!(names(), serde_json::json!(["b", "a"]));
    // The value under the pointer is one of the trace.
    browser.run("document.querySelector('figure[data-runs] > svg').scrollIntoView({block: 'center'})");
    let last = "return (() => { const p = [...document.querySelectorAll('figure[data-runs] > svg g.series[data-s=\"0\"] .dot')].pop().getBoundingClientRect();\
        const s = document.querySelector('figure[data-runs] > svg').getBoundingClientRect(); return [p.x + p.width / 2 - s.x - s.width / 2, p.y + p.height / 2 - s.y - s.height / 2]; })()";
    let last =
        browser.run(&last.replace("figure[data-runs] > svg g", "figure[data-runs]:first-of-type > svg g"));
    let at = |place: usize| last[place].as_f64().unwrap().round() as i32;
    browser.point("figure[data-runs] > svg", at(0), at(1));
    let said = browser.run("return document.querySelector('.pointer').textContent");
    let said = said.as_str().unwrap();
    // Whose epochs took as long, their dots lie in one place.
    let (run, said) = said.split_once(": ").unwrap();
    assert!(run == "a" || run == "b", "{run}: {said}");
    let seconds: f64 = said.split(',').next().unwrap().parse().unwrap();
    let trace = fs::read_to_string(folder.path().join(run).join("trace.jsonl")).unwrap();
    let of_trace: Vec<f64> = trace
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["seconds"].as_f64().unwrap())
        .collect();
    assert!(of_trace.iter().any(|other| (other - seconds).abs() <= 0.01 * other), "{seconds} {of_trace:?}");
}

/// The items of a member by relevance, computed from the file of the run.
fn relevant(contents: &Value, member: usize, weight: f64) -> Vec<String> {
    let mut items: Vec<(f64, u64)> = contents["members"][member]["contains"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| {
            let (item, share) = (pair[0].as_u64().unwrap(), pair[1].as_f64().unwrap());
            let overall = contents["overall"][item as usize].as_f64().unwrap();
            (weight * share.ln() + (1.0 - weight) * (share / overall).ln(), item)
        })
        .collect();
    items.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    items
        .iter()
        .take(20)
        .map(|(_, item)| contents["items"][*item as usize].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_topic_is_chosen_by_click_and_keyboard_and_the_slider_orders_its_words() {
    let Some(browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    ends_somehow(folder.path(), "lda fit --topics 8 --epochs 12 --out run");
    ends(folder.path(), "raddle report run --out page.html", 0);
    let summary: Value =
        serde_json::from_slice(&fs::read(folder.path().join("run/summary.json")).unwrap()).unwrap();
    let maps = summary["pictures"].as_array().unwrap().iter().find(|picture| picture["kind"] == "map");
    let contents = &maps.unwrap()["contents"];
    assert_eq!(contents["members"].as_array().unwrap().len(), 8);
    browser.look(1280, false);
    browser.open(&folder.path().join("page.html"));
    let chosen = || {
        browser.run("return +document.querySelector('.member.chosen').dataset.member").as_u64().unwrap()
            as usize
    };
    let words = || -> Vec<String> {
        serde_json::from_value(
            browser.run("return [...document.querySelectorAll('.items span')].map((s) => s.textContent)"),
        )
        .unwrap()
    };
    // A circle in front is clicked in its middle, whatever lies behind it.
    browser.run("document.querySelectorAll('.member')[7].classList.add('last')");
    browser.click(".member.last circle");
    let first = chosen();
    assert_eq!(browser.run("return +document.querySelector('.member.last').dataset.member"), first as u64);
    assert_eq!(words(), relevant(contents, first, 0.6));
    browser.run("document.querySelector('.member.chosen').focus()");
    browser.press(RIGHT);
    assert_eq!(chosen(), (first + 1) % 8);
    assert_eq!(words(), relevant(contents, chosen(), 0.6));
    // Tab leads to the slider, whose keys go by tenths.
    browser.press(TAB);
    let mut orders = std::collections::BTreeSet::new();
    for weight in [0.7, 0.8, 0.9, 1.0] {
        browser.press(RIGHT);
        assert_eq!(words(), relevant(contents, chosen(), weight), "{weight}");
        orders.insert(words());
    }
    browser.run("const s = document.querySelector('input[type=range]'); s.value = 0; s.dispatchEvent(new Event('input'))");
    assert_eq!(words(), relevant(contents, chosen(), 0.0));
    orders.insert(words());
    assert!(orders.len() > 1, "the slider orders nothing");
}
