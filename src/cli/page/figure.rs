//! Figures: pictures on a page, each with its caption, its legend, and its numbers where it cannot be drawn.

use std::fmt::Write as _;

use serde_json::Value;

use super::members;
use super::table::table;
use crate::markup::escaped;
use crate::picture::{MOST_IN_LEGEND, drawing, sample};
use crate::report::picture::{Picture, PictureKind, Series, Tick};

/// Figures side by side, as many as the width allows.
pub(super) fn figures(pictures: &[Picture]) -> String {
    side_by_side(pictures, "")
}

/// Figures whose series are runs: hiding one hides it in all of them.
pub(super) fn figures_of_runs(pictures: &[Picture]) -> String {
    side_by_side(pictures, " data-runs")
}

fn side_by_side(pictures: &[Picture], attribute: &str) -> String {
    let figures = pictures.iter().map(|picture| figure(picture, attribute));
    format!("<div class=\"figures\">{}</div>\n", figures.collect::<String>())
}

/// A picture with its caption and its legend, or its numbers where it cannot be drawn.
fn figure(picture: &Picture, attribute: &str) -> String {
    let mut text = format!(
        r#"<figure class="{}"{attribute}><figcaption>{}</figcaption>"#,
        class(&picture.kind),
        escaped(&picture.title)
    );
    if !picture.note.is_empty() {
        let _ = write!(text, r#"<p class="note">{}</p>"#, escaped(&picture.note));
    }
    match drawing(picture) {
        Some(drawing) => {
            if picture.series.len() > 1 && (picture.series.len() <= MOST_IN_LEGEND || !attribute.is_empty()) {
                text += &legend(picture);
            }
            text += &drawing;
        }
        None => text += &numbers(picture),
    }
    if picture.kind == PictureKind::Map {
        text += &members::html(&picture.contents);
    }
    text + "</figure>"
}

/// Class of a figure, by which the style and the script know it.
fn class(kind: &PictureKind) -> &'static str {
    match kind {
        PictureKind::Map => "map",
        PictureKind::Bars => "bars",
        PictureKind::Lines => "lines",
        PictureKind::Points => "points",
        PictureKind::Other(_) => "numbers",
    }
}

/// Names of the series, each with its line and mark.
fn legend(picture: &Picture) -> String {
    let entry = |(number, series): (usize, &Series)| {
        format!(
            r#"<li data-s="{number}"><svg class="sample" viewBox="0 0 28 11" aria-hidden="true">{}</svg><span>{}</span></li>"#,
            sample(&picture.kind, number),
            escaped(&series.name)
        )
    };
    let shown = picture.series.iter().enumerate().filter(|(_, series)| !series.x.is_empty());
    format!(r#"<ul class="legend">{}</ul>"#, shown.map(entry).collect::<String>())
}

/// The numbers of a picture as a table.
fn numbers(picture: &Picture) -> String {
    let name = |at: f64| {
        let tick = picture.x.ticks.iter().find(|tick| tick.at == at);
        tick.map_or_else(|| Value::from(at), |Tick { label, .. }| label.as_str().into())
    };
    let label =
        |label: &str, otherwise: &str| if label.is_empty() { otherwise.to_owned() } else { label.to_owned() };
    let columns = ["series".into(), label(&picture.x.label, "x"), label(&picture.y.label, "y")];
    let rows = picture.series.iter().flat_map(|series| {
        series
            .x
            .iter()
            .zip(&series.y)
            .map(|(x, y)| vec![series.name.as_str().into(), name(*x), Value::from(*y)])
    });
    let rows: Vec<Vec<Value>> = rows.collect();
    if rows.is_empty() {
        return r#"<p class="note">There is no number to draw.</p>"#.into();
    }
    table("", &columns, &rows)
}
