//! Jobs of a file, or of the command line of `pool add`, checked against each other and the pool.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Deserialize;
use toml::Spanned;

use super::duration::Seconds;
use super::job_line::{JobLine, words};
use crate::policy::{Profile, Unfit};
use crate::pool::{Request, Settings};

/// A file of jobs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    job: Vec<Spanned<Given>>,
}

/// A job as a user gives it: a `[[job]]` of a file, or the options of `pool add`.
#[derive(Debug, Clone, Args, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Given {
    /// The command line, in a file.
    #[arg(skip)]
    run: String,
    /// Name of the job. Default: the name of its --out folder.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Time of arrival, in a file.
    #[arg(skip)]
    at: Option<Seconds>,
    /// Value of the job, if it ends by its --deadline. Default: 1.
    #[arg(long, value_name = "X")]
    value: Option<f64>,
    /// Time in which the job must finish, counted from now. Give seconds, or such as 90s, 20m or 1h30m; a
    /// later end has no value.
    #[arg(long, value_name = "TIME")]
    deadline: Option<Seconds>,
    /// Minimum number of workers. Default: 1.
    #[arg(long, value_name = "N")]
    least: Option<u32>,
    /// Maximum number of workers. Default: all workers of the pool.
    #[arg(long, value_name = "N")]
    most: Option<u32>,
    /// Jobs that must end first, separated by commas. They must end with status 0 or 3.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    #[serde(default)]
    after: Vec<String>,
}

/// The pool and the file system that jobs are checked against.
pub(super) struct Around<'a> {
    pub(super) settings: &'a Settings,
    /// Jobs of the pool.
    pub(super) known: &'a [Request],
    pub(super) profiles: &'a [Profile],
    /// The folder in which jobs are started.
    pub(super) folder: &'a Path,
    /// `true` if a program can be found.
    pub(super) is_program: &'a dyn Fn(&str) -> bool,
    /// `true` if a folder holds a run.
    pub(super) holds_run: &'a dyn Fn(&Path) -> bool,
}

