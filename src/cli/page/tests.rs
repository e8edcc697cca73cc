//! The page of runs whose folders are made up here.

use std::fs;

use raddle::{EpochRecord, Metric};
use raddle_common::testing::pairs;
use serde_json::{Value, json};

use super::*;
use crate::picture::tests::{attributes, lines_of, pixel};
use crate::report::picture::{Axis, Contents, Member, Picture, PictureKind, Series};
use crate::report::summary::{Summary, Table};

/// A run of so many epochs in a folder.
fn run(folder: &Path, program: &str, epochs: u64, digest: &str, parameters: Value, summary: &Summary) {
    fs::create_dir_all(folder).unwrap();
    let record = |epoch: u64| {
        let gap = (-0.02 * epoch as f64).exp() * (1.0 + 0.5 * (epoch as f64).sin());
        let metric = Metric::new("relative-duality-gap", gap, "training data").target(1e-6).certified();
        EpochRecord {
            epoch,
            seconds: 0.01 * epoch as f64,
            workers: 2,
            objective: Some(1.0 + gap),
            metric: Some(metric),
            updates: 100 + epoch % 7,
            rounds: 10,
            candidates: 120,
            rejected: 20 + epoch % 5,
            load: vec![0.004, 0.005 + 0.001 * (epoch as f64).cos()],
            ..EpochRecord::default()
        }
    };
    let trace: Vec<String> =
        (0..=epochs).map(|epoch| serde_json::to_string(&record(epoch)).unwrap()).collect();
    fs::write(folder.join("trace.jsonl"), trace.join("\n") + "\n").unwrap();
    let generation = |epoch, workers| json!({"epoch": epoch, "workers": workers, "processes": 1, "pause": 0.0, "shards_moved": 1, "bytes_moved": 0});
    let report = json!({
        "program": program, "version": "0.1.0", "parameters": parameters, "data": {"path": "patients", "sizes": {"rows": 4}},
        "notes": [], "warnings": [], "workers": 2, "processes": 1, "shards": 2, "seed": 1, "epochs": epochs, "rounds": 10, "updates": 100,
        "seconds": {"read": 0.1, "prepare": 0.2, "fit": 1.5, "certify": 0.0, "write": 0.1},
        "metric": record(epochs).metric, "ending": "limit", "model_digest": digest,
        "generations": [generation(0, 2), generation(5, 3)], "profile": {"2": {"seconds_per_epoch": 0.01, "progress": 0.1}},
    });
    fs::write(folder.join("report.json"), report.to_string()).unwrap();
    fs::write(folder.join("summary.json"), serde_json::to_string(summary).unwrap()).unwrap();
    let ended =
        json!({"ending": "limit", "status": 3, "said": "a first line\ndone: a gap of 0\na last line\n"});
    let begun = json!({"program": program, "version": "0.1.0", "verb": "fit", "options": {"lambda": ["0.5"]}, "ended": ended});
    fs::write(folder.join("run.json"), begun.to_string()).unwrap();
}

fn page_of(folders: &[&Path], title: Option<&str>) -> String {
    let page = folders[0].parent().unwrap().join("page.html");
    let runs = folders.iter().map(|folder| folder.to_path_buf()).collect();
    report(&PageOptions { runs, out: page.clone(), title: title.map(str::to_owned) }).unwrap();
    fs::read_to_string(page).unwrap()
}

/// The figure of this caption.
fn figure<'a>(page: &'a str, caption: &str) -> &'a str {
    let found =
        page.split("<figure").find(|figure| figure.contains(&format!("<figcaption>{caption}</figcaption>")));
    found.unwrap_or_else(|| panic!("{caption}")).split("</figure>").next().unwrap()
}

/// The drawing of a figure, without the samples of its legend.
fn drawing_of<'a>(page: &'a str, caption: &str) -> &'a str {
    let figure = figure(page, caption);
    &figure[figure.find("<svg viewBox=\"0 0 480").unwrap()..]
}

