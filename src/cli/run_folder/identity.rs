//! [`identity`]: the text that ties a checkpoint to a run.

use std::path::Path;

use raddle::command_line_support::digest_of;
use serde::Serialize;
use serde_json::Value;

use super::resume::Free;
use crate::exit::Error;

/// Returns a run's [`identity`](raddle::Engine::identity): its whole request, except what never changes its
/// model.
///
/// `options` are all options of the verb, as the report has them: an option that is added belongs to the
/// identity unless its program declares it [`Free`]. `read` has the digests of files that options name and
/// that were read, `data` at least, as (option, digest): they replace the values of these options. If any
/// other option names a file, the digest of the file is added.
///
/// ```
/// use raddle_cli::{Free, identity};
///
/// #[derive(serde::Serialize)]
/// struct Fit { data: String, rank: u32, target: Option<f64>, quiet: bool }
///
/// let fit = Fit { data: "ratings.csv".into(), rank: 32, target: Some(0.9), quiet: true };
/// let free = Free { neutral: &["target"], limits: &[] };
/// assert_eq!(identity("mf", &fit, free, &[("data", "6f1a")])?, "mf data 6f1a rank 32");
/// # Ok::<(), raddle_cli::Error>(())
/// ```
///
/// # Errors
/// If the options cannot be written as an object of JSON.
pub fn identity(
    program: &str,
    options: &impl Serialize,
    free: Free<'_>,
    read: &[(&str, &str)],
) -> Result<String, Error> {
    let options = serde_json::to_value(options).map_err(Error::failed)?;
    let Value::Object(options) = options else {
        return Err(Error::failed("the options of a run are not an object of JSON"));
    };
    let mut identity = program.to_owned();
    for (option, digest) in read {
        identity += &format!(" {option} {digest}");
    }
    for (option, value) in options {
        let option = option.replace('_', "-");
        if free.has(&option) || read.iter().any(|&(read, _)| read == option) {
            continue;
        }
        identity += &format!(" {option} {value}");
        let names = value.as_array().map_or(std::slice::from_ref(&value), Vec::as_slice);
        for name in names.iter().filter_map(Value::as_str) {
            let digest = content_digest(name);
            identity += if digest.is_empty() { "" } else { " " };
            identity += &digest;
        }
    }
    Ok(identity)
}

/// Returns the SHA-256 of the file that an option names, as 64 hexadecimal digits. Empty if the option names
/// no file, or the file cannot be read, which its reader will report. The digest is part of a run's
/// [`identity`](raddle::Engine::identity), because the file at a path may change.
fn content_digest(option: &str) -> String {
    let path = Path::new(option);
    if path.is_file() { digest_of(path).unwrap_or_default() } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(options: Value) -> String {
        let free = Free { neutral: &["target"], limits: &["epochs"] };
        identity("program", &options, free, &[("data", "abc")]).unwrap()
    }

    fn asked() -> Value {
        json!({
            "data": "a.csv", "rank": 3, "reg": null, "no_biases": false, "target": 0.5, "epochs": 7, "workers": 2,
            "checkpoint_every": 1, "out": "run", "time_limit": null,
        })
    }

    #[test]
    fn every_option_belongs_to_it_but_those_that_are_free() {
        let mut names = Vec::new();
        for (name, value) in asked().as_object().unwrap() {
            let mut other = asked();
            other[name] = json!("another");
            assert_ne!(value, &other[name]);
            if of(other) != of(asked()) {
                names.push(name.clone());
            }
        }
        assert_eq!(names, ["no_biases", "rank", "reg"]);
    }

    /// The program's author does nothing for it.
    #[test]
    fn an_option_that_is_added_belongs_to_it() {
        let with = |twist: Value| {
            let mut options = asked();
            options["twist"] = twist;
            of(options)
        };
        assert_ne!(with(json!(1)), with(json!(2)));
        assert_ne!(with(json!(1)), of(asked()));
    }

    #[test]
    fn a_file_that_changes_under_its_name_is_another() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("words.txt");
        let with = |text: &str| {
            std::fs::write(&file, text).unwrap();
            ["stop_words", "lists"].map(|option| {
                let value = if option == "lists" { json!(["english", file]) } else { json!(file) };
                of(json!({ "data": "a.csv", option: value }))
            })
        };
        let (then, same, now) = (with("the a"), with("the a"), with("the an"));
        assert_eq!(then, same);
        assert!(then[0] != now[0] && then[1] != now[1]);
    }

    #[test]
    fn what_is_no_object_is_refused() {
        let error = identity("program", &3, Free::default(), &[]).unwrap_err();
        assert!(error.to_string().contains("not an object of JSON"), "{error}");
    }
}
