//! `pool profile`: finished runs as a job model.

use std::fs;
use std::path::Path;

use raddle::cli::{Error, ExitStatus};
use serde_json::Value;

use super::pool_options::ProfileOptions;
use crate::simulate::profile::{Profile, Profiles};

/// Writes the profiles of finished runs.
pub(crate) fn profile(options: &ProfileOptions) -> Result<ExitStatus, Error> {
    let jobs: Vec<Profile> = options.runs.iter().map(|run| of_run(run)).collect::<Result<_, _>>()?;
    for (at, job) in jobs.iter().enumerate() {
        if jobs[..at].iter().any(|other| other.name == job.name) {
            let why =
                format!("two runs have the folder name {}: profile them apart, and change a name", job.name);
            return Err(Error::usage(why));
        }
    }
    let text = jobs.iter().map(text).collect::<Result<Vec<String>, Error>>()?.join("\n");
    options.use_options.say(text.trim_end(), &Profiles { jobs })?;
    Ok(ExitStatus::Done)
}

/// The profile of a finished run.
pub(super) fn of_run(run: &Path) -> Result<Profile, Error> {
    let path = run.join("report.json");
    let refuse = |why: String| Error::input(format!("{}: {why}", path.display()));
    let text = fs::read(&path)
        .map_err(|why| refuse(format!("{why}: give the --out folder of a run that has ended")))?;
    let report: Value =
        serde_json::from_slice(&text).map_err(|why| refuse(format!("no report of a run ({why})")))?;
    let number = |path: &[&str]| path.iter().fold(&report, |value, name| &value[*name]).as_f64();
    let by_workers = report["profile"].as_object().into_iter().flatten();
    let speed = |(workers, of): (&String, &Value)| {
        let seconds = of["seconds_per_epoch"].as_f64().filter(|seconds| *seconds > 0.0)?;
        Some((workers.parse().ok()?, 1.0 / seconds))
    };
    let mut speeds: Vec<(u32, f64)> = by_workers.filter_map(speed).collect();
    speeds.sort_by_key(|(workers, _)| *workers);
    let profile = Profile {
        name: run.file_name().map_or_else(|| "run".into(), |name| name.to_string_lossy().into_owned()),
        at: 0.0,
        epochs: number(&["epochs"]).unwrap_or(0.0),
        start: [["seconds", "read"], ["seconds", "prepare"]].iter().filter_map(|path| number(path)).sum(),
        speeds,
        least: None,
        most: None,
        requested: None,
        value: None,
        deadline: None,
    };
    if profile.speeds.is_empty() || profile.epochs <= 0.0 {
        return Err(refuse("it tells no seconds of an epoch: give a run of one epoch or more".into()));
    }
    Ok(profile)
}

/// A profile as TOML. Texts of JSON are those of TOML, too.
pub(super) fn text(profile: &Profile) -> Result<String, Error> {
    let name = serde_json::to_string(&profile.name).map_err(Error::failed)?;
    let Profile { epochs, start, speeds, .. } = profile;
    let speeds: Vec<String> =
        speeds.iter().map(|(workers, speed)| format!("[{workers}, {speed:?}]")).collect();
    let speeds = speeds.join(", ");
    Ok(format!("[[job]]\nname = {name}\nepochs = {epochs:?}\nstart = {start:?}\nspeeds = [{speeds}]\n"))
}