#[test]
fn points_read_back_are_those_of_the_trace() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    run(&path, "lasso", 60, "d1", json!({}), &Summary::default());
    let page = page_of(&[&path], None);
    let trace = fs::read_to_string(path.join("trace.jsonl")).unwrap();
    let trace: Vec<Value> = trace.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let number = |value: &Value| value.as_f64().unwrap();
    let updates: Vec<f64> = trace
        .iter()
        .scan(0.0, |sum, epoch| {
            *sum += number(&epoch["updates"]);
            Some(*sum)
        })
        .collect();
    let values = [("relative-duality-gap", "/metric/value"), ("objective", "/objective")];
    for (name, value) in values {
        for over in ["seconds", "updates"] {
            let svg = drawing_of(&page, &format!("{name} over {over}"));
            let lines = lines_of(svg);
            assert_eq!((lines.len(), lines[0].len()), (1, 61), "{name} {over}");
            for (at, (epoch, point)) in pairs(&trace, &lines[0]).enumerate() {
                let x = if over == "seconds" { number(&epoch["seconds"]) } else { updates[at] };
                assert!((pixel(svg, "x", x) - point.0).abs() < 0.5, "{name} {over} {at}");
                assert!(
                    (pixel(svg, "y", number(epoch.pointer(value).unwrap())) - point.1).abs() < 0.5,
                    "{name} {over} {at}"
                );
            }
        }
    }
    let svg = drawing_of(&page, "Candidates and rejections");
    assert_eq!(lines_of(svg).len(), 2);
    assert!((pixel(svg, "y", 120.0) - lines_of(svg)[0][3].1).abs() < 0.5);
    assert_eq!(lines_of(drawing_of(&page, "Load by worker")).len(), 2);
    let target = figure(&page, "relative-duality-gap over seconds");
    assert!(target.contains(">target</text>") && target.contains(">3 workers</text>"), "{target}");
    for text in [
        "<dt>result</dt><dd>done: a gap of 0</dd>",
        "patients, 4 rows",
        "<dt>model digest</dt><dd>d1</dd>",
        "Generations of workers",
    ] {
        assert!(page.contains(text), "{text}");
    }
}

#[test]
fn ten_thousand_epochs_are_a_thousand_points_with_all_extremes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long");
    run(&path, "lasso", 10_000, "d", json!({}), &Summary::default());
    let page = page_of(&[&path], None);
    let svg = drawing_of(&page, "Load by worker");
    let line = &lines_of(svg)[1];
    assert!((500..=1000).contains(&line.len()), "{}", line.len());
    let lowest = line.iter().map(|point| point.1).fold(0.0, f64::max);
    let highest = line.iter().map(|point| point.1).fold(f64::INFINITY, f64::min);
    let load: Vec<f64> = (0..=10_000).map(|epoch| 0.005 + 0.001 * f64::from(epoch).cos()).collect();
    assert!((lowest - pixel(svg, "y", load.iter().copied().fold(f64::INFINITY, f64::min))).abs() < 0.5);
    assert!((highest - pixel(svg, "y", load.iter().copied().fold(0.0, f64::max))).abs() < 0.5);
}

#[test]
fn a_page_of_500_epochs_has_at_most_400_kilobytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    run(&path, "lasso", 500, "d", json!({}), &Summary::default());
    let page = page_of(&[&path], None);
    assert!((20_000..400_000).contains(&page.len()), "{}", page.len());
}

/// Topics whose items, members and examples are many.
fn topics(members: usize, items: usize) -> Picture {
    let member = |number: usize| Member {
        name: (number + 1).to_string(),
        x: (number as f64).sin(),
        y: (number as f64).cos(),
        share: 1.0 / members as f64,
        contains: (0..40).map(|at| ((number * 31 + at * 7) % items, 0.001 * (at + 1) as f64)).collect(),
        examples: (0..5).map(|at| (format!("document {at}"), 0.5)).collect(),
    };
    let mut picture = Picture::new("Topics", PictureKind::Map);
    picture.contents = Contents {
        member: "topic".into(),
        item: "word".into(),
        example: "document".into(),
        items: (0..items).map(|item| format!("word{item}")).collect(),
        overall: vec![1.0 / items as f64; items],
        members: (0..members).map(member).collect(),
    };
    picture
}

#[test]
fn a_page_of_a_thousand_topics_has_at_most_3_megabytes_and_lists_them_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    run(&path, "lda", 50, "d", json!({}), &Summary::new("topics").picture(topics(1000, 20_000)));
    let page = page_of(&[&path], None);
    assert!((300_000..3_000_000).contains(&page.len()), "{}", page.len());
    let list = page.split("<ol class=\"contents\">").nth(1).unwrap().split("</ol>").next().unwrap();
    assert_eq!(list.matches("<li>").count(), 1000);
    assert_eq!(figure(&page, "Topics").matches("<circle").count(), 1000);
}

#[test]
fn nothing_is_asked_for_and_no_name_acts() {
    let name = "</script><script>alert(1)</script>&\u{202e}gnp";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a&b<c>");
    let mut table = Table::new(name, &[name, "number"]);
    table.row(vec![name.into(), 1.5.into()]);
    let mut map = topics(2, 50);
    map.contents.items[7] = name.into();
    map.contents.members[1].examples[0].0 = name.into();
    let lines = Picture::new(name, PictureKind::Lines).note(name).series(Series::new(
        name,
        vec![1.0, 2.0],
        vec![1.0, 2.0],
    ));
    let summary = Summary::new(name).table(table).picture(lines).picture(map);
    run(&path, name, 3, "d", json!({"data": name}), &summary);
    let page = page_of(&[&path], Some(name));
    // The style and the script of the page itself, and the numbers of the map.
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script>").count(), 2);
    assert!(!page.contains('\u{202e}') && page.contains("[U+202E]"));
    let outside = page.replace("<meta http-equiv", "<meta");
    for asks in ["http", "src=", "href=", "url(", "@import", "fetch(", "XMLHttp"] {
        assert!(!outside.contains(asks), "{asks}");
    }
}

