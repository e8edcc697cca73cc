//! The Lasso's rows: more workers than cores, and rescaling, through its command line.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::table::{Table, in_turns, time};

/// The report of one run on mice.
fn fit(lasso: &PathBuf, options: &[&str]) -> Value {
    let mut command = Command::new(lasso);
    command.args(["fit", "mice", "--mode", "dense-std", "--ratio", "10", "--quiet", "--json"]).args(options);
    let output = command.output().expect("the program that LASSO names starts");
    serde_json::from_slice(&output.stdout).expect("the Lasso reports on mice")
}

/// Rows where `LASSO` names the program and `RADDLE_DATA` the data.
pub(crate) fn rows(table: &mut Table, turns: usize) {
    let Some(lasso) = std::env::var_os("LASSO").map(PathBuf::from) else {
        return table.note("The Lasso was not measured: LASSO names no program.");
    };
    let seconds = |workers| {
        let report = fit(&lasso, &["--workers", workers, "--epochs", "5", "--tol", "1e-15"]);
        vec![report["seconds"]["fit"].as_f64().expect("seconds of the fit")]
    };
    let [two, eight] = in_turns(turns, || ["2", "8"].map(seconds));
    table.pair("Lasso on mice, 5 epochs, 8 workers", ("2 workers", two), eight);

    let mut pauses = [const { Vec::new() }; 2];
    let plain = fit(&lasso, &["--workers", "2"]);
    for _ in 0..turns {
        let rescaled = fit(&lasso, &["--workers", "2", "--rescale", "1:4,3:1"]);
        assert_eq!(plain["model_digest"], rescaled["model_digest"], "rescaling never changes the model");
        for (pauses, generation) in pauses.iter_mut().zip([1, 2]) {
            pauses
                .push(rescaled["generations"][generation]["pause"].as_f64().expect("the pause of a rescale"));
        }
    }
    for (pauses, way) in pauses.iter_mut().zip(["2 to 4", "4 to 1"]) {
        pauses.sort_unstable_by(f64::total_cmp);
        let [median, most] = [pauses[pauses.len() / 2], pauses[pauses.len() - 1]].map(time);
        table.note(&format!(
            "Rescale of the Lasso on mice from {way} workers: pause {median} (median), {most} (most); same \
             digest."
        ));
    }
}
