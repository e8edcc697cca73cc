//! The files of a model: factors and biases as `.npy`, ids and what else is known as `model.json`.

use std::io;
use std::path::Path;

use raddle::cli::{Error, ModelFolder, Out, Session, VersionOf};
use raddle_datasets::{Ids, Ratings, npy};
use raddle_mf::{Fit, Learned, Model};
use serde::{Deserialize, Serialize};

use super::ids::IdList;
use super::options::ModelOptions;

/// `model.json`: what use needs beside the factors, and how the model came about. Nothing of it depends on the machine, but
/// where a time limit has ended the run.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct About {
    pub(crate) rank: usize,
    /// Prediction where nothing else is known.
    pub(crate) mean: f64,
    pub(crate) biases: bool,
    /// The weight of a count, for a model of implicit feedback.
    pub(crate) implicit: Option<f64>,
    /// The regularisation that folding in uses, counted at every rating unless `unweighted_reg`.
    pub(crate) reg: f64,
    pub(crate) unweighted_reg: bool,
    /// The ids of users and items, row by row: whole numbers where all of them are, else texts.
    pub(crate) users: IdList,
    pub(crate) items: IdList,
    pub(crate) ending: String,
    /// Parts that the model predicts by: `factors`, `biases` or `mean`.
    #[serde(default = "factors")]
    pub(crate) learned: String,
    /// Name of the measure while training, and of its data.
    pub(crate) metric: String,
    pub(crate) on: String,
    /// Its value for this model, where it was measured on ratings that were held out, and after which epoch it was.
    pub(crate) best: Option<f64>,
    pub(crate) best_epoch: u64,
    /// The metric after each epoch; null where it is not finite.
    pub(crate) log: Vec<Option<f64>>,
    /// Of ratings that change: which version of them it is of.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<VersionOf>,
}

impl About {
    /// Description of a fit with these options.
    pub(crate) fn new(model: &ModelOptions, ratings: &Ratings, fit: &Fit) -> Self {
        Self {
            rank: model.rank,
            mean: fit.model.mean,
            biases: !model.no_biases && model.implicit.is_none(),
            implicit: model.implicit,
            reg: fit.reg,
            unweighted_reg: model.unweighted_reg,
            users: IdList(ratings.users.clone()),
            items: IdList(ratings.items.clone()),
            ending: fit.report.ending.name().into(),
            learned: fit.learned.name().into(),
            metric: fit.report.metric.name.clone(),
            on: fit.report.metric.on.clone(),
            best: fit.best,
            best_epoch: fit.best_epoch,
            log: fit.log.iter().map(|value| value.is_finite().then_some(*value)).collect(),
            version: None,
        }
    }
}

/// Parts that models predict by which do not name them.
fn factors() -> String {
    Learned::Factors.name().into()
}

/// A model with its ids.
#[derive(Debug)]
pub(crate) struct Saved {
    pub(crate) about: About,
    pub(crate) model: Model,
    pub(crate) users: Ids,
    pub(crate) items: Ids,
}

/// Writes the model into the run's folder.
pub(crate) fn write(session: &mut Session, model: &Model, about: &About) -> Result<(), Error> {
    write_to(|name, write| session.write(name, write), model, about)
}

/// How a file is written.
pub(crate) type Write<'a> = Box<dyn FnOnce(&mut Out) -> io::Result<()> + 'a>;

