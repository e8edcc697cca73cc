//! `pool status`: jobs that wait, run and are done, once or until the pool ends.

use std::fs;
use std::path::Path;

use raddle_cli::{Error, ExitStatus, Life, count, say};
use serde_json::{Value, json};

use super::folder::{opened, queue, unread};
use super::pool_options::StatusOptions;
use super::pool_tables::{Numbers, jobs, reasons, table};
use crate::live;
use crate::pool::Fit;
use crate::pool::journal::NAME;

/// Status of a pool, as it is shown.
struct Standing {
    text: String,
    /// The numbers in a line, for output that is read line by line.
    line: String,
    value: Value,
    /// Exit status of a pool that does not run: as it ended, or of a failure.
    ended: Option<ExitStatus>,
}

/// Shows the status of a pool; with `--watch` each change until it ends, and ends with its exit status.
pub(crate) fn status(options: &StatusOptions) -> Result<ExitStatus, Error> {
    let (folder, shows) = (&options.pool, options.use_options);
    let standing = Standing::of(folder)?;
    if !options.watch {
        shows.say(standing.text.trim_end(), &standing.value)?;
        return Ok(ExitStatus::Done);
    }
    let (mut before, mut standing) = (String::new(), standing);
    loop {
        let line = if shows.json { standing.value.to_string() } else { standing.line };
        if line != before {
            say(&line)?;
            before = line;
        }
        if let Some(status) = standing.ended {
            return Ok(status);
        }
        let length = || fs::metadata(folder.join(NAME)).map_or(0, |file| file.len());
        let read = length();
        while length() == read && matches!(Life::of(folder), Life::Alive(_)) {
            live::pause();
        }
        standing = Standing::of(folder)?;
    }
}

impl Standing {
    fn of(folder: &Path) -> Result<Self, Error> {
        let life = Life::of(folder);
        let opened = opened(folder)?;
        let queued = queue(folder)?.submitted().map_err(|why| unread(folder, &why))?;
        let queued: Vec<&str> = queued.iter().map(|request| request.name.as_str()).collect();
        let (pool, place) = (&opened.replay.pool, folder.display());
        let ended = ended(folder).filter(|_| !matches!(life, Life::Alive(_)));
        let life = match (life, &ended) {
            (Life::Alive(Some(process)), _) => format!("running (process {process})"),
            (Life::Alive(None), _) => "running".into(),
            (Life::Gone, _) if pool.is_over() && !pool.is_stopping() => "over".into(),
            (Life::Gone, _) => format!("not running: resume it with `pool run --out {place}`"),
            (Life::Unknown, _) => "perhaps running: it cannot be seen from here".into(),
        };
        let held: u32 = pool.fits().iter().map(Fit::workers).sum();
        let (numbers, settings) = (Numbers::new(pool), pool.settings());
        let line = format!("{life}; {:.1} s, {held} held: {}", pool.now(), numbers.text());
        let workers = count(u64::from(settings.workers), "worker");
        let mut text = format!("pool of {workers} under {}: {line}\n", settings.policy.name);
        text += &format!("{}{}", table(pool), reasons(pool));
        if !queued.is_empty() {
            text += &format!("in the queue: {}\n", queued.join(", "));
        }
        text += &opened.note.as_ref().map_or(String::new(), |note| format!("note: {note}\n"));
        let value = json!({
            "life": life,
            "ending": ended.as_ref().map(|(ending, _)| ending),
            "seconds": pool.now(),
            "workers": settings.workers,
            "held": held,
            "policy": settings.policy.name,
            "numbers": numbers,
            "jobs": jobs(pool),
            "queue": queued,
        });
        let is_running = life.starts_with("running");
        let ended = (!is_running).then(|| ended.map_or(ExitStatus::Failed, |(_, status)| status));
        Ok(Self { text, line, value, ended })
    }
}

/// How a pool ended, in a word, and its exit status, from its `run.json`.
fn ended(folder: &Path) -> Option<(String, ExitStatus)> {
    let begun: Value = serde_json::from_slice(&fs::read(folder.join("run.json")).ok()?).ok()?;
    let status = match begun["ended"]["status"].as_u64()? {
        0 => ExitStatus::Done,
        130 => ExitStatus::Interrupted,
        _ => ExitStatus::Failed,
    };
    Some((begun["ended"]["ending"].as_str()?.to_owned(), status))
}
