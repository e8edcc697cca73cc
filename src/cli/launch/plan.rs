//! [`LaunchPlan`]: the program that is launched, and the folder that it writes to.

use std::path::{Path, PathBuf};

use super::options::Launch;
use super::program;
use crate::exit::Error;
use crate::options::{earlier, was_begun};
use crate::run_folder::folder::Earlier;

/// The program that is launched, and the folder that it writes to.
pub(super) struct LaunchPlan {
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<String>,
    pub(super) out: Option<PathBuf>,
    pub(super) resume: Option<PathBuf>,
    pub(super) earlier: Earlier,
}

impl LaunchPlan {
    pub(super) fn of(options: &Launch) -> Result<Self, Error> {
        let mut line = options.line.clone();
        if let Some(run) = options.resume_or_begin.as_deref()
            && program::value(&line, "--out").is_none()
        {
            line.extend(["--out".to_owned(), run.display().to_string()]);
        }
        if let Some(run) = options.resume.as_deref().or(options.resume_or_begin.as_deref()) {
            if line.is_empty() {
                line.push(program::begun(run)?);
            }
            let given = program::value(&line, "--resume");
            if given.is_some_and(|given| Path::new(given) != run) {
                let why = "give the run to continue once, before the -- or after it";
                return Err(Error::usage(format!("--resume {}: {why}", run.display())));
            }
            // One line starts a run and continues it: if no run was started in the folder, as when a launcher
            // died early, the line starts it.
            let out = program::value(&line, "--out").map(Path::new);
            let begins = !was_begun(run) && out.is_some_and(|out| absolute(out) == absolute(run));
            if given.is_none() && !begins {
                line.extend(["--resume".to_owned(), run.display().to_string()]);
            }
        }
        let (name, arguments) = line.split_first().ok_or_else(|| Error::usage("name a program after --"))?;
        program::check(arguments)?;
        let resume = program::value(arguments, "--resume").map(PathBuf::from);
        let out = program::value(arguments, "--out").map(PathBuf::from).or_else(|| resume.clone());
        if let Some(run) = resume.as_deref().filter(|run| !was_begun(run)) {
            return Err(program::nothing_begun(run));
        }
        let force = arguments.iter().any(|word| word == "--force");
        let earlier = earlier(resume.as_deref(), out.as_deref(), force);
        Ok(Self { program: program::find(name)?, arguments: arguments.to_vec(), out, resume, earlier })
    }

    /// Refuses lines whose run cannot be held, and those that need processes of the launcher's own.
    pub(super) fn check(&self, options: &Launch) -> Result<(), Error> {
        if options.held {
            self.check_held(options.processes)?;
        }
        if options.processes == 0 && program::is_given(&self.arguments, "--changes") {
            let why =
                "versions of the data need processes of the launcher's own: give --processes 1, or more";
            return Err(Error::usage(format!("--processes 0: {why}")));
        }
        Ok(())
    }

    /// Refuses lines whose run cannot be held.
    fn check_held(&self, processes: usize) -> Result<(), Error> {
        let why = if processes != 1 {
            "a held run is one process, whose workers its holder sets: leave out --processes"
        } else if self.out.is_none() {
            "its holder finds a run by its folder: give PROGRAM --out"
        } else if program::is_given(&self.arguments, "--rescale") {
            "the holder of the run sets its workers: leave out --rescale"
        } else {
            return Ok(());
        };
        Err(Error::usage(format!("--held: {why}")))
    }
}

/// Returns a form of a path that is equal for two paths to the same place, even if nothing is there yet.
fn absolute(path: &Path) -> PathBuf {
    // A path that has no absolute form is compared as it is.
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
