//! `pool add`, `pool status` and `pool cancel`: access to a pool through its folder, from another process.

use raddle_cli::{Error, ExitStatus, Life, count};
use serde_json::json;

use super::duration;
use super::folder::{here, holds_run, is_program, known, opened, profiles, queue, unread};
use super::jobs::{Around, Given};
use super::pool_options::{AddOptions, CancelOptions, StatusOptions};
use super::pool_tables::{jobs, promised, reason, reasons, table};
use crate::pool::{Event, EventKind, Request};

/// Submits a job to a pool.
pub(crate) fn add(options: &AddOptions) -> Result<ExitStatus, Error> {
    let folder = &options.pool;
    let mut opened = opened(folder)?;
    let queue = queue(folder)?;
    let given = Given {
        run: options.line.join(" "),
        name: options.name.clone(),
        at: None,
        value: options.value,
        deadline: options.deadline.map(duration::Seconds),
        least: options.least,
        most: options.most,
        after: options.after.clone(),
    };
    let known = known(&opened, &queue, folder)?;
    let around = Around {
        settings: &opened.head.settings,
        known: &known,
        profiles: &profiles(options.profiles.as_deref())?,
        folder: &here()?,
        is_program: &is_program,
        holds_run: &holds_run,
    };
    let request = around.one(&given, options.line.clone()).map_err(Error::usage)?;
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

/// Shows the status of a pool.
pub(crate) fn status(options: &StatusOptions) -> Result<ExitStatus, Error> {
    let folder = &options.pool;
    let opened = opened(folder)?;
    let pool = &opened.replay.pool;
    let waiting = queue(folder)?.submitted().map_err(|why| unread(folder, &why))?;
    let life = match Life::of(folder) {
        Life::Alive(Some(process)) => format!("running (process {process})"),
        Life::Alive(None) => "running".into(),
        Life::Gone if pool.is_over() => "over".into(),
        Life::Gone => format!("not running: resume it with `pool run --out {}`", folder.display()),
        Life::Unknown => "perhaps running: it cannot be seen from here".into(),
    };
    let held: u32 = pool.fits().iter().map(|fit| fit.workers()).sum();
    let settings = pool.settings();
    let mut text = format!(
        "pool of {} under {}: {life}; {:.1} s, {held} held\n{}{}",
        count(u64::from(settings.workers), "worker"),
        settings.policy.name,
        pool.now(),
        table(pool),
        reasons(pool)
    );
    let names: Vec<&str> = waiting.iter().map(|request| request.name.as_str()).collect();
    if !names.is_empty() {
        text += &format!("in the queue: {}\n", names.join(", "));
    }
    if let Some(note) = &opened.note {
        text += &format!("note: {note}\n");
    }
    let value = json!({
        "life": life,
        "seconds": pool.now(),
        "workers": settings.workers,
        "held": held,
        "policy": settings.policy.name,
        "jobs": jobs(pool),
        "queue": names,
    });
    options.use_options.say(text.trim_end(), &value)?;
    Ok(ExitStatus::Done)
}
