//! Lines and points of series: [`PictureKind::Lines`] and
//! [`PictureKind::Points`].

use std::fmt::Write as _;

use super::frame::{BOTTOM, Frame, HEIGHT, LEFT, RIGHT, TOP, WIDTH, width};
use super::scale::Span;
use super::thin::{MOST, thinned};
use crate::markup::{pixels, shortened};
use crate::report::picture::{Picture, PictureKind, Series};

/// More series than this have no legend.
pub(crate) const MOST_IN_LEGEND: usize = 8;
/// More series than this are named at their ends, too.
const FEW: usize = 3;
/// Most letters of a name at the end of a line.
const LETTERS: usize = 14;

/// Draws series against two axes. Without a number that has a place there is no drawing.
pub(super) fn draw(picture: &Picture) -> Option<String> {
    let Picture { x, y, series, marks, levels, above, .. } = picture;
    let is_scatter = picture.kind == PictureKind::Points;
    let named = !is_scatter && series.len() > FEW;
    let longest = series.iter().map(|series| width(&shortened(&series.name, LETTERS))).fold(0.0, f64::max);
    let right = WIDTH - RIGHT - if named { longest + 4.0 } else { 0.0 };
    let values =
        |of: fn(&Series) -> &Vec<f64>| series.iter().flat_map(move |series| of(series).iter().copied());
    let marked = marks.iter().map(|mark| mark.at);
    let (from, to) = if x.falls { (right, LEFT) } else { (LEFT, right) };
    let across = Span::new(x.scale, values(|series| &series.x).chain(marked), 0.0, from, to)?;
    let upright = values(|series| &series.y)
        .chain(values(|series| &series.low))
        .chain(values(|series| &series.high))
        .chain(levels.iter().map(|level| level.at));
    let up = Span::new(y.scale, upright, 0.04, HEIGHT - BOTTOM, TOP)?;
    let mut frame = Frame::new(&picture.title, HEIGHT, right, &[('x', &across), ('y', &up)]);
    frame.y_axis(y, &up);
    frame.x_axis(x, &across, 6);
    frame.levels(levels, &up);
    frame.marks(marks, &across);
    frame.above(above, &across);
    for (number, series) in series.iter().enumerate() {
        frame.add(&format!(r#"<g class="series {}" data-s="{number}">"#, classes(number)));
        frame.add(&band(series, &across, &up));
        let points = points(series, &across, &up);
        frame.add(&if is_scatter { String::new() } else { path(&points) });
        let every = if is_scatter || points.len() <= 12 { 1 } else { points.len().div_ceil(6) };
        frame.add(&symbols(&points, every, number));
        frame.add("</g>");
    }
    if named {
        end_labels(&mut frame, series, &across, &up, right);
    }
    Some(frame.finish())
}

/// Classes of a series: a colour and a dash. No two of the first 40 have both.
pub(super) fn classes(number: usize) -> String {
    format!("c{} d{}", number % 8, number % 5)
}

/// Pixels of the points that are drawn; `None` where the line is interrupted.
fn points(series: &Series, across: &Span, up: &Span) -> Vec<Option<(f64, f64)>> {
    let kept = thinned(&series.y[..series.y.len().min(series.x.len())], MOST);
    kept.into_iter().map(|at| Some((across.at(series.x[at])?, up.at(series.y[at])?))).collect()
}

fn path(points: &[Option<(f64, f64)>]) -> String {
    let mut path = String::new();
    let mut is_on = false;
    for point in points {
        if let Some((x, y)) = point {
            let _ = write!(path, "{}{},{}", if is_on { "L" } else { "M" }, pixels(*x), pixels(*y));
        }
        is_on = point.is_some();
    }
    if path.is_empty() { path } else { format!(r#"<path class="line" d="{path}"/>"#) }
}

/// Marks at every so many of the points, and the last: a series is told from others without colour.
fn symbols(points: &[Option<(f64, f64)>], every: usize, number: usize) -> String {
    let is_shown = |at: usize| at.is_multiple_of(every) || at + 1 == points.len();
    let shown = points.iter().enumerate().filter_map(|(at, point)| point.filter(|_| is_shown(at)));
    shown.map(|(x, y)| symbol(number, x, y)).collect()
}

/// Mark of a series at a place: a disc, a square, a triangle, a diamond or a cross.
pub(super) fn symbol(number: usize, x: f64, y: f64) -> String {
    let (left, right, up, down) = (pixels(x - 3.0), pixels(x + 3.0), pixels(y - 3.0), pixels(y + 3.0));
    let (x, y) = (pixels(x), pixels(y));
    let path = match number % 5 {
        0 => return format!(r#"<circle class="dot" cx="{x}" cy="{y}" r="2.6"/>"#),
        1 => format!("M{left},{up}H{right}V{down}H{left}Z"),
        2 => format!("M{x},{up}L{right},{down}H{left}Z"),
        3 => format!("M{x},{up}L{right},{y}L{x},{down}L{left},{y}Z"),
        _ => {
            return format!(
                r#"<path class="dot cross" d="M{left},{up}L{right},{down}M{left},{down}L{right},{up}"/>"#
            );
        }
    };
    format!(r#"<path class="dot" d="{path}"/>"#)
}

/// Area between the bounds of a series, if it has some.
fn band(series: &Series, across: &Span, up: &Span) -> String {
    let edge = |bound: &[f64]| -> Vec<String> {
        let points = series.x.iter().zip(bound).filter_map(|(x, y)| Some((across.at(*x)?, up.at(*y)?)));
        points.map(|(x, y)| format!("{},{}", pixels(x), pixels(y))).collect()
    };
    let (low, mut high) = (edge(&series.low), edge(&series.high));
    if low.len() < 2 || high.len() < 2 {
        return String::new();
    }
    high.reverse();
    format!(r#"<path class="band" d="M{}L{}Z"/>"#, low.join("L"), high.join("L"))
}

/// Names at the ends of lines, moved apart where they would lie on each other.
fn end_labels(frame: &mut Frame, series: &[Series], across: &Span, up: &Span, right: f64) {
    let ends = series.iter().enumerate().filter_map(|(number, series)| {
        let points = series.x.iter().zip(&series.y).filter_map(|(x, y)| Some((across.at(*x)?, up.at(*y)?)));
        // The right end, whatever the order of the points.
        points.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, y)| (y, number))
    });
    let mut ends: Vec<(f64, usize)> = ends.collect();
    ends.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let room = ((HEIGHT - BOTTOM - TOP) / ends.len().max(1) as f64).min(11.0);
    let mut free = TOP;
    for at in 0..ends.len() {
        let (y, number) = ends[at];
        // Those below still need their room.
        let last = HEIGHT - BOTTOM - room * (ends.len() - 1 - at) as f64;
        let place = y.max(free).min(last);
        free = place + room;
        frame.line("lead", (right, y), (right + 4.0, place));
        let attributes = format!(r#"class="start end-name" data-s="{number}""#);
        frame.name(&attributes, (right + 5.0, place + 3.0), &series[number].name, LETTERS);
    }
}
