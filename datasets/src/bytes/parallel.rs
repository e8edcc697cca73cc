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
        let mut scratch = Vec::new();
        let mut done = Vec::new();
        let mut collection = collect(thread);
        while !stop.load(Ordering::Relaxed) {
            let (number, block) = match supply.lock() {
                Ok(mut supply) => {
                    supply.0 += 1;
                    (supply.0, supply.1.next(&mut scratch))
                }
                Err(_) => break,
            };
            let parsed = match block {
                Ok([]) => break,
                Ok(text) => {
                    let parsed = parse(&mut collection, text);
                    source.forget(text);
                    parsed
                }
                Err(flaw) => Err(flaw),
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
            loop {
                let (number, block) = match supply.lock() {
                    Ok(supply) if supply.0 == last => break,
                    Ok(mut supply) => {
                        supply.0 += 1;
                        (supply.0, supply.1.next(&mut scratch))
                    }
                    Err(_) => break,
                };
                let parsed = match block {
                    Ok([]) => None,
                    Ok(text) => {
                        let parsed = parse(text);
                        source.forget(text);
                        Some(parsed)
                    }
                    Err(flaw) => Some(Err(flaw)),
                };
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
