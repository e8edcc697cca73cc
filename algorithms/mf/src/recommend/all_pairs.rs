//! The best lists of all rows among themselves: each pair is scored once, for both of its rows.

use std::ops::Range;
use std::sync::Arc;

use super::top_k::{ItemIndex, TopK};
use crate::error::MfError;
use crate::ranking::{COMPARED, insert, least_of, merge};
use raddle_kernels::factors::{TOGETHER, scores};

/// Returns for each row the `count` others with the largest products, found by this number of workers, which
/// score `block` rows at a time. Ties go to the lower row.
///
/// # Errors
/// If the run fails, such as when threads cannot be started.
pub(super) fn all_pairs(
    index: &Arc<ItemIndex>,
    count: usize,
    workers: usize,
    block: usize,
) -> Result<TopK, MfError> {
    let number = index.len() as f64;
    // Rows in the front have more pairs: each task has as many.
    let start = |task: usize| (number * (1.0 - (1.0 - task as f64 / workers as f64).sqrt())) as u32;
    let end = |task: usize| if task + 1 == workers { index.len() as u32 } else { start(task + 1) };
    let tasks: Vec<(u32, u32)> = (0..workers).map(|task| (start(task), end(task))).collect();
    let shared = Arc::clone(index);
    let work = move |&(start, end): &(u32, u32)| pairs(&shared, count, block, start as usize..end as usize);
    let mut of_tasks = raddle::map(tasks, workers, work)?.into_iter();
    let mut found: TopK = of_tasks.next().unwrap_or_default();
    for lists in of_tasks {
        // Tasks come in the order of the rows that are asked for, so that a stable sort leaves ties in order.
        for (list, more) in found.iter_mut().zip(lists).filter(|(_, more)| !more.is_empty()) {
            list.extend(more);
            list.sort_by(|a, b| b.1.total_cmp(&a.1));
            list.truncate(count);
        }
    }
    Ok(found)
}

/// Returns the best lists of pairs of a row that is asked for and a later one; each pair is in the lists of
/// both.
fn pairs(index: &ItemIndex, count: usize, block: usize, asked: Range<usize>) -> TopK {
    let (chunks, number) = (index.chunks, index.len());
    let mut lists = Lists::new(number, count);
    let mut out: [Vec<f32>; TOGETHER] = Default::default();
    let end = asked.end;
    for first in asked.step_by(TOGETHER) {
        let row = |at: usize| &index.rows[(first + at).min(number - 1) * chunks..][..chunks];
        let asking = std::array::from_fn(row);
        for start in (first..number).step_by(block) {
            let rows = &index.rows[start * chunks..(start + block).min(number) * chunks];
            scores(asking, rows, chunks, &mut out);
            for (asked, scores) in (first..end).zip(&mut out) {
                let from = (asked + 1).max(start);
                let scores = scores.get_mut(from - start..).unwrap_or_default();
                scores.iter_mut().for_each(|score| *score += 0.0);
                merge(from as u32, scores, count, &mut lists.best[asked]);
                lists.add(asked as u32, from, scores);
            }
        }
    }
    lists.best
}

/// The lists of all rows, and the scores that others must exceed to enter them.
struct Lists {
    best: TopK,
    least: Vec<f32>,
    count: usize,
}

impl Lists {
    fn new(rows: usize, count: usize) -> Self {
        Self { best: vec![Vec::new(); rows], least: vec![least_of(&[], count); rows], count }
    }

    /// Inserts a row into the lists of others, from this one on, with which it has these scores.
    fn add(&mut self, row: u32, from: usize, scores: &[f32]) {
        let least = self.least[from..].chunks_mut(COMPARED);
        let blocks = scores.chunks(COMPARED).zip(least).zip(self.best[from..].chunks_mut(COMPARED));
        for ((scores, least), lists) in blocks {
            if !scores.iter().zip(&*least).fold(false, |any, (score, least)| any | (score > least)) {
                continue;
            }
            for ((&score, least), list) in scores.iter().zip(least).zip(lists) {
                if score > *least {
                    *least = insert(list, self.count, (row, score));
                }
            }
        }
    }
}
