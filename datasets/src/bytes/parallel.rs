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
    let stop = AtomicBool::new(false);
    let work = |thread: usize| {
        let (mut scratch, mut done, mut collection) = (Vec::new(), Vec::new(), collect(thread));
        while !stop.load(Ordering::Relaxed) {
            let parse = |text: &[u8]| parse(&mut collection, text);
            let Some((number, Some(parsed))) = next(&supply, usize::MAX, &mut scratch, source, parse) else {
                break;
            };
            stop.fetch_or(parsed.is_err(), Ordering::Relaxed);
            done.push((number, parsed));
        }
        (done, collection)
    };
    let work = &work;
    let tasks = (0..threads.max(1)).map(|thread| move || work(thread)).collect();
    let (done, collections): (Vec<_>, Vec<_>) = on_threads(tasks).into_iter().unzip();
    let mut done: Vec<_> = done.into_iter().flatten().collect();
    done.sort_unstable_by_key(|&(number, _)| number);

    let mut line = first_line;
    let mut values = Vec::with_capacity(done.len());
    for (_, parsed) in done {
        let (value, lines) =
            parsed.map_err(|(at, message)| ReadError::at(&source.path, line + at, message))?;
        values.push(value);
        line += lines;
    }
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
    let (mut line, threads, mut is_over) = (first_line, threads.max(1), false);
    for batch in 1.. {
        let last = batch * threads * 2;
        let work = || {
            let (mut scratch, mut done) = (Vec::new(), Vec::new());
            while let Some((number, parsed)) = next(&supply, last, &mut scratch, source, &parse) {
                let ends = !matches!(parsed, Some(Ok(_)));
                done.push((number, parsed));
                if ends {
                    break;
                }
            }
            done
        };
        let work = &work;
        let tasks = (0..threads).map(|_| work).collect();
        let mut done: Vec<_> = on_threads(tasks).into_iter().flatten().collect();
        done.sort_unstable_by_key(|&(number, _)| number);
        for (_, parsed) in done {
            let Some(parsed) = parsed else {
                is_over = true;
                continue;
            };
            let (value, lines) =
                parsed.map_err(|(at, message)| ReadError::at(&source.path, line + at, message))?;
            if !take(value)? {
                return Ok(());
            }
            line += lines;
        }
        if is_over {
            break;
        }
    }
    Ok(())
}

/// Takes the next block of the supply, which counts those taken, and parses it; returns its number, and
/// `None` for the end of the text. `None` if `last` blocks were taken.
fn next<T>(
    supply: &Mutex<(usize, Blocks<'_>)>,
    last: usize,
    scratch: &mut Vec<u8>,
    source: &Source,
    parse: impl FnOnce(&[u8]) -> Parsed<T>,
) -> Option<(usize, Option<Parsed<T>>)> {
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
