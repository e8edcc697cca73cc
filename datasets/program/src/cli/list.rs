//! `raddle data list`: lists the sets, as text or as JSON.

use std::path::Path;

use clap::Args;
use raddle_cli::{Error, ExitStatus, say};
use raddle_datasets::registry::PublicSet;
use serde::Serialize;

use crate::provenance::Provenance;
use crate::{catalogue, place};

#[derive(Debug, Args)]
pub(super) struct Options {
    /// Datasets to describe in full. Default: all, in brief.
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Write one line of JSON: a list with an object for each dataset.
    #[arg(long)]
    json: bool,
}

/// A set in the JSON of `--json`.
#[derive(Serialize)]
struct Listed<'a> {
    #[serde(flatten)]
    entry: &'a PublicSet,
    provenance: Provenance,
    bytes: Option<u64>,
    here: bool,
}

/// Runs the verb.
pub(super) fn list(options: &Options) -> Result<ExitStatus, Error> {
    let entries = catalogue::named_or_all(&options.names)?;
    let folder = place::folder(None)?;
    let listed = |entry| Listed {
        entry,
        provenance: Provenance::from_set(entry),
        bytes: bytes(entry),
        here: place::is_here(entry, &folder),
    };
    let listed: Vec<Listed<'_>> = entries.into_iter().map(listed).collect();
    let text = match (options.json, options.names.is_empty()) {
        (true, _) => serde_json::to_string(&listed).map_err(Error::failed)?,
        (false, true) => lines(&listed, &folder),
        (false, false) => listed.iter().map(all_of).collect::<Vec<_>>().join("\n\n"),
    };
    say(&text)?;
    Ok(ExitStatus::Done)
}

/// Returns the total size of the downloads in bytes, if all are known.
fn bytes(set: &PublicSet) -> Option<u64> {
    let bytes: Option<Vec<u64>> = set.downloads().map(|download| download.bytes).collect();
    bytes.filter(|bytes| !bytes.is_empty()).map(|bytes| bytes.iter().sum())
}

/// Formats a line for each set, grouped by provenance.
fn lines(listed: &[Listed<'_>], folder: &Path) -> String {
    let mut lines = Vec::new();
    let widest = |of: fn(&PublicSet) -> usize| listed.iter().map(|it| of(it.entry)).max().unwrap_or(0);
    let (name, title) = (widest(|it| it.name.len()), widest(|it| it.title.chars().count()));
    for provenance in [Provenance::Known, Provenance::Pinned, Provenance::File] {
        lines.push(format!("{}:", provenance.name()));
        for it in listed.iter().filter(|it| it.provenance == provenance) {
            let here = if it.here { "here" } else { "-" };
            let bytes = it.bytes.map(place::bytes).map(|bytes| format!("; {bytes}")).unwrap_or_default();
            let PublicSet { kind, licence, .. } = it.entry;
            let (kind, sizes) = (kind.name(), it.entry.sizes_as_text());
            lines.push(format!(
                "  {:name$}  {here:4}  {kind:7}  {:title$}  {sizes}{bytes}; {licence}",
                it.entry.name, it.entry.title
            ));
            lines.extend(it.entry.made.map(|made| format!("  {:name$}        made of: {made}", "")));
        }
        lines.push(String::new());
    }
    lines.push(format!("here: in {}; `raddle data list NAME` says all about a set", folder.display()));
    lines.join("\n")
}

/// Formats all that is known about a set.
fn all_of(it: &Listed<'_>) -> String {
    let entry = it.entry;
    let mut lines = vec![
        format!("{}: {}", entry.name, entry.title),
        format!("  {}, {}", entry.kind.name(), entry.task),
        format!("  sizes: {}", entry.sizes_as_text()),
        format!("  licence: {}", entry.licence),
        format!("    {}", entry.licence_address),
        format!("  {}; {}", it.provenance.name(), if it.here { "here" } else { "not here" }),
    ];
    for file in &entry.files {
        let digest = file.sha256.unwrap_or("not known");
        lines.push(format!("  file: {} (SHA-256 {digest})", file.file));
        if let Some((other, digest)) = file.or {
            lines.push(format!("    or: {other} (SHA-256 {digest})"));
        }
        if let Some(download) = &file.download {
            let bytes = download.bytes.map_or_else(|| "size not stated".into(), place::bytes);
            lines.push(format!(
                "    of: {} ({bytes}; SHA-256 {})",
                download.name,
                download.sha256.unwrap_or("not published")
            ));
            lines.extend(download.addresses.iter().map(|address| format!("      {address}")));
        }
    }
    lines.extend(entry.made.map(|made| format!("  made of: {made}")));
    lines.extend(
        entry.best.map(|best| format!("  best known: {} {} ({})", best.metric, best.value, best.source)),
    );
    lines.join("\n")
}
