//! `pool add` and `pool cancel`: access to a pool through its folder, from another process.

use raddle_cli::{Error, ExitStatus, Life};
use serde_json::json;

use super::folder::{here, holds_run, is_program, known, opened, profiles, queue, unread};
use super::jobs::Around;
use super::pool_options::{AddOptions, CancelOptions};
use super::pool_tables::{promised, reason};
use crate::pool::{Event, EventKind, Request};

/// Submits a job to a pool.
pub(crate) fn add(options: &AddOptions) -> Result<ExitStatus, Error> {
    let folder = &options.pool;
    let mut opened = opened(folder)?;
    let queue = queue(folder)?;
    let known = known(&opened, &queue, folder)?;
    let around = Around {
        settings: &opened.head.settings,
        known: &known,
        profiles: &profiles(options.profiles.as_deref())?,
        folder: &here()?,
        is_program: &is_program,
        holds_run: &holds_run,
    };
    let request = around.one(&options.job, options.line.clone()).map_err(Error::usage)?;
    // The answer that the pool would give now, after the jobs in its queue.
    let pool = &mut opened.replay.pool;
    let submitted = known.into_iter().filter(|request| pool.fit(&request.name).is_none());
    let submitted = submitted.chain([request.clone()]).collect();
    pool.apply(&Event { at: pool.now(), what: EventKind::Submitted(submitted) });
    let fit = pool.fit(&request.name);
    if let Some(why) = fit.and_then(reason) {
        return Err(Error::usage(format!("job {}: {why}", request.name)));
    }
    queue.submit(&request).map_err(|why| unread(folder, &why))?;
    let promise = fit.and_then(promised);
    let name = &request.name;
    let mut text = format!("{name} is in the queue of {}", folder.display());
    if let Some(by) = promise {
        text += &format!(", and ends by {by:.1} s as the pool stands");
    }
    options.use_options.say(&text, &json!({ "job": name, "promised": promise }))?;
    note_if_asleep(options.use_options, folder);
    Ok(ExitStatus::Done)
}

/// Cancels a job of a pool.
pub(crate) fn cancel(options: &CancelOptions) -> Result<ExitStatus, Error> {
    let CancelOptions { pool: folder, job, use_options } = options;
    let opened = opened(folder)?;
    let queue = queue(folder)?;
    let known = known(&opened, &queue, folder)?;
    if !known.iter().any(|request| request.name == *job) {
        let names: Vec<&str> = known.iter().map(|Request { name, .. }| name.as_str()).collect();
        let names = names.join(", ");
        return Err(Error::usage(format!("{job}: no job of this pool: its jobs are {names}")));
    }
    if opened.replay.pool.fit(job).is_some_and(|fit| fit.is_over()) {
        return Err(Error::usage(format!("{job}: it is over: nothing is left to cancel")));
    }
    queue.cancel(job).map_err(|why| unread(folder, &why))?;
    use_options.say(&format!("{job} is to be cancelled"), &json!({ "job": job }))?;
    note_if_asleep(*use_options, folder);
    Ok(ExitStatus::Done)
}

fn note_if_asleep(options: raddle_cli::UseOptions, folder: &std::path::Path) {
    if Life::of(folder) == Life::Gone {
        options
            .note(&format!("the pool is not running: resume it with `pool run --out {}`", folder.display()));
    }
}
