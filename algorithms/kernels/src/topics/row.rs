//! One row of topics: the search for the entry into which a point falls, and moving a token from one entry to
//! another.

use super::lanes::{EntryLine, FloatLine, LANES, Lanes};
use super::names::Name;
use crate::topics::counts::documents::Row;
use crate::topics::counts::packing::Packing;

/// Number of lines in a short row.
pub(super) const SHORT: usize = 8;

/// Returns the entry of a row into which `point` falls, and the rest of the point within it. `running` has at
/// least [`SHORT`] lines, of which the first `lines` are the row's.
#[inline(always)]
pub(super) fn locate<L: Lanes>(running: &[FloatLine], sums: L, point: f32, lines: usize) -> (usize, f32) {
    let row = &running[..lines];
    let Some((lane, within)) = lane(row, sums, point) else { return (nearest(row, sums, point), 0.0) };
    // Most rows are short: their lines are counted without a loop, whose end would be unpredictable.
    let mut line = match running.first_chunk() {
        Some(short) => (L::below(short, lane, within) & ((1 << lines.min(SHORT)) - 1)).count_ones() as usize,
        None => 0,
    };
    if lines > SHORT {
        line += beyond(&row[SHORT..], lane, within);
    }
    let line = line.min(lines - 1);
    let before = if line > 0 { row[line - 1].0[lane] } else { 0.0 };
    (line * LANES + lane, within - before)
}

/// Returns how many lines' sums in a lane are at most `within`. A separate function, so that it takes no
/// registers for short rows.
#[inline(never)]
fn beyond(running: &[FloatLine], lane: usize, within: f32) -> usize {
    running.iter().filter(|sums| sums.0[lane] <= within).count()
}

/// Returns the topic of a dense row of N times sixteen into which `point` falls.
#[inline(always)]
pub(super) fn locate_in<L: Lanes, const N: usize>(running: &[FloatLine; N], sums: L, point: f32) -> usize {
    let Some((lane, within)) = lane(running, sums, point) else { return nearest(running, sums, point) };
    let mut line = 0;
    for sums in running {
        line += usize::from(sums.0[lane] <= within);
    }
    line.min(N - 1) * LANES + lane
}

/// Returns the lane into which `point` falls by the sums over lanes, and the rest of the point within that
/// lane; `None` if rounding has led to a lane without mass.
#[inline(always)]
fn lane<L: Lanes>(running: &[FloatLine], sums: L, point: f32) -> Option<(usize, f32)> {
    let lane = sums.at_most(point).min(LANES - 1);
    let mut stored = FloatLine::default();
    sums.store(&mut stored);
    let within = if lane > 0 { point - stored.0[lane - 1] } else { point };
    let top = if let [.., last] = running { last.0[lane] } else { 0.0 };
    // Rounding may have led beyond the lane's end.
    (top > 0.0).then_some((lane, if within < top { within } else { top.next_down() }))
}

/// Returns the nearest entry with mass, if rounding has led to a lane without any.
#[cold]
#[inline(never)]
fn nearest_to(running: &[FloatLine], lane: usize) -> usize {
    let has = |lane: usize, line: usize| {
        let before = line.checked_sub(1).map_or(0.0, |before| running[before].0[lane]);
        running[line].0[lane] > before
    };
    let lanes = (0..lane).rev().chain(lane..LANES);
    let mut entries = lanes.flat_map(|lane| (0..running.len()).map(move |line| (lane, line)));
    entries.find(|&(lane, line)| has(lane, line)).map_or(0, |(lane, line)| line * LANES + lane)
}

#[inline(always)]
fn nearest<L: Lanes>(running: &[FloatLine], sums: L, point: f32) -> usize {
    nearest_to(running, sums.at_most(point).min(LANES - 1))
}

/// Moves one token of a document to a topic that its row may not have; a token without a topic is added.
#[inline(always)]
pub(super) fn move_to<L: Lanes>(
    lines: &mut [EntryLine],
    row: &mut Row,
    from: Option<usize>,
    topic: Name,
    packing: Packing,
    split: L::Split,
) {
    // A loop instead of an iterator, whose closures are not compiled for the vector form.
    let (mut number, mut to, topic) = (0, None, topic.number() as u32);
    for line in &lines[..(row.length as usize).div_ceil(LANES)] {
        let found = L::find(line, split, topic);
        if found != 0 {
            to = Some(number + found.trailing_zeros() as usize);
            break;
        }
        number += LANES;
    }
    match (from, to) {
        (Some(from), Some(to)) => move_one(lines, &mut row.length, from, to, packing),
        (None, Some(to)) => lines[to / LANES].0[to % LANES] += 1,
        (from, None) => {
            let new = packing.entry(topic, 1);
            if let Some(from) = from {
                let entry = &mut lines[from / LANES].0[from % LANES];
                *entry -= 1;
                if packing.count(*entry) == 0 {
                    *entry = new;
                    return;
                }
            }
            let end = row.length as usize;
            lines[end / LANES].0[end % LANES] = new;
            row.length += 1;
        }
    }
}

/// Moves one token of a document between two topics that its row has. Without branches: an entry that becomes
/// empty is replaced by the last one.
#[inline(always)]
pub(super) fn move_one(lines: &mut [EntryLine], length: &mut u32, from: usize, to: usize, packing: Packing) {
    let (last, room) = ((*length as usize).wrapping_sub(1), lines.len());
    // One check for all accesses below.
    assert!(from / LANES < room && to / LANES < room && last / LANES < room, "entries of the row");
    lines[from / LANES].0[from % LANES] -= 1;
    lines[to / LANES].0[to % LANES] += 1;
    let (entry, moved) = (lines[from / LANES].0[from % LANES], lines[last / LANES].0[last % LANES]);
    let gone = packing.count(entry) == 0;
    lines[from / LANES].0[from % LANES] = if gone { moved } else { entry };
    let end = &mut lines[last / LANES].0[last % LANES];
    *end = if gone { 0 } else { *end };
    *length -= u32::from(gone);
}
