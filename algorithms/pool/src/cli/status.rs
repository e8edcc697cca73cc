//! `pool status`: jobs that wait, run and are done, once or until the pool ends.

use std::fs;
use std::path::Path;

use raddle_cli::{Error, ExitStatus, Life, Table, count, number, say};
use serde_json::{Value, json};

use super::folder::{opened, queue, unread};
use super::pool_options::StatusOptions;
use super::pool_tables::{jobs, reasons, shown, word};
use crate::live;
use crate::pool::journal::{NAME, Opened};
use crate::pool::{End, Fit, Phase, Pool};

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
        let names: Vec<&str> = queued.iter().map(|request| request.name.as_str()).collect();
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
        let numbers = Numbers::of(pool);
        let line = format!("{life}; {:.1} s, {held} held: {}", pool.now(), numbers.text());
        let is_running = life.starts_with("running");
        Ok(Self {
            text: text(&opened, &names, &line),
            line,
            value: value(pool, (&life, held), &numbers, (ended.as_ref(), &names)),
            ended: (!is_running).then(|| ended.map_or(ExitStatus::Failed, |(_, status)| status)),
        })
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

/// Numbers of jobs.
struct Numbers {
    waiting: usize,
    running: usize,
    done: usize,
    late: usize,
}

impl Numbers {
    fn of(pool: &Pool) -> Self {
        let of = |is: &dyn Fn(&&Fit) -> bool| pool.fits().iter().filter(is).count();
        let is_running = |fit: &&Fit| matches!(fit.phase, Phase::Running { .. } | Phase::Ending);
        Self {
            waiting: of(&|fit| !fit.is_over() && !is_running(fit)),
            running: of(&is_running),
            done: of(&|fit| matches!(fit.phase, Phase::Over(End::Done { .. }))),
            late: of(&|fit| pool.is_late(fit)),
        }
    }

    fn text(&self) -> String {
        let Self { waiting, running, done, late } = self;
        format!("{waiting} waiting, {running} running, {done} done, {late} late")
    }
}

fn text(opened: &Opened, queued: &[&str], line: &str) -> String {
    let pool = &opened.replay.pool;
    let settings = pool.settings();
    let workers = count(u64::from(settings.workers), "worker");
    let mut text = format!("pool of {workers} under {}: {line}\n", settings.policy.name);
    text += &format!("{}{}", table(pool), reasons(pool));
    if !queued.is_empty() {
        text += &format!("in the queue: {}\n", queued.join(", "));
    }
    text + &opened.note.as_ref().map_or(String::new(), |note| format!("note: {note}\n"))
}

/// Table of jobs, a row each. Times are seconds since the pool began.
fn table(pool: &Pool) -> Table {
    let columns =
        ["job", "state", "workers", "epochs", "certificate", "target", "arrived", "ends", "by", "late"];
    let mut table = Table::new("jobs", &columns);
    for fit in pool.fits() {
        let (certificate, target) =
            fit.certificate().map_or((None, None), |(value, target)| (Some(value), target));
        table.row(vec![
            Value::from(fit.name()),
            Value::from(word(fit)),
            Value::from(fit.workers()),
            Value::from(fit.epoch),
            Value::from(certificate.map(number)),
            Value::from(target.map(number)),
            shown(fit.arrived),
            shown(fit.ended.or_else(|| pool.expected(fit))),
            shown(fit.by()),
            Value::from(if pool.is_late(fit) { "late" } else { "" }),
        ]);
    }
    table
}

fn value(
    pool: &Pool,
    (life, held): (&str, u32),
    numbers: &Numbers,
    (ended, queued): (Option<&(String, ExitStatus)>, &[&str]),
) -> Value {
    let mut jobs = jobs(pool);
    for (job, fit) in jobs.iter_mut().zip(pool.fits()) {
        job["certificate"] = json!(fit.certificate().map(|(value, _)| value));
        job["target"] = json!(fit.certificate().and_then(|(_, target)| target));
        job["expected"] = json!(pool.expected(fit));
        job["by"] = json!(fit.by());
        job["late"] = json!(pool.is_late(fit));
    }
    let Numbers { waiting, running, done, late } = numbers;
    json!({
        "life": life,
        "ending": ended.map(|(ending, _)| ending),
        "seconds": pool.now(),
        "workers": pool.settings().workers,
        "held": held,
        "policy": pool.settings().policy.name,
        "numbers": { "waiting": waiting, "running": running, "done": done, "late": late },
        "jobs": jobs,
        "queue": queued,
    })
}
