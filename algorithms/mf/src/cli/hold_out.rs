//! [`HoldOut`]: what `--validation` and `--test` hold out; [`Cold`]: held-out ratings that are not used.

use raddle_cli::{Error, Report, count};

/// Ratings to be held out, as the value of an option names them.
#[derive(Clone, Copy)]
pub(super) struct HoldOut<'a> {
    pub(super) option: &'static str,
    pub(super) rule: HoldOutRule<'a>,
}

/// Choice of the ratings to be held out.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum HoldOutRule<'a> {
    None,
    /// The tenth that comparisons use.
    Split,
    /// A share drawn by hash.
    Share(f64),
    /// The latest, as the text says: their share.
    Latest(&'a str, f64),
    /// The ratings of a file.
    File(&'a str),
}

impl<'a> HoldOut<'a> {
    /// Reads the value of `--validation`.
    pub(super) fn validation(text: &'a str) -> Result<Self, Error> {
        match text.parse() {
            Ok(share) => Ok(Self { option: "--validation", rule: HoldOutRule::Share(share) }),
            Err(_) => Self::named("--validation", text),
        }
    }

    /// Reads the value of `--test`.
    pub(super) fn test(text: &'a str) -> Result<Self, Error> {
        match text {
            "split" => Ok(Self { option: "--test", rule: HoldOutRule::Split }),
            share if share.parse::<f64>().is_ok() => {
                let why = "give split, the latest as in last:0.1, a file, or none";
                Err(Error::usage(format!("--test {share}: {why}")))
            }
            other => Self::named("--test", other),
        }
    }

    fn named(option: &'static str, text: &'a str) -> Result<Self, Error> {
        let is_share = |share: &f64| *share > 0.0 && *share < 1.0;
        let rule = match text.strip_prefix("last:") {
            None if text == "none" => HoldOutRule::None,
            None => HoldOutRule::File(text),
            Some(share) => HoldOutRule::Latest(
                text,
                share.parse().ok().filter(is_share).ok_or_else(|| {
                    let example = format!("as in {option} last:0.1");
                    Error::usage(format!("{option} {text}: give a share above 0 and below 1, {example}"))
                })?,
            ),
        };
        Ok(Self { option, rule })
    }

    /// Returns `true` unless nothing is held out.
    pub(super) fn is_given(self) -> bool {
        self.rule != HoldOutRule::None
    }

    /// Returns the file, if the ratings are in one of their own.
    pub(super) fn file(self) -> Option<&'a str> {
        if let HoldOutRule::File(file) = self.rule { Some(file) } else { None }
    }

    /// Returns `true` if the ratings are held out by time.
    pub(super) fn is_latest(self) -> bool {
        matches!(self.rule, HoldOutRule::Latest(..))
    }
}

/// Numbers of ratings to hold out whose user or item has no training rating, so that nothing was learned for
/// them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cold {
    pub(super) test: Option<usize>,
    pub(super) validation: Option<usize>,
    /// Number of these that are in files of their own, and so no records of the data.
    pub(super) in_files: usize,
}

impl Cold {
    /// Notes for the screen.
    pub(super) fn notes(self) -> String {
        let note = |(held, cold): (&str, Option<usize>)| {
            let cold = cold.filter(|cold| *cold > 0)?;
            let of = "left out, as no rating to train on has their user or item";
            Some(format!("{held}: {} {of}\n", count(cold as u64, "rating")))
        };
        [("test", self.test), ("validation", self.validation)].into_iter().filter_map(note).collect()
    }

    /// Adds the entries for cold ratings to the report.
    pub(super) fn report(self, mut report: Report) -> Report {
        let held = [("test_cold", self.test), ("validation_cold", self.validation)];
        let all: usize = held.iter().filter_map(|(_, cold)| *cold).sum();
        let of_data = all.saturating_sub(self.in_files) as u64;
        report.records.leave_out("user or item that no rating to train on has", of_data);
        for (name, cold) in held {
            if let Some(cold) = cold {
                report = report.result(name, cold as u64);
            }
        }
        report
    }
}
