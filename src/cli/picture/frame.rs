//! [`Frame`]: the axes of a picture, and the shapes within them.

use std::fmt::Write as _;

use super::scale::Span;
use crate::markup::{escaped, pixels, shortened};
use crate::number::number;
use crate::report::picture::{Axis, Tick};

/// Width of every picture in its own pixels; a page scales it.
pub(super) const WIDTH: f64 = 480.0;
/// Height of pictures whose height does not follow from what they show.
pub(super) const HEIGHT: f64 = 260.0;
/// Room left and right, above and below of what is drawn.
pub(super) const LEFT: f64 = 58.0;
pub(super) const RIGHT: f64 = 12.0;
pub(super) const TOP: f64 = 28.0;
pub(super) const BOTTOM: f64 = 40.0;

/// A place in a picture: its x and its y, in pixels.
type Pixel = (f64, f64);

/// Picture under construction: text of an SVG element.
pub(super) struct Frame {
    text: String,
    right: f64,
    bottom: f64,
}

impl Frame {
    /// A frame for a drawing that is called `label` by readers of screens.
    pub(super) fn new(label: &str, height: f64, right: f64, spans: &[(char, &Span)]) -> Self {
        let attributes: String = spans.iter().map(|(axis, span)| span.attributes(*axis)).collect();
        let text = format!(
            r#"<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{}"{attributes}>"#,
            escaped(label)
        );
        Self { text, right, bottom: height - BOTTOM }
    }

    /// Adds a shape.
    pub(super) fn add(&mut self, shape: &str) {
        self.text += shape;
    }

    /// Adds a text at a place: `class` says how it is aligned.
    pub(super) fn text(&mut self, class: &str, x: f64, y: f64, text: &str) {
        let _ = write!(
            self.text,
            r#"<text class="{class}" x="{}" y="{}">{}</text>"#,
            pixels(x),
            pixels(y),
            escaped(text)
        );
    }

    /// Adds a straight line.
    pub(super) fn line(&mut self, class: &str, (x1, y1): Pixel, (x2, y2): Pixel) {
        let [x1, y1, x2, y2] = [x1, y1, x2, y2].map(pixels);
        let _ = write!(self.text, r#"<line class="{class}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>"#);
    }

    /// Adds a name, of which so many letters are shown and a pointer shows all.
    pub(super) fn name(&mut self, attributes: &str, (x, y): Pixel, name: &str, letters: usize) {
        let (x, y, short) = (pixels(x), pixels(y), escaped(&shortened(name, letters)));
        let name = escaped(name);
        self.add(&format!(r#"<text {attributes} x="{x}" y="{y}"><title>{name}</title>{short}</text>"#));
    }

    /// Adds the horizontal axis, at the lower edge.
    pub(super) fn x_axis(&mut self, axis: &Axis, span: &Span, wanted: usize) {
        self.line("axis", (LEFT, self.bottom), (self.right, self.bottom));
        let mut free = f64::NEG_INFINITY;
        for (x, label) in placed(&ticks(axis, span, wanted), span) {
            self.line("tick", (x, self.bottom), (x, self.bottom + 4.0));
            let half = width(label) / 2.0;
            // A label that would run into the one before is left out, its tick is not.
            if x - half >= free {
                self.text("middle", x.min(WIDTH - half), self.bottom + 16.0, label);
                free = x + half + 4.0;
            }
        }
        self.text("middle label", (LEFT + self.right) / 2.0, self.bottom + 33.0, &axis.label);
    }

    /// Adds the vertical axis, at the left edge, with lines across the picture.
    pub(super) fn y_axis(&mut self, axis: &Axis, span: &Span) {
        for (y, label) in placed(&ticks(axis, span, 5), span) {
            self.line("grid", (LEFT, y), (self.right, y));
            self.text("end", LEFT - 5.0, y + 4.0, &shortened(label, 8));
        }
        self.text("start label", 4.0, 10.0, &axis.label);
    }

    /// Adds places of the horizontal axis: a line each, with its label at the upper edge.
    pub(super) fn marks(&mut self, marks: &[Tick], span: &Span) {
        let mut free = [f64::NEG_INFINITY; 2];
        for (x, label) in placed(marks, span) {
            self.line("mark", (x, TOP), (x, self.bottom));
            let label = shortened(label, 24);
            let length = width(&label);
            // On the side where there is room, in the first of two rows that is free there.
            let start = if x + length > self.right { x - length - 3.0 } else { x + 3.0 };
            let Some(row) = free.iter().position(|&free| start >= free) else { continue };
            free[row] = start + length + 6.0;
            self.text("start mark-label", start, TOP + 10.0 + 13.0 * row as f64, &label);
        }
    }

    /// Adds places of the vertical axis: a line each, with its label at the right.
    pub(super) fn levels(&mut self, levels: &[Tick], span: &Span) {
        for (y, label) in placed(levels, span) {
            self.line("level", (LEFT, y), (self.right, y));
            self.text("end mark-label", self.right - 2.0, y - 3.0, label);
        }
    }

    /// Adds counts along the upper edge.
    pub(super) fn above(&mut self, counts: &[Tick], span: &Span) {
        for (x, label) in placed(counts, span) {
            self.text("middle above", x, TOP - 4.0, label);
        }
    }

    /// The whole element.
    pub(super) fn finish(mut self) -> String {
        self.text += "</svg>";
        self.text
    }
}

/// The labelled places of an axis: its own, or round numbers.
fn ticks(axis: &Axis, span: &Span, wanted: usize) -> Vec<Tick> {
    match axis.ticks.is_empty() {
        true => span.ticks(wanted).into_iter().map(|at| Tick::new(at, number(at))).collect(),
        false => axis.ticks.clone(),
    }
}

/// Labels with their pixels, the least first.
fn placed<'a>(ticks: &'a [Tick], span: &Span) -> Vec<(f64, &'a str)> {
    let mut placed: Vec<(f64, &str)> =
        ticks.iter().filter_map(|tick| Some((span.at(tick.at)?, tick.label.as_str()))).collect();
    placed.sort_by(|a, b| a.0.total_cmp(&b.0));
    placed
}

/// About the width of a text, in pixels.
pub(super) fn width(text: &str) -> f64 {
    6.6 * text.chars().count() as f64
}
