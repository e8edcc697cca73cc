//! Options of command lines: each is described once, next to its field, and its default is said once.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::documentation::sources;

/// Options that programs have alike without a struct that they share, by the start of their texts.
const ALIKE: [&str; 7] = [
    "Folder of the pool",
    "Format of the data",
    "Keep rows with the same value",
    "Response: ",
    "Seed of policies",
    "Stop when the relative",
    "Weight of each row",
];

/// An option: its field, its text, and its attribute.
struct Flag {
    file: String,
    field: String,
    text: String,
    attribute: String,
}

impl Flag {
    /// Returns the default, by clap or by hand, where it is a number.
    fn default(&self) -> Option<f64> {
        let by_clap = self.attribute.split_once("default_value").map(|(_, rest)| rest);
        let by_hand = || self.text.split_once("Default: ").map(|(_, rest)| rest);
        let rest = by_clap.or_else(by_hand)?.trim_start_matches("_t").trim_start_matches([' ', '=', '"']);
        let end = rest.find([',', ')', '"', ';', ' ']).unwrap_or(rest.len());
        rest[..end].trim_end_matches('.').parse().ok()
    }
}

/// Returns the options of a file: fields with an attribute of clap.
fn flags(file: &str, text: &str) -> Vec<Flag> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let starts = (0..lines.len()).filter(|&at| lines[at].starts_with("#[arg("));
    let flag = |at: usize| {
        let above = lines[..at].iter().rev().take_while(|line| line.starts_with("///"));
        let mut words: Vec<&str> = above.map(|line| line[3..].trim()).collect();
        words.reverse();
        let length = lines[at..].iter().position(|line| line.ends_with(")]"))? + 1;
        let field = lines[at + length..].iter().find(|line| !line.starts_with("#["))?;
        let field = field.split(':').next()?.rsplit(' ').next()?.to_owned();
        let attribute = lines[at..at + length].join(" ");
        Some(Flag { file: file.to_owned(), field, text: words.join(" "), attribute })
    };
    starts.filter_map(flag).collect()
}

fn all() -> Vec<Flag> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    sources(root, &mut files);
    let read = |file: &Path| {
        flags(&file.strip_prefix(root).unwrap().display().to_string(), &fs::read_to_string(file).unwrap())
    };
    let all: Vec<Flag> =
        files.iter().filter(|file| !file.ends_with("tests.rs")).flat_map(|file| read(file)).collect();
    assert!(all.len() > 150, "{} options: were they found?", all.len());
    all
}

#[test]
fn an_option_is_described_once() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for Flag { file, field, text, .. } in all() {
        places.entry(text).or_default().push(format!("{file}: {field}"));
    }
    let is_alike = |text: &str| text.is_empty() || ALIKE.iter().any(|start| text.starts_with(start));
    places.retain(|text, places| places.len() > 1 && !is_alike(text));
    assert!(places.is_empty(), "texts in several places: {places:#?}");
}

#[test]
fn a_default_is_said_by_clap_or_by_the_text() {
    let twice = |flag: &Flag| flag.attribute.contains("default_value") && flag.text.contains("Default: ");
    let twice: Vec<String> =
        all().into_iter().filter(twice).map(|flag| format!("{}: {}", flag.file, flag.field)).collect();
    assert!(twice.is_empty(), "texts that repeat a default: {twice:#?}");
}

/// Options and parameters of other names.
const RENAMED: [(&str, &str); 1] = [("tol", "tolerance")];

/// Returns the default of a parameter, where it is a number: `name: X,` or, in `params!`, `name(..) = X;`.
fn parameter(params: &str, name: &str) -> Option<f64> {
    params.lines().find_map(|line| {
        let rest = line.trim().strip_prefix(name)?;
        let value =
            rest.strip_prefix(": ").or_else(|| Some(rest.strip_prefix('(')?.split_once(") = ")?.1))?;
        value.trim_end_matches([',', ';']).parse().ok()
    })
}

#[test]
fn the_default_of_an_option_and_in_a_table_is_that_of_the_parameter() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("algorithms");
    let (flags, mut compared) = (all(), Vec::new());
    for program in ["lasso", "linear", "mf", "lda"] {
        let params = fs::read_to_string(root.join(program).join("src/params.rs")).unwrap();
        let mut said = Vec::new();
        for flag in flags.iter().filter(|flag| flag.file.starts_with(&format!("algorithms/{program}/"))) {
            let renamed = RENAMED.iter().find(|(field, _)| *field == flag.field);
            said.push((renamed.map_or(flag.field.as_str(), |(_, name)| name), flag.default()));
        }
        let rows = params.lines().filter_map(|line| line.trim().strip_prefix("/// | `")?.split_once("` | "));
        said.extend(
            rows.map(|(name, rest)| (name, rest.split(' ').next().and_then(|text| text.parse().ok()))),
        );
        for (name, said) in said {
            if let Some((said, is)) = said.zip(parameter(&params, name)) {
                assert_eq!(said, is, "{program} {name}");
                compared.push(format!("{program} {name}"));
            }
        }
    }
    assert!(compared.len() >= 25, "{compared:?}");
}