#[test]
fn a_kind_that_is_unknown_is_shown_as_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let pie = Picture::new("A pie", PictureKind::Other("pie".into()))
        .axes(Axis::names("piece", ["one"]), Axis::linear("share"))
        .series(Series::of_names("s", vec![0.125]));
    run(&path, "lasso", 3, "d", json!({}), &Summary::default().picture(pie));
    let page = page_of(&[&path], None);
    let figure = figure(&page, "A pie");
    assert!(
        !figure.contains("<svg") && figure.contains("<td>one</td><td class=\"number\">0.125</td>"),
        "{figure}"
    );
}

#[test]
fn several_runs_are_compared_by_what_differs_and_by_their_models() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b, c] = ["a", "b", "c"].map(|name| folder.path().join(name));
    run(&a, "lasso", 20, "same", json!({"lambda": 0.5, "workers": 1, "out": "a"}), &Summary::default());
    run(&b, "lasso", 30, "same", json!({"lambda": 0.5, "workers": 4, "out": "b"}), &Summary::default());
    run(&c, "mf", 10, "other", json!({"rank": 2}), &Summary::default());
    let page = page_of(&[&a, &b, &c], Some("a title"));
    assert!(page.contains("<h1>a title</h1>"));
    let svg = drawing_of(&page, "relative-duality-gap over seconds");
    assert_eq!(lines_of(svg).iter().map(Vec::len).collect::<Vec<_>>(), [21, 31, 11]);
    assert_eq!(attributes(svg, "data-s"), ["0", "1", "2"]);
    let table = |caption: &str| {
        page.split("<table")
            .find(|table| table.contains(&format!("<caption>{caption}</caption>")))
            .unwrap()
            .split("</table>")
            .next()
            .unwrap()
    };
    let lasso = table("Runs of lasso");
    assert!(
        lasso.contains(">--workers</th>") && !lasso.contains("--lambda") && !lasso.contains("--out"),
        "{lasso}"
    );
    assert_eq!((lasso.matches("<tr>").count(), table("Runs of mf").matches("<tr>").count()), (3, 2));
    assert!(page.contains("The same model, bit for bit: a, b (<code>same</code>)."));
    run(&b, "lasso", 30, "another", json!({"lambda": 0.5}), &Summary::default());
    assert!(page_of(&[&a, &b], None).contains("No two of these models are the same."));
}

#[test]
fn runs_are_named_by_what_tells_them_apart() {
    let of = |paths: &[&str]| names(&paths.iter().map(PathBuf::from).collect::<Vec<_>>());
    assert_eq!(of(&["x/a", "y/b"]), ["a", "b"]);
    assert_eq!(of(&["x/run", "y/run"]), ["x/run", "y/run"]);
    assert_eq!(of(&["a", "a"]), ["a (1)", "a (2)"]);
}

#[test]
fn a_page_that_cannot_be_written_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    run(&path, "lasso", 3, "d", json!({}), &Summary::default());
    let to = |out: PathBuf| {
        report(&PageOptions { runs: vec![path.clone()], out, title: None }).unwrap_err().to_string()
    };
    assert!(to(folder.path().join("no/page.html")).contains("make it, or give another --out"));
    assert!(to(path.clone()).contains("give --out a file"));
}

/// Colours of the style's variables, light and dark.
fn colours(dark: bool) -> std::collections::BTreeMap<&'static str, [f64; 3]> {
    let style = include_str!("style.css");
    let part = style.split(":root {").nth(1 + usize::from(dark)).unwrap().split('}').next().unwrap();
    let colour = |text: &str| {
        [1, 3, 5].map(|at| f64::from(u8::from_str_radix(&text[at..at + 2], 16).unwrap()) / 255.0)
    };
    part.split(';')
        .filter_map(|line| line.trim().split_once(": "))
        .map(|(name, value)| (name, colour(value)))
        .collect()
}

/// Contrast of two colours (WCAG 2.2, relative luminance and contrast ratio).
fn contrast(a: [f64; 3], b: [f64; 3]) -> f64 {
    let linear = |part: f64| if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) };
    let luminance = |colour: [f64; 3]| {
        0.2126 * linear(colour[0]) + 0.7152 * linear(colour[1]) + 0.0722 * linear(colour[2])
    };
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn texts_and_lines_stand_out_in_light_and_dark() {
    for dark in [false, true] {
        let colours = colours(dark);
        for (text, least) in [("--text", 7.0), ("--soft", 4.5), ("--press", 4.5)] {
            assert!(contrast(colours[text], colours["--ground"]) >= least, "{text} {dark}");
        }
        for number in 0..8 {
            let line = contrast(colours[&*format!("--c{number}")], colours["--ground"]);
            assert!(line >= 4.5, "--c{number} {dark}: {line}");
        }
    }
}
