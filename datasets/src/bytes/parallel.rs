//! Parses blocks of lines on several threads, with the same results and errors as one thread from top to
//! bottom.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::bytes::blocks::Blocks;
use crate::bytes::source::Source;
use crate::error::{Flaw, ReadError};

/// The result of one block: its value and its number of lines, or its first flaw.
pub(crate) type Parsed<T> = Result<(T, usize), Flaw>;

/// Calls `take` with each line of a block that is not blank, without the blanks around it; returns the number
/// of lines.
#[inline(always)]
pub(crate) fn each_line(
    text: &[u8],
    mut take: impl FnMut(&[u8]) -> Result<(), String>,
) -> Result<usize, Flaw> {
    let mut lines = 0;
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let line = line.trim_ascii();
        if !line.is_empty() {
            take(line).map_err(|why| (lines, why))?;
        }
        lines += 1;
    }
    Ok(lines)
}

/// Parses all blocks; returns their results in the order of the text.
///
/// `first_line` is the number of the first block's first line, from 1. Threads take blocks from a shared
/// supply, so that one decompresses the next block while others parse. Blocks are taken in order: when one
/// fails, all earlier ones were taken, so the first flaw of the text is known.
pub(crate) fn parse<T: Send>(
    source: &Source,
    blocks: Blocks<'_>,
    first_line: usize,
    threads: usize,
    parse: impl Fn(&[u8]) -> Parsed<T> + Sync,
) -> Result<Vec<T>, ReadError> {
    let (values, _) = parse_into(source, blocks, first_line, threads, |_| (), |(), text| parse(text))?;
    Ok(values)
}

/// Parses as [`parse`] does, and lets each thread collect something: `collect` makes it from the thread's
/// number, and the collections are returned in the order of these numbers.
pub(crate) fn parse_into<C: Send, T: Send>(
    source: &Source,
    blocks: Blocks<'_>,
    first_line: usize,
    threads: usize,
    collect: impl Fn(usize) -> C + Sync,
    parse: impl Fn(&mut C, &[u8]) -> Parsed<T> + Sync,
) -> Result<(Vec<T>, Vec<C>), ReadError> {
    let supply = Mutex::new((0, blocks));
    let (done, collections) = some(&supply, usize::MAX, source, threads, collect, parse);
    let (mut line, mut values) = (first_line, Vec::with_capacity(done.len()));
    in_order(done, source, &mut line, |value| {
        values.push(value);
        Ok(true)
    })?;
    Ok((values, collections))
}

/// Parses as [`parse`] does, and hands the results to `take` in the order of the text after every few blocks,
/// so that memory holds few of them. Ends when `take` returns `false`.
pub(crate) fn parse_each<T: Send>(
    source: &Source,
    blocks: Blocks<'_>,
    first_line: usize,
    threads: usize,
    parse: impl Fn(&[u8]) -> Parsed<T> + Sync,
    mut take: impl FnMut(T) -> Result<bool, ReadError>,
) -> Result<(), ReadError> {
    let supply = Mutex::new((0, blocks));
    let (mut line, mut last) = (first_line, 0);
    loop {
        last += threads.max(1) * 2;
        let (done, _) = some(&supply, last, source, threads, |_| (), |(), text| parse(text));
        if !in_order(done, source, &mut line, &mut take)? {
            return Ok(());
        }
    }
}

/// A block's number and its result; none for the end of the text.
type Done<T> = (usize, Option<Parsed<T>>);

/// Parses blocks until `last` of the supply were taken, the text ends or one fails.
fn some<C: Send, T: Send>(
    supply: &Mutex<(usize, Blocks<'_>)>,
    last: usize,
    source: &Source,
    threads: usize,
    collect: impl Fn(usize) -> C + Sync,
    parse: impl Fn(&mut C, &[u8]) -> Parsed<T> + Sync,
) -> (Vec<Done<T>>, Vec<C>) {
    let stop = AtomicBool::new(false);
    let work = |thread: usize| {
        let (mut scratch, mut done, mut collection) = (Vec::new(), Vec::new(), collect(thread));
        while !stop.load(Ordering::Relaxed) {
            let parse = |text: &[u8]| parse(&mut collection, text);
            let Some((number, parsed)) = next(supply, last, &mut scratch, source, parse) else { break };
            stop.fetch_or(!matches!(parsed, Some(Ok(_))), Ordering::Relaxed);
            done.push((number, parsed));
        }
        (done, collection)
    };
    let work = &work;
    let tasks = (0..threads.max(1)).map(|thread| move || work(thread)).collect();
    let (done, collections): (Vec<_>, Vec<_>) = on_threads(tasks).into_iter().unzip();
    let mut done: Vec<Done<T>> = done.into_iter().flatten().collect();
    done.sort_unstable_by_key(|&(number, _)| number);
    (done, collections)
}

/// Hands the results to `take` in the order of the text; returns `false` if it ended, or `take` returned
/// that. `line` is the first line of the first block, then the one after the last block.
fn in_order<T>(
    done: Vec<Done<T>>,
    source: &Source,
    line: &mut usize,
    mut take: impl FnMut(T) -> Result<bool, ReadError>,
) -> Result<bool, ReadError> {
    for (_, parsed) in done {
        let Some(parsed) = parsed else { return Ok(false) };
        let (value, lines) =
            parsed.map_err(|(at, message)| ReadError::at(&source.path, *line + at, message))?;
        if !take(value)? {
            return Ok(false);
        }
        *line += lines;
    }
    Ok(true)
}

/// Takes the next block of the supply, which counts those taken, and parses it; returns its number, and
/// `None` for the end of the text. `None` if `last` blocks were taken.
fn next<T>(
    supply: &Mutex<(usize, Blocks<'_>)>,
    last: usize,
    scratch: &mut Vec<u8>,
    source: &Source,
    parse: impl FnOnce(&[u8]) -> Parsed<T>,
) -> Option<Done<T>> {
    let mut taken = supply.lock().ok().filter(|supply| supply.0 < last)?;
    taken.0 += 1;
    let (number, block) = (taken.0, taken.1.next(scratch));
    drop(taken);
    let parsed = match block {
        Ok([]) => None,
        Ok(text) => {
            let parsed = parse(text);
            source.forget(text);
            Some(parsed)
        }
        Err(flaw) => Some(Err(flaw)),
    };
    Some((number, parsed))
}

/// Runs each task on its own thread, the last one on the caller's; returns the results in order.
#[allow(clippy::disallowed_methods, reason = "the one place of threads")]
pub(crate) fn on_threads<T: Send>(tasks: Vec<impl FnOnce() -> T + Send>) -> Vec<T> {
    let mut tasks = tasks;
    let Some(last) = tasks.pop() else { return Vec::new() };
    thread::scope(|scope| {
        let others: Vec<_> = tasks.into_iter().map(|task| scope.spawn(task)).collect();
        let last = last();
        let join = |other: thread::ScopedJoinHandle<'_, T>| match other.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        others.into_iter().map(join).chain([last]).collect()
    })
}
