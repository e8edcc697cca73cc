//! Members of a map in words, and their numbers for the script.

use std::fmt::Write as _;

use crate::markup::{escaped, plain};
use crate::report::picture::Contents;

/// Items of a member that are listed without a script.
const LISTED: usize = 10;
/// Weight of shares in the order of the items that are listed.
const WEIGHT: f64 = 0.6;

/// Members of a map in words, and their numbers for a script.
pub(super) fn html(contents: &Contents) -> String {
    let Contents { member: noun, item, members, .. } = contents;
    let mut text = format!(
        r#"<div class="panel" hidden></div><details class="list" open><summary>{} by their {}s</summary><ol class="contents">"#,
        escaped(&format!("{} {noun}s", members.len())),
        escaped(item)
    );
    for (number, member) in members.iter().enumerate() {
        let items = relevant(contents, number, WEIGHT, LISTED);
        let _ = write!(
            text,
            r#"<li><b>{}</b> <i>{:.1} %</i> {}</li>"#,
            escaped(&member.name),
            100.0 * member.share,
            escaped(&items.join(", "))
        );
    }
    text += "</ol></details>";
    // Within a script only the beginning of a tag means something.
    let json = plain(&serde_json::to_string(contents).unwrap_or_default()).replace('<', "\\u003c");
    text + &format!(r#"<script type="application/json" class="numbers">{json}</script>"#)
}

/// The names of the items of a member that are most relevant: weight ln p + (1 - weight) ln(p / overall).
fn relevant(contents: &Contents, member: usize, weight: f64, most: usize) -> Vec<&str> {
    let relevance = |&(item, share): &(usize, f64)| {
        let overall = contents.overall.get(item).copied().unwrap_or(f64::NAN);
        libm::log(share) - (1.0 - weight) * libm::log(overall)
    };
    let mut items: Vec<(f64, usize)> =
        contents.members[member].contains.iter().map(|pair| (relevance(pair), pair.0)).collect();
    items.retain(|(relevance, _)| !relevance.is_nan());
    items.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    items.iter().take(most).filter_map(|(_, item)| contents.items.get(*item)).map(String::as_str).collect()
}
