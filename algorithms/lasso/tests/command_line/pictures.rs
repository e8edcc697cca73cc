//! The pictures in `summary.json`, compared with the tables of the run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use raddle_cli::{Picture, PictureKind, Scale, Summary};
use raddle_common::testing::{not_empty, pairs};

use super::program::{ends, scratch};

/// The pictures of a run.
fn pictures(run: &Path) -> Vec<Picture> {
    let summary: Summary = serde_json::from_slice(&fs::read(run.join("summary.json")).unwrap()).unwrap();
    summary.pictures
}

/// Lines of a table with their fields by column.
fn table(run: &Path, file: &str) -> Vec<BTreeMap<String, String>> {
    let text = fs::read_to_string(run.join(file)).unwrap();
    let mut lines = text.lines().map(|line| line.split('\t').map(str::to_owned).collect::<Vec<_>>());
    let header = lines.next().unwrap();
    lines.map(|line| header.iter().cloned().zip(line).collect()).collect()
}

fn number(line: &BTreeMap<String, String>, column: &str) -> f64 {
    line[column].parse().unwrap()
}

/// `true` for equal numbers, up to the last digit, which a reader of JSON may lose.
fn is(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-15 * b.abs()
}

/// The name of a coefficient's column in pictures.
fn name(line: &BTreeMap<String, String>) -> String {
    match &*line["name"] {
        "" => format!("column {}", line["column number"]),
        name => name.to_owned(),
    }
}

/// Nonzero coefficients of a class, by column name and point.
fn coefficients(run: &Path, class: Option<&str>) -> BTreeMap<String, BTreeMap<usize, f64>> {
    let mut found: BTreeMap<String, BTreeMap<usize, f64>> = BTreeMap::new();
    for line in table(run, "coef.tsv") {
        if class.is_none_or(|class| line["class"] == class) {
            let point = line.get("point").map_or(0, |point| point.parse::<usize>().unwrap() - 1);
            found.entry(name(&line)).or_default().insert(point, number(&line, "coefficient"));
        }
    }
    found
}

/// A path's picture has the lines of its largest coefficients, and the counts of those that are not zero.
fn check_path(run: &Path, picture: &Picture, class: Option<&str>) {
    let lambdas: Vec<f64> = table(run, "path.tsv").iter().map(|line| number(line, "lambda")).collect();
    let coefficients = coefficients(run, class);
    let drawn = coefficients.len().min(30);
    let (last, at) =
        (lambdas.len() - 1, |name: &str, point| coefficients[name].get(&point).copied().unwrap_or(0.0));
    assert_eq!(
        (&picture.kind, picture.x.scale, picture.series.len()),
        (&PictureKind::Lines, Scale::Log, drawn)
    );
    for series in &picture.series {
        for (place, (&x, &y)) in pairs(&series.x, &series.y).enumerate() {
            assert!(is(x, lambdas[place]) && is(y, at(&series.name, place)), "{} {place}", series.name);
        }
        assert_eq!(series.x.len(), lambdas.len());
    }
    let shown: BTreeSet<&str> = picture.series.iter().map(|series| &*series.name).collect();
    assert_eq!(shown.len(), drawn);
    let least = not_empty(&shown).map(|name| at(name, last).abs()).fold(f64::INFINITY, f64::min);
    let hidden = coefficients.keys().filter(|name| !shown.contains(&***name));
    assert!(hidden.clone().all(|name| at(name, last).abs() <= least));
    let more = format!("{} more are not zero at some lambda", hidden.count());
    assert_eq!(picture.note.contains(&more), coefficients.len() > drawn, "{}", picture.note);
    assert!(picture.above.len() <= 8);
    for tick in not_empty(&picture.above) {
        let point = lambdas.iter().position(|&lambda| is(tick.at, lambda)).unwrap();
        let nonzeros = coefficients.values().filter(|of| of.contains_key(&point)).count();
        assert_eq!(tick.label, nonzeros.to_string());
    }
}