/// Writes the files of a model, each by `write`.
pub(crate) fn write_to(
    mut write: impl FnMut(&str, Write<'_>) -> Result<(), Error>,
    model: &Model,
    about: &About,
) -> Result<(), Error> {
    let (users, items, rank) = (model.users(), model.items(), model.rank);
    let shapes: [(&str, &[usize], &[f32]); 4] = [
        ("user_factors.npy", &[users, rank], &model.user_factors),
        ("item_factors.npy", &[items, rank], &model.item_factors),
        ("user_bias.npy", &[users], &model.user_biases),
        ("item_bias.npy", &[items], &model.item_biases),
    ];
    for (name, shape, values) in shapes {
        let array = move |out: &mut Out| {
            npy::header(out, "<f4", shape)?;
            npy::f32s(out, values)
        };
        write(name, Box::new(array))?;
    }
    write("model.json", Box::new(|out| Ok(serde_json::to_writer(out, about)?)))
}

/// Reads a model that `--out` wrote.
pub(crate) fn read(folder: &Path) -> Result<Saved, Error> {
    let folder = ModelFolder::open(folder, "mf")?;
    let mut about: About = folder.about()?;
    let nobody = || IdList(Ids::Dense(0));
    let [users, items] = [&mut about.users, &mut about.items].map(|list| std::mem::replace(list, nobody()).0);
    if let Some(why) = about.is_wrong() {
        return Err(Error::input(format!("{}: {why}", folder.path().join("model.json").display())));
    }
    let array = |name: &str, shape: &[usize]| {
        let refuse = |why: String| Error::input(format!("{}: {why}", folder.path().join(name).display()));
        let (found, values) = npy::parse_f32s(&folder.read(name)?).map_err(refuse)?;
        if found != shape {
            return Err(refuse(format!("its shape is {found:?}, but model.json asks for {shape:?}")));
        }
        match values.iter().position(|value| !value.is_finite()) {
            Some(at) => Err(refuse(format!("value {} is {}: fit the model again", at + 1, values[at]))),
            None => Ok(values),
        }
    };
    let model = Model {
        rank: about.rank,
        mean: about.mean,
        user_factors: array("user_factors.npy", &[users.len(), about.rank])?,
        item_factors: array("item_factors.npy", &[items.len(), about.rank])?,
        user_biases: array("user_bias.npy", &[users.len()])?,
        item_biases: array("item_bias.npy", &[items.len()])?,
    };
    Ok(Saved { about, model, users, items })
}

impl About {
    /// Flaw of a description that no run can have written.
    fn is_wrong(&self) -> Option<String> {
        let is_weight = |value: f64| value.is_finite() && value >= 0.0;
        if self.rank == 0 {
            return Some("the rank is 0".into());
        }
        let weights = [("reg", Some(self.reg)), ("implicit", self.implicit)];
        let wrong = weights.into_iter().find(|(_, value)| value.is_some_and(|value| !is_weight(value)));
        wrong.map(|(name, value)| format!("{name} is {}: it must be 0 or more", value.unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use raddle::cli::{Earlier, RunFolder};

    use super::*;

    #[test]
    fn a_model_that_no_run_can_have_written_is_refused_by_the_file_and_the_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let read_back = |model: &Model, change: fn(&mut About)| {
            let mut about = About {
                rank: 2,
                mean: 0.5,
                biases: true,
                implicit: None,
                reg: 0.1,
                unweighted_reg: false,
                users: IdList(Ids::Dense(3)),
                items: IdList(Ids::Dense(2)),
                ending: "converged".into(),
                learned: "factors".into(),
                metric: "rmse".into(),
                on: "validation data".into(),
                best: Some(0.5),
                best_epoch: 1,
                log: vec![Some(0.5)],
                version: None,
            };
            change(&mut about);
            let mut run = RunFolder::hold(&path, Earlier::Replaced).unwrap();
            write_to(|name, write| run.write(name, write), model, &about).unwrap();
            run.commit("mf", env!("CARGO_PKG_VERSION")).unwrap();
            drop(run);
            read(&path).map(|saved| saved.model).map_err(|why| why.to_string())
        };
        let model = Model { mean: 0.5, ..Model::zeros(3, 2, 2) };
        assert_eq!(read_back(&model, |_| {}), Ok(model.clone()));
        let mut wrong = model.clone();
        wrong.item_factors[3] = f32::NAN;
        let why = read_back(&wrong, |_| {}).unwrap_err();
        assert!(why.contains("item_factors.npy: value 4 is NaN"), "{why}");
        for (spoil, expected) in [
            (
                (|model| model.user_factors[0] = f32::INFINITY) as fn(&mut Model),
                "user_factors.npy: value 1 is inf",
            ),
            (|model| model.item_factors[2] = f32::NEG_INFINITY, "item_factors.npy: value 3 is -inf"),
            (|model| model.user_biases[2] = f32::NAN, "user_bias.npy: value 3 is NaN"),
            (|model| model.item_biases[1] = f32::NAN, "item_bias.npy: value 2 is NaN"),
            // The biases say how many users and items the shapes have, which the factors must fill.
            (|model| model.user_biases.truncate(2), "user_factors.npy: not an array that --out wrote"),
            (|model| model.item_biases.push(0.0), "item_factors.npy: not an array that --out wrote"),
        ] {
            let mut wrong = model.clone();
            spoil(&mut wrong);
            let why = read_back(&wrong, |_| {}).unwrap_err();
            assert!(why.contains(expected), "{why}");
        }
        for (change, expected) in [
            (
                (|about| about.rank = 1) as fn(&mut About),
                "user_factors.npy: its shape is [3, 2], but model.json",
            ),
            (|about| about.rank = 0, "model.json: the rank is 0"),
            (|about| about.reg = -1.0, "model.json: reg is -1: it must be 0 or more"),
            (|about| about.implicit = Some(-2.0), "model.json: implicit is -2: it must be 0 or more"),
            // JSON has no such numbers: they are written as null.
            (|about| about.reg = f64::NAN, "model.json: invalid type: null"),
            (|about| about.mean = f64::INFINITY, "model.json: invalid type: null"),
            (
                |about| about.items = IdList(Ids::Dense(3)),
                "item_factors.npy: its shape is [2, 2], but model.json asks for [3, 2]",
            ),
            (|about| about.users = IdList(Ids::Dense(4_000_000)), "user_factors.npy: its shape is [3, 2]"),
        ] {
            let why = read_back(&model, change).unwrap_err();
            assert!(why.contains(expected), "{why}");
        }
    }
}
