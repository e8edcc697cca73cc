//! Bars one below the other, each with its name.

use super::frame::{BOTTOM, Frame, LEFT, RIGHT, TOP, WIDTH, width};
use super::lines::classes;
use super::scale::Span;
use crate::markup::{escaped, pixels, shortened};
use crate::number::{number, rounded};
use crate::report::picture::{Axis, Picture, Scale};

/// Height of a bar.
const BAR: f64 = 13.0;
/// Most letters of a name.
const LETTERS: usize = 22;
/// Most bars; more are shown as a table alone.
const MOST: usize = 200;

/// Draws the numbers of all series as bars, grouped by their places on the axis of names. Without a finite
/// number, or with very many, there is no drawing.
pub(super) fn draw(picture: &Picture) -> Option<String> {
    let Picture { x, y, series, .. } = picture;
    let groups = series.iter().map(|series| series.y.len()).max().unwrap_or(0);
    let bars: usize = series.iter().map(|series| series.y.len()).sum();
    if bars == 0 || bars > MOST {
        return None;
    }
    let name = |group: usize| -> String {
        let place = series.iter().find_map(|series| series.x.get(group)).copied().unwrap_or(group as f64);
        let tick = x.ticks.iter().find(|tick| tick.at == place);
        tick.map_or_else(|| number(place), |tick| tick.label.clone())
    };
    let names: Vec<String> = (0..groups).map(name).collect();
    let longest = names.iter().map(|name| width(&shortened(name, LETTERS))).fold(0.0, f64::max);
    let left = (longest + 10.0).max(LEFT);
    let lengths = series.iter().flat_map(|series| series.y.iter().copied());
    // Bars begin at 0, and have no place on a logarithmic axis. Their numbers stand behind them.
    let span = Span::new(Scale::Linear, lengths.chain([0.0]), 0.0, left + 4.0, WIDTH - RIGHT - 58.0)?;
    let zero = span.at(0.0)?;
    let group_height = BAR * series.len() as f64 + 5.0;
    let height = TOP + group_height * groups as f64 + BOTTOM;
    let mut frame = Frame::new(&picture.title, height, WIDTH - RIGHT, &[('x', &span)]);
    frame.text("start label", 4.0, 10.0, &x.label);
    for (group, name) in names.iter().enumerate() {
        let top = TOP + group_height * group as f64;
        let middle = top + BAR * series.len() as f64 / 2.0 + 4.0;
        frame.name(r#"class="end""#, (left - 4.0, middle), name, LETTERS);
        for (of, series) in series.iter().enumerate() {
            let Some((&value, at)) = series.y.get(group).and_then(|value| Some((value, span.at(*value)?)))
            else {
                continue;
            };
            let bar_top = top + BAR * of as f64;
            frame.add(&format!(
                r#"<g class="series {}" data-s="{of}"><rect class="bar" x="{}" y="{}" width="{}" height="{}"><title>{}: {}</title></rect></g>"#,
                classes(of),
                pixels(zero.min(at)),
                pixels(bar_top + 1.0),
                pixels((at - zero).abs().max(0.5)),
                pixels(BAR - 2.0),
                escaped(name),
                number(value)
            ));
            frame.text("start value", zero.max(at) + 4.0, bar_top + BAR - 3.0, &rounded(value, 4));
        }
    }
    frame.line("axis", (zero, TOP - 2.0), (zero, height - BOTTOM));
    frame.x_axis(&Axis { ticks: Vec::new(), ..y.clone() }, &span, 4);
    Some(frame.finish())
}
