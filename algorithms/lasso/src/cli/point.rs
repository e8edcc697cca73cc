//! Choice of the model that predicts: of a path, one of its points.

use std::path::Path;

use raddle_cli::{Error, ModelFolder};
use raddle_lasso::files::{About, Saved};
use raddle_tabular::files::read_facts;

/// Reads the model that `predict` uses: of a path, the point that is given.
pub(crate) fn read(folder: &Path, point: Option<u64>) -> Result<Saved, Error> {
    let opened = ModelFolder::open(folder, "lasso")?;
    let refuse = |why: String| Err(Error::usage(why));
    let shown = folder.display();
    match (read_facts::<About>(&opened)?.points, point) {
        (None, Some(_)) => refuse(format!("--point has no effect: {shown} is not a path; leave it out")),
        (Some(0), _) => refuse(format!("{shown}: a path without a certified point; fit it again")),
        (Some(points), None) => refuse(format!(
            "{shown}: a path of {points} points: choose one by --point 1 to {points}; path.tsv there lists \
             them"
        )),
        (Some(points), Some(point)) if point == 0 || point > points => {
            refuse(format!("--point is {point}: {shown} has the points 1 to {points}"))
        }
        _ => Ok(Saved::read(&opened, point)?),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use raddle::files::{ModelFiles as _, NewModel};
    use serde_json::json;

    use super::*;

    #[test]
    fn a_point_is_chosen_of_a_path_and_of_nothing_else() {
        let refused = |points: Option<u64>, point| {
            let parent = tempfile::tempdir().unwrap();
            let path = parent.path().join("run");
            let mut about = json!({
                "columns": 1, "lambda": 0.5, "lambda_max": 1.0, "intercept": 0.25, "ending": "converged", "gap": 0.0,
                "certified": true,
            });
            if let Some(points) = points {
                about["points"] = points.into();
            }
            let mut model = NewModel::create(&path).unwrap();
            model.write("coef.tsv", |out| out.write_all(b"column number\tname\tcoefficient\n")).unwrap();
            model.write("model.json", |out| Ok(serde_json::to_writer(out, &about)?)).unwrap();
            model.commit("lasso", "1.0").unwrap();
            read(&path, point).map_or_else(|why| why.to_string(), |_| "nothing".into())
        };
        assert_eq!(refused(None, None), "nothing");
        for (points, point, why) in [
            (Some(2), Some(0), "--point is 0"),
            (Some(2), Some(3), "--point is 3"),
            (Some(2), None, "a path of 2 points: choose one by --point 1 to 2"),
            (Some(0), None, "a path without a certified point"),
            (None, Some(1), "--point has no effect"),
        ] {
            let said = refused(points, point);
            assert!(said.contains(why), "{said}");
        }
    }
}
