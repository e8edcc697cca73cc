//! Drawings: a [`Picture`] of numbers as SVG.
//!
//! Colours are variables of the page's style and every shape carries classes, so that one drawing serves a
//! light page, a dark one and one in grey.

mod bars;
mod frame;
mod lines;
mod map;
mod scale;
mod thin;

use self::lines::symbol;
use crate::report::picture::{Picture, PictureKind};

pub(crate) use self::lines::MOST_IN_LEGEND;

/// Draws a picture as an SVG element. `None` where there is nothing to draw, or its kind is unknown.
pub(crate) fn drawing(picture: &Picture) -> Option<String> {
    match picture.kind {
        PictureKind::Lines | PictureKind::Points => lines::draw(picture),
        PictureKind::Bars => bars::draw(picture),
        PictureKind::Map => map::draw(picture),
        PictureKind::Other(_) => None,
    }
}

/// Draws a sample of a series of a picture, for its legend.
pub(crate) fn sample(kind: &PictureKind, number: usize) -> String {
    let shape = match kind {
        PictureKind::Bars => r#"<rect class="bar" x="4" y="1" width="20" height="9"/>"#.to_owned(),
        PictureKind::Points => symbol(number, 14.0, 5.5),
        _ => format!(r#"<path class="line" d="M0,5.5L28,5.5"/>{}"#, symbol(number, 14.0, 5.5)),
    };
    format!(r#"<g class="series {}">{shape}</g>"#, lines::classes(number))
}

#[cfg(test)]
pub(crate) mod tests;
