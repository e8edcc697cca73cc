//! Members as circles at their places.

use super::frame::{Frame, WIDTH};
use super::scale::Span;
use crate::markup::{escaped, pixels};
use crate::report::picture::{Contents, Member, Picture, Scale};

/// Height of a map.
const HEIGHT: f64 = 400.0;
/// Radius of the circle of a member that is everything.
const LARGEST: f64 = 110.0;
/// Most circles that are labelled inside.
const LABELLED: usize = 100;

/// Draws a circle for each member, the small ones in front. Equal distances are equally long on both axes.
pub(super) fn draw(picture: &Picture) -> Option<String> {
    let Contents { member: noun, members, .. } = &picture.contents;
    let of = |axis: fn(&Member) -> f64| members.iter().map(axis).filter(|at| at.is_finite());
    let ends = |axis: fn(&Member) -> f64| {
        (of(axis).fold(f64::INFINITY, f64::min), of(axis).fold(f64::NEG_INFINITY, f64::max))
    };
    let ((left, right), (low, high)) = (ends(|member| member.x), ends(|member| member.y));
    if left > right || low > high {
        return None;
    }
    let radius = |member: &Member| (LARGEST * member.share.max(0.0).sqrt()).clamp(2.5, LARGEST);
    let edge = members.iter().map(radius).fold(20.0, f64::max) + 2.0;
    // One scale for both: the longer direction fills its side.
    let unit = ((right - left) / (WIDTH - 2.0 * edge))
        .max((high - low) / (HEIGHT - 2.0 * edge))
        .max(f64::MIN_POSITIVE);
    let around = |from: f64, to: f64, pixels: f64| {
        let (middle, half) = ((from + to) / 2.0, unit * (pixels / 2.0 - edge));
        [middle - half, middle + half].into_iter()
    };
    let across = Span::new(Scale::Linear, around(left, right, WIDTH), 0.0, edge, WIDTH - edge)?;
    let up = Span::new(Scale::Linear, around(low, high, HEIGHT), 0.0, HEIGHT - edge, edge)?;
    let mut frame = Frame::new(&picture.title, HEIGHT, WIDTH, &[]);
    frame.line("grid", (0.0, HEIGHT / 2.0), (WIDTH, HEIGHT / 2.0));
    frame.line("grid", (WIDTH / 2.0, 0.0), (WIDTH / 2.0, HEIGHT));
    let mut order: Vec<usize> = (0..members.len()).collect();
    order.sort_by(|&a, &b| members[b].share.total_cmp(&members[a].share).then(a.cmp(&b)));
    for (place, &number) in order.iter().enumerate() {
        let member = &members[number];
        let (Some(x), Some(y)) = (across.at(member.x), up.at(member.y)) else { continue };
        let radius = radius(member);
        frame.add(&format!(
            r#"<g class="member" data-member="{number}"><circle cx="{}" cy="{}" r="{}"><title>{} {}: {:.1} %</title></circle>"#,
            pixels(x),
            pixels(y),
            pixels(radius),
            escaped(noun),
            escaped(&member.name),
            100.0 * member.share
        ));
        if place < LABELLED && radius >= 7.0 {
            frame.text("middle", x, y + 4.0, &member.name);
        }
        frame.add("</g>");
    }
    Some(frame.finish())
}