/// Bars of a fit are its largest coefficients in order.
fn check_bars(run: &Path, picture: &Picture, class: Option<&str>) {
    let of_names = coefficients(run, class);
    let mut order: Vec<(&String, f64)> = of_names.iter().map(|(name, of)| (name, of[&0])).collect();
    order.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    let more = order.len().saturating_sub(20);
    order.truncate(20);
    let [series] = &picture.series[..] else { panic!("{picture:?}") };
    assert_eq!(picture.kind, PictureKind::Bars);
    assert_eq!(picture.x.ticks.len(), order.len());
    for ((tick, &value), (name, expected)) in pairs(pairs(&picture.x.ticks, &series.y), order) {
        assert!(tick.label == *name && is(value, expected), "{tick:?} {value} {name} {expected}");
    }
    assert_eq!(picture.note.contains(&format!("{more} more are not zero")), more > 0, "{}", picture.note);
}

/// A table of four columns and as many classes, by name.
fn classes(folder: &Path, count: usize) {
    let mut text = String::from("a,b,c,d,kind\n");
    for row in 0..120 {
        let class = row % count;
        let x = |column: usize| {
            let noise = ((row * 37 + column * 53) % 101) as f64 / 101.0;
            noise + if class % 4 == column { 0.6 } else { 0.0 }
        };
        text += &format!("{},{},{},{},kind{class}\n", x(0), x(1), x(2), x(3));
    }
    fs::write(folder.join("classes.csv"), text).unwrap();
}

#[test]
fn the_lines_of_a_path_are_its_largest_coefficients() {
    let folder = scratch();
    ends(folder.path(), "path synth:groups:n=60,p=300,s=20 --points 12 --ratio 50 --out wide", 0);
    let run = folder.path().join("wide");
    let [picture] = &pictures(&run)[..] else { panic!("one picture") };
    check_path(&run, picture, None);
    assert!(picture.series.len() == 30 && picture.note.contains("the 30 largest"), "{}", picture.note);
    ends(folder.path(), "path diabetes --points 10 --out small", 0);
    let run = folder.path().join("small");
    let [picture] = &pictures(&run)[..] else { panic!("one picture") };
    check_path(&run, picture, None);
    assert!(picture.series.iter().any(|series| series.name == "bmi"), "{picture:?}");
    // Without two lambdas there is no line, and none where lambda is 0.
    ends(folder.path(), "path diabetes --points 1 --out one", 0);
    assert!(pictures(&folder.path().join("one")).is_empty());
    fs::write(folder.path().join("constant.csv"), "a,y\n1,2\n2,2\n3,2\n").unwrap();
    ends(folder.path(), "path constant.csv --points 3 --out zero", 0);
    assert!(pictures(&folder.path().join("zero")).is_empty());
}

#[test]
fn long_paths_are_drawn_in_part_and_say_so() {
    let folder = scratch();
    ends(folder.path(), "path diabetes --points 700 --tol 1e-3 --out run", 0);
    let run = folder.path().join("run");
    let [picture] = &pictures(&run)[..] else { panic!("one picture") };
    let lambdas: Vec<f64> = table(&run, "path.tsv").iter().map(|line| number(line, "lambda")).collect();
    let drawn = &picture.series[0].x;
    assert!(drawn.len() < 302 && is(drawn[0], lambdas[0]) && is(drawn[drawn.len() - 1], lambdas[699]));
    assert!(picture.note.contains(&format!("{} of 700 lambdas are drawn", drawn.len())), "{}", picture.note);
}

#[test]
fn bars_are_the_largest_coefficients() {
    let folder = scratch();
    for (name, line) in
        [("few", "diabetes --ratio 100"), ("many", "synth:groups:n=60,p=300,s=40 --ratio 200")]
    {
        ends(folder.path(), &format!("{line} --out {name}"), 0);
        let run = folder.path().join(name);
        let [picture] = &pictures(&run)[..] else { panic!("one picture") };
        check_bars(&run, picture, None);
    }
    // Nothing to draw.
    ends(folder.path(), "diabetes --ratio 1 --out none", 0);
    assert!(pictures(&folder.path().join("none")).is_empty());
}

