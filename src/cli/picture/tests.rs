//! Drawings read back: points, classes, names.

use proptest::prelude::*;
use raddle_common::testing::pairs;

use super::*;
use crate::report::picture::{Axis, Contents, Member, Scale, Series};

/// Values of an attribute, in the order of their elements.
pub(crate) fn attributes<'a>(svg: &'a str, name: &str) -> Vec<&'a str> {
    let start = format!(" {name}=\"");
    svg.split(&start).skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
}

/// Pixels of the points of each line.
pub(crate) fn lines_of(svg: &str) -> Vec<Vec<(f64, f64)>> {
    let points = |path: &str| {
        let pairs = path.split(['M', 'L']).filter(|pair| !pair.is_empty());
        pairs
            .map(|pair| pair.split_once(',').unwrap())
            .map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap()))
            .collect()
    };
    svg.split("class=\"line\" d=\"").skip(1).map(|rest| points(rest.split('"').next().unwrap())).collect()
}

/// The pixel of a value, by what the drawing says of its axis.
pub(crate) fn pixel(svg: &str, axis: &str, value: f64) -> f64 {
    let said = attributes(svg, &format!("data-{axis}"))[0];
    let (scale, ends) = said.split_once(' ').unwrap();
    let [low, high, from, to] = ends.split(' ').map(|end| end.parse().unwrap()).collect::<Vec<f64>>()[..]
    else {
        panic!()
    };
    let value = if scale == "log" { value.log10() } else { value };
    from + (value - low) / (high - low) * (to - from)
}

fn axis(log: bool) -> Axis {
    if log { Axis::log("an axis") } else { Axis::linear("an axis") }
}

proptest! {
    #[test]
    fn points_stand_where_their_values_are(
        points in prop::collection::vec((1e-9..1e9f64, 1e-9..1e9f64), 2..50), logs: (bool, bool)
    ) {
        let (x, y): (Vec<f64>, Vec<f64>) = points.iter().copied().unzip();
        let picture = Picture::new("a picture", PictureKind::Lines).axes(axis(logs.0), axis(logs.1)).series(Series::new("s", x, y));
        let svg = drawing(&picture).unwrap();
        let lines = lines_of(&svg);
        prop_assert_eq!(lines.len(), 1);
        prop_assert_eq!(lines[0].len(), points.len());
        for ((x, y), (at_x, at_y)) in pairs(&points, &lines[0]) {
            prop_assert!((pixel(&svg, "x", *x) - at_x).abs() < 0.5 && (pixel(&svg, "y", *y) - at_y).abs() < 0.5);
            prop_assert!((0.0..=480.0).contains(at_x) && (0.0..=260.0).contains(at_y));
        }
    }
}

#[test]
fn a_value_that_has_no_place_interrupts_a_line() {
    let series = Series::new("s", vec![1.0, 2.0, 3.0, 4.0], vec![1.0, f64::NAN, 2.0, 3.0]);
    let svg = drawing(&Picture::new("p", PictureKind::Lines).series(series)).unwrap();
    let path = attributes(&svg, "d").into_iter().find(|path| path.matches('M').count() == 2);
    assert!(path.is_some(), "{svg}");
}

