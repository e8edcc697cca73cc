//! Options that have no effect on a verb, or together with other options: help does not show them, and a line
//! that gives one is refused.

use clap::{Arg, Command};

use super::TrainOptions;
use crate::exit::Error;
use crate::run_folder::begun::{Given, name};

/// Options of rounds that a schedule proposes or draws, by the fields of [`TrainOptions`]. They have no
/// effect if rounds are known an epoch ahead, or are steps of a solver.
pub const ROUND_OPTIONS: [&str; 5] = ["parallelism", "rho", "staleness", "guard", "explain"];

/// Heading of the options that have no effect on a verb, which no help shows.
const IDLE: &str = "Without effect";

/// Takes shared options from a verb on which they have no effect, for clap's `mut_args`: help does not show
/// them, and a line that gives one another value than its default is refused. `names` are fields of
/// [`TrainOptions`], and `with` is the cause in words.
pub fn hide_idle(names: &'static [&'static str], with: &'static str) -> impl FnMut(Arg) -> Arg {
    move |arg| {
        let is_idle = names.contains(&arg.get_id().as_str());
        // Nobody reads the text of such an option: it keeps the cause for `refuse_hidden`.
        if is_idle { arg.hide(true).help_heading(IDLE).help(with) } else { arg }
    }
}

/// Refuses the options of [`hide_idle`] that were given.
pub(super) fn refuse_hidden(verb: &Command, given: &Given) -> Result<(), Error> {
    let is_given = |arg: &&Arg| {
        let default: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
        given.get(&name(arg)).is_some_and(|values| *values != default)
    };
    let idle = verb.get_arguments().filter(|arg| arg.get_help_heading() == Some(IDLE));
    let given: Vec<&Arg> = idle.filter(is_given).collect();
    let Some(with) = given.first().and_then(|arg| arg.get_help()) else { return Ok(()) };
    let names: Vec<String> = given.iter().map(|arg| format!("--{}", name(arg))).collect();
    refuse_without_effect(&names.iter().map(|name| (&**name, true)).collect::<Vec<_>>(), &with.to_string())
}

impl TrainOptions {
    /// Refuses the options `names`, which have no effect on a verb and are hidden in its help; `with` is the
    /// cause in words.
    ///
    /// # Errors
    /// A usage error that names those of the options that were given.
    pub fn refuse_idle(&self, names: &[&str], with: &str) -> Result<(), Error> {
        let given = [
            ("--shards", self.shards.is_some()),
            ("--parallelism", self.parallelism.is_some()),
            ("--rho", self.rho.is_some()),
            ("--staleness", self.staleness > 0),
            ("--guard", !self.guard),
            ("--explain", self.explain),
        ];
        refuse_without_effect(&given.map(|(name, given)| (name, given && names.contains(&&name[2..]))), with)
    }
}

/// Refuses options that were given and would change nothing: `given` holds each option's name and `true` if
/// it was given; `with` is the cause in words.
///
/// ```
/// use raddle_cli::refuse_without_effect;
/// let given = [("--rho", true), ("--guard", false)];
/// let error = refuse_without_effect(&given, "with --schedule cyclic").unwrap_err();
/// assert_eq!(error.to_string(), "--rho has no effect with --schedule cyclic: leave it out");
/// ```
///
/// # Errors
/// A usage error that names all options that were given.
pub fn refuse_without_effect(given: &[(&str, bool)], with: &str) -> Result<(), Error> {
    let names: Vec<&str> = given.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect();
    match names.as_slice() {
        [] => Ok(()),
        [name] => Err(Error::usage(format!("{name} has no effect {with}: leave it out"))),
        [names @ .., last] => {
            let names = names.join(", ");
            Err(Error::usage(format!("{names} and {last} have no effect {with}: leave them out")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_without_effect_are_named_together() {
        refuse_without_effect(&[("--rho", false)], "here").unwrap();
        let given = [("--rho", true), ("--guard", true), ("--explain", false), ("--staleness", true)];
        let error = refuse_without_effect(&given, "here").unwrap_err();
        assert_eq!(error.to_string(), "--rho, --guard and --staleness have no effect here: leave them out");
    }
}