#[test]
fn each_class_has_a_picture_of_its_own_but_for_those_beyond_the_first() {
    let folder = scratch();
    for (count, drawn) in [(3, 3), (8, 6)] {
        classes(folder.path(), count);
        let line = "classes.csv --y kind --loss multinomial --tol 1e-4";
        for (verb, options) in [("fit", "--ratio 20"), ("path", "--points 8 --ratio 20")] {
            ends(folder.path(), &format!("{verb} {line} {options} --out run --force"), 0);
            let run = folder.path().join("run");
            let pictures = pictures(&run);
            assert_eq!(pictures.len(), drawn);
            for (class, picture) in not_empty(&pictures).enumerate() {
                assert!(picture.title.ends_with(&format!(", class kind{class}")), "{}", picture.title);
                let said = picture.note.contains("the first 6 of 8 classes have a picture");
                assert_eq!(said, count > drawn, "{}", picture.note);
                let class = format!("kind{class}");
                match verb {
                    "fit" => check_bars(&run, picture, Some(&class)),
                    _ => check_path(&run, picture, Some(&class)),
                }
            }
        }
    }
}

#[test]
fn the_curve_of_a_cross_validation_is_that_of_its_table() {
    let folder = scratch();
    let line = "synth:groups:n=60,p=40,s=8,r=0.5 --points 12 --ratio 50 --folds 3";
    for (ratios, several) in [("", false), ("--l1-ratio 0.5,1", true)] {
        ends(folder.path(), &format!("cv {line} {ratios} --out run --force"), 0);
        let run = folder.path().join("run");
        let pictures = pictures(&run);
        assert_eq!(pictures.len(), 2);
        let (curve, lines) = (&pictures[0], table(&run, "cv.tsv"));
        assert_eq!((curve.x.scale, &*curve.y.label), (Scale::Log, "mean squared error"));
        let report = super::program::json(&run, "report.json")["results"].clone();
        let names: Vec<&str> = curve.series.iter().map(|series| &*series.name).collect();
        assert_eq!(names, if several { vec!["l1_ratio 0.5", "l1_ratio 1"] } else { vec!["mean"] });
        let mut lines = lines.iter();
        for series in &curve.series {
            assert_eq!([&series.x, &series.y, &series.low, &series.high].map(Vec::len), [12; 4]);
            for at in 0..12 {
                let line = lines.next().unwrap();
                let (mean, se) = (number(line, "mean"), number(line, "se"));
                assert!(is(series.x[at], number(line, "lambda")) && is(series.y[at], mean));
                assert!((series.low[at] - (mean - se)).abs() < 1e-12 * mean.abs().max(se));
                assert!((series.high[at] - (mean + se)).abs() < 1e-12 * mean.abs().max(se));
            }
        }
        assert!(lines.next().is_none());
        let marks: BTreeMap<&str, f64> = curve.marks.iter().map(|mark| (&*mark.label, mark.at)).collect();
        let (min, one_se) = (report["lambda_min"].as_f64().unwrap(), report["lambda_1se"].as_f64().unwrap());
        assert_ne!(min, one_se);
        assert!(is(marks["min"], min) && is(marks["1se"], one_se) && marks.len() == 2);
        let told = report["curve"].as_array().unwrap();
        for tick in not_empty(&curve.above) {
            let point = told.iter().find(|point| is(tick.at, point["lambda"].as_f64().unwrap())).unwrap();
            let nonzeros = point["nonzeros"].as_f64().unwrap();
            assert!(
                (tick.label.parse::<f64>().unwrap() - nonzeros).abs() <= 0.05 + 1e-12,
                "{tick:?} {nonzeros}"
            );
        }
        check_bars(&run, &pictures[1], None);
    }
}