#[test]
fn every_series_has_a_dash_or_a_mark_of_its_own() {
    let mut picture = Picture::new("p", PictureKind::Lines);
    for number in 0..40 {
        picture =
            picture.series(Series::new(number.to_string(), vec![0.0, 1.0], vec![f64::from(number), 0.0]));
    }
    let svg = drawing(&picture).unwrap();
    let mut classes: Vec<&str> =
        attributes(&svg, "class").into_iter().filter(|class| class.starts_with("series ")).collect();
    assert_eq!(classes.len(), 40);
    classes.sort_unstable();
    classes.dedup();
    assert_eq!(classes.len(), 40, "a colour and a dash that two series share");
    // Without colour: neighbours in a legend have other dashes and other marks.
    let samples: std::collections::BTreeSet<String> = (0..5)
        .map(|number| {
            symbol(number, 0.0, 0.0).split(" d=").next().unwrap_or("").to_owned() + &symbol(number, 0.0, 0.0)
        })
        .collect();
    assert_eq!(samples.len(), 5);
    // Names stand at the ends of so many, none twice and none outside.
    let names = svg.matches("end-name").count();
    assert_eq!(names, 40);
    for place in svg.split("end-name").skip(1) {
        let y: f64 = place.split(" y=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
        assert!((0.0..=260.0).contains(&y));
    }
}

#[test]
fn bounds_are_a_band_and_marked_places_have_lines_and_labels() {
    let series = Series::new("s", vec![1.0, 2.0], vec![1.0, 2.0]).bounds(vec![0.5, 1.5], vec![1.5, 2.5]);
    let picture =
        Picture::new("p", PictureKind::Lines).series(series).mark(1.5, "chosen").level(2.0, "target");
    let svg = drawing(&picture).unwrap();
    assert_eq!(svg.matches("class=\"band\"").count(), 1);
    assert!(svg.contains(">chosen</text>") && svg.contains(">target</text>"), "{svg}");
    let mark =
        svg.split("class=\"mark\" x1=\"").nth(1).unwrap().split('"').next().unwrap().parse::<f64>().unwrap();
    assert!((mark - pixel(&svg, "x", 1.5)).abs() < 0.5);
}

#[test]
fn bars_begin_at_zero_and_are_as_long_as_their_values() {
    let picture = Picture::new("p", PictureKind::Bars)
        .axes(Axis::names("name", ["one", "minus two", "none"]), Axis::linear("value"))
        .series(Series::of_names("s", vec![1.0, -2.0, f64::NAN]));
    let svg = drawing(&picture).unwrap();
    let widths: Vec<f64> = attributes(&svg, "width").iter().map(|width| width.parse().unwrap()).collect();
    assert_eq!(widths.len(), 2);
    assert!((widths[1] - 2.0 * widths[0]).abs() < 0.05, "{widths:?}");
    assert!(svg.contains(">minus two</text>") && svg.contains(">none</text>"));
}

#[test]
fn circles_of_a_map_have_areas_by_share_and_one_scale_for_both_axes() {
    let member = |name: &str, x: f64, y: f64, share: f64| Member {
        name: name.into(),
        x,
        y,
        share,
        ..Member::default()
    };
    let mut picture = Picture::new("p", PictureKind::Map);
    picture.contents = Contents {
        members: vec![member("1", 0.0, 0.0, 0.16), member("2", 1.0, 0.0, 0.04), member("3", 0.0, 0.5, 0.8)],
        ..Contents::default()
    };
    let svg = drawing(&picture).unwrap();
    let of =
        |name: &str| -> Vec<f64> { attributes(&svg, name).iter().map(|at| at.parse().unwrap()).collect() };
    let order = attributes(&svg, "data-member");
    let at = |member: &str| order.iter().position(|other| *other == member).unwrap();
    let (x, y, r) = (of("cx"), of("cy"), of("r"));
    assert!((r[at("0")] / r[at("1")] - 2.0).abs() < 0.01);
    let (across, up) = (x[at("1")] - x[at("0")], y[at("0")] - y[at("2")]);
    assert!((across - 2.0 * up).abs() < 0.05, "{across} {up}");
    assert_eq!(order[0], "2", "the largest is behind the others");
    picture.contents.members.truncate(1);
    assert!(drawing(&picture).unwrap().contains("<circle"));
}

#[test]
fn hostile_names_and_numbers_stay_text() {
    let name = "<script>alert(1)</script>&\"'\u{202e}gnp";
    let huge = vec![f64::MAX, f64::MIN, 0.0, f64::INFINITY, f64::NAN];
    for kind in [PictureKind::Lines, PictureKind::Bars, PictureKind::Points] {
        for scale in [Scale::Linear, Scale::Log] {
            let axis = Axis { scale, ..Axis::linear(name) };
            let picture = Picture::new(name, kind.clone())
                .axes(axis.clone(), axis)
                .series(Series::of_names(name, huge.clone()))
                .mark(1.0, name);
            let svg = drawing(&picture).unwrap_or_default();
            assert!(scale == Scale::Log || !svg.is_empty(), "{kind:?}");
            assert!(
                !svg.contains("<script")
                    && !svg.contains('\u{202e}')
                    && !svg.contains("NaN")
                    && !svg.contains("inf"),
                "{svg}"
            );
        }
    }
    for kind in [
        PictureKind::Lines,
        PictureKind::Bars,
        PictureKind::Points,
        PictureKind::Map,
        PictureKind::Other("pie".into()),
    ] {
        assert_eq!(drawing(&Picture::new("empty", kind)), None);
    }
}