impl Around<'_> {
    /// Jobs of a file, in order. An error names the line.
    pub(super) fn of_file(&self, path: &Path, text: &str) -> Result<Vec<Request>, String> {
        let refuse = |at: usize, why: &str| {
            let before = &text.as_bytes()[..at.min(text.len())];
            let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
            format!("{}:{line}: {why}", path.display())
        };
        let file: File = toml::from_str(text)
            .map_err(|why| refuse(why.span().map_or(0, |span| span.start), why.message().trim()))?;
        if file.job.is_empty() {
            return Err(refuse(
                0,
                "it has no job: write [[job]], and `run = \"mf fit ratings.csv --out mf\"` below",
            ));
        }
        let mut requests: Vec<Request> = Vec::new();
        let mut places = Vec::new();
        for given in &file.job {
            let at = given.span().start;
            let request = words(&given.get_ref().run)
                .and_then(|words| self.of_given(given.get_ref(), words))
                .and_then(|request| self.check_beside(&request, &requests).map(|()| request));
            requests.push(request.map_err(|why| refuse(at, &why))?);
            places.push(at);
        }
        self.check_after(&requests).map_err(|(at, why)| refuse(places[at], &why))?;
        Ok(requests)
    }

    /// A single job, whose command line is `words`.
    pub(super) fn one(&self, given: &Given, words: Vec<String>) -> Result<Request, String> {
        let request = self.of_given(given, words)?;
        self.check_beside(&request, &[])?;
        self.check_after(std::slice::from_ref(&request)).map_err(|(_, why)| why)?;
        Ok(request)
    }

    fn of_given(&self, given: &Given, words: Vec<String>) -> Result<Request, String> {
        let whose = given.name.clone().unwrap_or_else(|| format!("`{}`", words.join(" ")));
        let line = JobLine::of(words, self.is_program).map_err(|why| format!("job {whose}: {why}"))?;
        let last = |path: &PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = given.name.clone().or(line.out.as_ref().and_then(last)).filter(|name| !name.is_empty());
        let name =
            name.ok_or_else(|| format!("job {whose}: it has no --out: give it a name, as `name = \"cv\"`"))?;
        let request = Request {
            command: line.command,
            folder: self.folder.into(),
            out: line.out,
            at: given.at.map_or(0.0, |Seconds(at)| at),
            value: given.value,
            deadline: given.deadline.map(|Seconds(deadline)| deadline),
            least: given.least.unwrap_or(1),
            most: given.most.unwrap_or(self.settings.workers),
            elastic: line.is_held,
            after: given.after.clone(),
            epochs: line.epochs,
            profile: self.profiles.iter().find(|profile| profile.name == name).cloned(),
            ..Request::new(&name, &[], 1)
        };
        self.check(&request).map_err(|why| format!("job {name}: {why}"))?;
        Ok(request)
    }

    /// Checks the fields of a job.
    fn check(&self, request: &Request) -> Result<(), String> {
        let Request { least, most, value, deadline, .. } = request;
        let workers = self.settings.workers;
        if *least == 0 || *most == 0 {
            return Err(format!("least {least}, most {most}: a job needs at least one worker"));
        }
        if least > most {
            return Err(format!("least {least} is above most {most}: lower `least` or raise `most`"));
        }
        if *most > workers {
            return Err(format!(
                "most {most} is above the {workers} workers of the pool: lower it, or raise --workers"
            ));
        }
        if let Some(value) = value.filter(|value| !(*value >= 0.0 && value.is_finite())) {
            return Err(format!("value {value}: choose a number, 0 or more"));
        }
        if *deadline == Some(0.0) {
            return Err(
                "its deadline is past at its arrival: give it some time, as in `deadline = \"20m\"`".into()
            );
        }
        if self.settings.is_counted() && !request.elastic {
            return Err(
                "it cannot be held, and has no counted cost: leave out --clock counted, or this job".into()
            );
        }
        if self.settings.policy.name != "pdors" {
            return Ok(());
        }
        if deadline.is_some() && value.is_none() || value.is_some_and(|value| value <= 0.0) {
            return Err(Unfit::NoValue.to_string());
        }
        if request.profile.is_none() {
            return Err(format!("{}, with --profiles", Unfit::UnknownLength));
        }
        Ok(())
    }

    /// Checks a job against others, and that its folder has no run.
    fn check_beside(&self, request: &Request, others: &[Request]) -> Result<(), String> {
        let place = |request: &Request| request.out.as_ref().map(|out| request.folder.join(out));
        for other in self.known.iter().chain(others) {
            if other.name == request.name {
                return Err(format!(
                    "job {}: there is another of this name: give one a `name` of its own",
                    request.name
                ));
            }
            if place(request).is_some() && place(other) == place(request) {
                return Err(format!(
                    "job {}: job {} has the same --out: name another folder",
                    request.name, other.name
                ));
            }
        }
        match place(request).filter(|place| (self.holds_run)(place)) {
            Some(place) => Err(format!(
                "job {}: --out {} holds a run already: name another folder, or remove it",
                request.name,
                place.display()
            )),
            None => Ok(()),
        }
    }

    /// Checks that jobs come after existing ones, without cycles. An error has the position of the job.
    fn check_after(&self, requests: &[Request]) -> Result<(), (usize, String)> {
        let numbers: BTreeMap<&str, usize> =
            requests.iter().enumerate().map(|(at, request)| (request.name.as_str(), at)).collect();
        for (at, request) in requests.iter().enumerate() {
            let is_known = |name: &&String| {
                numbers.contains_key(name.as_str()) || self.known.iter().any(|known| known.name == **name)
            };
            if let Some(name) = request.after.iter().find(|name| !is_known(name)) {
                let mut names: Vec<&str> =
                    numbers.keys().copied().filter(|name| *name != request.name).collect();
                names.extend(self.known.iter().map(|known| known.name.as_str()));
                let names = if names.is_empty() { "none".into() } else { names.join(", ") };
                return Err((
                    at,
                    format!("job {}: after `{name}`: there is no such job: others are {names}", request.name),
                ));
            }
        }
        // Topological sort: jobs that come after none of those left are removed, until none can be.
        let mut left: Vec<usize> = (0..requests.len()).collect();
        loop {
            let waits = |at: &usize| {
                let mut before = requests[*at].after.iter().filter_map(|name| numbers.get(name.as_str()));
                before.any(|before| left.contains(before))
            };
            let next: Vec<usize> = left.iter().copied().filter(waits).collect();
            if next.len() == left.len() {
                break;
            }
            left = next;
        }
        match left.first() {
            Some(&at) => {
                let names: Vec<&str> = left.iter().map(|&at| requests[at].name.as_str()).collect();
                let names = names.join(", ");
                Err((
                    at,
                    format!(
                        "job {}: `after` forms a cycle among {names}: remove a name from one of them",
                        requests[at].name
                    ),
                ))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, policy: &str) -> Result<Vec<Request>, String> {
        let profile = r#"{"name": "known", "epochs": 9, "speeds": [[1, 1.0]]}"#;
        let around = Around {
            settings: &Settings::new(8, policy),
            known: &[Request { out: Some("old".into()), ..Request::new("old", &[], 1) }],
            profiles: &[serde_json::from_str(profile).unwrap()],
            folder: Path::new(""),
            is_program: &|name| ["mf", "lasso", "sleep"].contains(&name),
            holds_run: &|path| path == Path::new("full"),
        };
        around.of_file(Path::new("jobs.toml"), text)
    }

    #[test]
    fn all_keys_are_read_and_a_name_is_that_of_the_folder() {
        let text = "[[job]]\nrun = \"mf fit r.csv --epochs 30 --out runs/mf64\"\nat = \"90s\"\nvalue = 5\n\
                    deadline = \"20m\"\nleast = 2\nmost = 4\n\n[[job]]\nname = \"nap\"\nrun = \"sleep 5\"\nat = 3\n\
                    after = [\"mf64\", \"old\"]\n";
        let [mf, nap] = read(text, "drf").unwrap().try_into().unwrap();
        assert_eq!((mf.name.as_str(), mf.at, mf.value, mf.deadline), ("mf64", 90.0, Some(5.0), Some(1200.0)));
        assert_eq!((mf.least, mf.most, mf.elastic, mf.epochs), (2, 4, true, Some(30)));
        assert_eq!((nap.name.as_str(), nap.at, nap.elastic, nap.most), ("nap", 3.0, false, 8));
        assert_eq!(nap.after, ["mf64", "old"]);
        let known = read("[[job]]\nrun = \"mf --out known\"\nvalue = 2\ndeadline = 60", "pdors").unwrap();
        assert_eq!(known[0].profile.as_ref().map(|profile| profile.epochs), Some(9.0));
    }

    #[test]
    fn each_fault_names_file_line_and_job_and_says_what_to_do() {
        let job = |rest: &str| format!("[[job]]\nrun = \"mf fit a --out a\"\n{rest}\n");
        let two = |rest: &str| format!("{}[[job]]\n{rest}\n", job(""));
        for (text, policy, words) in [
            ("".to_owned(), "drf", vec!["jobs.toml:1:", "no job"]),
            (job("atx = 3"), "drf", vec!["jobs.toml:3:", "atx"]),
            (job("at = \"soon\""), "drf", vec!["jobs.toml:3:", "`soon` is no duration"]),
            (job("at = -3"), "drf", vec!["jobs.toml:3:", "is no duration"]),
            (job("at = ["), "drf", vec!["jobs.toml:"]),
            ("[[job]]\nat = 3".to_owned(), "drf", vec!["jobs.toml:1:", "run"]),
            (two("run = \"mff --out b\""), "drf", vec!["jobs.toml:4:", "no program `mff`"]),
            (two("run = \"mf --out a\""), "drf", vec!["jobs.toml:4:", "another of this name"]),
            (two("run = \"mf --out a\"\nname = \"b\""), "drf", vec!["job b", "job a has the same --out"]),
            (two("run = \"mf --out old\"\nname = \"b\""), "drf", vec!["job old has the same --out"]),
            (two("run = \"mf --out full\""), "drf", vec!["job full", "holds a run already"]),
            (two("run = \"mf fit b\""), "drf", vec!["jobs.toml:4:", "no --out"]),
            (two("run = \"sleep 5\""), "drf", vec!["give it a name"]),
            (two("run = \"mf --out b --force\""), "drf", vec!["--force"]),
            (two("run = \"mf --out b --resume b\""), "drf", vec!["--resume"]),
            (two("run = \"mf --out b --workers 2\""), "drf", vec!["--workers"]),
            (
                two("run = \"mf --out b\"\nafter = [\"c\"]"),
                "drf",
                vec!["jobs.toml:4:", "no such job: others are a, old"],
            ),
            (job("after = [\"a\"]"), "drf", vec!["jobs.toml:1:", "cycle among a"]),
            (
                format!("{}[[job]]\nrun = \"mf --out b\"\nafter = [\"a\"]", job("after = [\"b\"]")),
                "drf",
                vec!["cycle among a, b"],
            ),
            (job("least = 3\nmost = 2"), "drf", vec!["job a", "least 3 is above most 2"]),
            (job("most = 9"), "drf", vec!["most 9 is above the 8 workers"]),
            (job("least = 0"), "drf", vec!["at least one worker"]),
            (job("value = -1"), "drf", vec!["value -1"]),
            (job("deadline = 0"), "drf", vec!["deadline is past"]),
            (job("deadline = 5"), "pdors", vec!["has no value", "`value = 5`"]),
            (job("value = 5"), "pdors", vec!["its length is unknown", "pool profile RUN", "--profiles"]),
        ] {
            let error = read(&text, policy).unwrap_err();
            assert!(words.iter().all(|word| error.contains(word)), "{text}\n{error}\n{words:?}");
        }
    }

    #[test]
    fn what_cannot_be_held_has_no_counted_cost() {
        let around = Around {
            settings: &Settings::new(8, "drf").counted(),
            known: &[],
            profiles: &[],
            folder: Path::new(""),
            is_program: &|_| true,
            holds_run: &|_| false,
        };
        let text = "[[job]]\nname = \"nap\"\nrun = \"sleep 5\"";
        assert!(around.of_file(Path::new("j.toml"), text).unwrap_err().contains("leave out --clock counted"));
    }
}
