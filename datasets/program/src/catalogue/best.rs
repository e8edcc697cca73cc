//! Best known values of sets, each with its source.

use crate::entry::Best;

const RMSE: &str = "RMSE of the documented tenth of the ratings";

/// Returns the best known value of a set, where there is one.
pub(super) fn best(name: &str) -> Option<Best> {
    let (value, source) = match name {
        "ml-1m" => ("0.8417", "mf, rank 128: benches/README.md"),
        "ml-100k" => ("0.9063", "mf, rank 32: benches/README.md"),
        "epinions-770k" => ("1.0290", "mf, rank 16: benches/README.md"),
        "jester-1" => ("3.9778", "mf, rank 32: benches/README.md"),
        _ => return None,
    };
    Some(Best { metric: RMSE, value, source })
}
