//! `pool profile`: profiles of finished runs, and of the jobs of pools.

use std::fs;
use std::path::Path;

use raddle_cli::{Error, ExitStatus};
use serde_json::Value;

use super::folder::refuse;
use super::pool_options::ProfileOptions;
use crate::policy::{Profile, Profiles};
use crate::pool::journal::Journal;
use crate::pool::{End, Phase, Pool};

/// Prints the profiles of finished runs, and of the jobs of pools.
pub(crate) fn profile(options: &ProfileOptions) -> Result<ExitStatus, Error> {
    let mut jobs = Vec::new();
    for folder in &options.runs {
        match Journal::read(folder).map_err(refuse)? {
            Some(opened) => jobs.extend(of_pool(folder, &opened.replay.pool)?),
            None => jobs.push(of_run(folder)?),
        }
    }
    for (at, job) in jobs.iter().enumerate() {
        if jobs[..at].iter().any(|other| other.name == job.name) {
            let why = format!("two runs have the name {}: profile them apart, and change a name", job.name);
            return Err(Error::usage(why));
        }
    }
    let text = jobs.iter().map(text).collect::<Result<Vec<String>, Error>>()?.join("\n");
    options.use_options.say(text.trim_end(), &Profiles { jobs })?;
    Ok(ExitStatus::Done)
}

/// Profiles of the finished jobs of a pool, by its clock.
pub(super) fn of_pool(folder: &Path, pool: &Pool) -> Result<Vec<Profile>, Error> {
    let done = pool.fits().iter().filter(|fit| matches!(fit.phase, Phase::Over(End::Done { .. })));
    let jobs: Vec<Profile> = done
        .map(|fit| Profile::new(fit.name().into(), fit.epoch as f64, fit.measured()))
        .filter(|job| !job.speeds.is_empty())
        .collect();
    match jobs.is_empty() {
        true => Err(Error::input(format!(
            "{}: no job of this pool is done that told its epochs: profile it when one is",
            folder.display()
        ))),
        false => Ok(jobs),
    }
}

/// Profile of a finished run.
pub(super) fn of_run(run: &Path) -> Result<Profile, Error> {
    let path = run.join("report.json");
    let no_run = |why: String| Error::input(format!("{}: {why}", path.display()));
    let text = fs::read(&path)
        .map_err(|why| no_run(format!("{why}: give the --out folder of a run that has ended")))?;
    let report: Value =
        serde_json::from_slice(&text).map_err(|why| no_run(format!("no report of a run ({why})")))?;
    let number = |path: &[&str]| path.iter().fold(&report, |value, name| &value[*name]).as_f64();
    let by_workers = report["profile"].as_object().into_iter().flatten();
    let speed = |(workers, of): (&String, &Value)| {
        let seconds = of["seconds_per_epoch"].as_f64().filter(|seconds| *seconds > 0.0)?;
        Some((workers.parse().ok()?, 1.0 / seconds))
    };
    let mut speeds: Vec<(u32, f64)> = by_workers.filter_map(speed).collect();
    speeds.sort_by_key(|(workers, _)| *workers);
    let name = run.file_name().map_or_else(|| "run".into(), |name| name.to_string_lossy().into_owned());
    let start = [["seconds", "read"], ["seconds", "prepare"]].iter().filter_map(|path| number(path)).sum();
    let profile = Profile { start, ..Profile::new(name, number(&["epochs"]).unwrap_or(0.0), speeds) };
    if profile.speeds.is_empty() || profile.epochs <= 0.0 {
        return Err(no_run("it tells no seconds of an epoch: give a run of one epoch or more".into()));
    }
    Ok(profile)
}

/// A profile as TOML. JSON strings are valid in TOML, too.
pub(super) fn text(profile: &Profile) -> Result<String, Error> {
    let name = serde_json::to_string(&profile.name).map_err(Error::failed)?;
    let Profile { epochs, start, speeds, .. } = profile;
    let speeds: Vec<String> =
        speeds.iter().map(|(workers, speed)| format!("[{workers}, {speed:?}]")).collect();
    let speeds = speeds.join(", ");
    Ok(format!("[[job]]\nname = {name}\nepochs = {epochs:?}\nstart = {start:?}\nspeeds = [{speeds}]\n"))
}
