//! [`Saved`]: a model with the ids of its rows, as stored in a folder: factors and biases as `.npy`, ids and
//! other facts as `model.json`.

use std::path::Path;

use raddle::files::{FileError, ModelFiles, ModelFolder, NewModel};
use raddle_datasets::{Ids, npy};

use super::about::About;
use super::seen::SeenFile;
use crate::fitted::Fit;
use crate::model::Model;
use crate::recommend::Seen;

const PROGRAM: &str = "mf";

/// A model, and the facts about it.
#[derive(Debug, Clone)]
pub struct Saved {
    /// Facts about the model, including the ids of its rows.
    pub about: About,
    /// The model.
    pub model: Model,
    /// Rated items of each user, if the folder stores them.
    pub seen: Option<Seen>,
}

impl Saved {
    /// Reads a model.
    ///
    /// # Errors
    /// If the folder has no model of `mf`, or its files were changed.
    pub fn open(folder: &Path) -> Result<Self, FileError> {
        let opened = ModelFolder::open(folder, PROGRAM)?;
        let saved = Self::of(&opened)?;
        let seen = Seen::of_model(&opened, (saved.model.users(), saved.model.items()))?;
        Ok(Self { seen, ..saved })
    }

    /// Reads a model without what users have rated.
    ///
    /// # Errors
    /// Errors are those of [`open`](Self::open).
    pub fn open_without_seen(folder: &Path) -> Result<Self, FileError> {
        Self::of(&ModelFolder::open(folder, PROGRAM)?)
    }

    /// Reads a model from an open folder, without what users have rated.
    ///
    /// # Errors
    /// If its files were changed.
    pub fn of(opened: &ModelFolder) -> Result<Self, FileError> {
        let about: About = opened.about()?;
        about.check().map_err(|why| FileError::refused(&opened.path().join("model.json"), why))?;
        let array = |name: &str, shape: &[usize]| {
            let refuse = |why: String| FileError::refused(&opened.path().join(name), why);
            let (found, values) = npy::parse_f32s(&opened.read(name)?).map_err(refuse)?;
            if found != shape {
                return Err(refuse(format!("its shape is {found:?}, but model.json asks for {shape:?}")));
            }
            match values.iter().position(|value| !value.is_finite()) {
                Some(at) => Err(refuse(format!("value {} is {}: fit the model again", at + 1, values[at]))),
                None => Ok(values),
            }
        };
        let (users, items) = (about.users.len(), about.items.len());
        let model = Model {
            rank: about.rank,
            mean: about.mean,
            user_factors: array("user_factors.npy", &[users, about.rank])?,
            item_factors: array("item_factors.npy", &[items, about.rank])?,
            user_biases: array("user_bias.npy", &[users])?,
            item_biases: array("item_bias.npy", &[items])?,
        };
        Ok(Self { about, model, seen: None })
    }

    /// Writes the model into a folder of its own, as `mf --out` does.
    ///
    /// # Errors
    /// If there is a run in the folder already, or it cannot be written.
    pub fn save(&self, folder: &Path) -> Result<(), FileError> {
        self.commit(NewModel::create(folder)?)
    }

    /// Writes the model in place of the run that may be in the folder, as `mf --out --force` does.
    ///
    /// # Errors
    /// If a run is in progress there, or the folder cannot be written.
    pub fn replace(&self, folder: &Path) -> Result<(), FileError> {
        self.commit(NewModel::replace(folder)?)
    }

    fn commit(&self, mut files: NewModel) -> Result<(), FileError> {
        self.about.write(&self.model, &mut files)?;
        write_seen(self.seen.as_ref(), self.model.items(), &mut files)?;
        files.commit(PROGRAM, env!("CARGO_PKG_VERSION"))
    }
}

impl About {
    /// Writes the files of a model with these facts; the caller commits them.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, model: &Model, files: &mut impl ModelFiles) -> Result<(), FileError> {
        let (users, items, rank) = (model.users(), model.items(), model.rank);
        let arrays: [(&str, &[usize], &[f32]); 4] = [
            ("user_factors.npy", &[users, rank], &model.user_factors),
            ("item_factors.npy", &[items, rank], &model.item_factors),
            ("user_bias.npy", &[users], &model.user_biases),
            ("item_bias.npy", &[items], &model.item_biases),
        ];
        for (name, shape, values) in arrays {
            files.write(name, |out| {
                npy::header(out, "<f4", shape)?;
                npy::f32s(out, values)
            })?;
        }
        files.write("model.json", |out| Ok(serde_json::to_writer(out, self)?))
    }
}

/// Writes what users have rated, if it is known.
fn write_seen(seen: Option<&Seen>, items: usize, files: &mut impl ModelFiles) -> Result<(), FileError> {
    match seen {
        Some(seen) => {
            let file = SeenFile::new(seen, items);
            file.map_err(|why| FileError::refused(Path::new("seen.npz"), why))?.write(files)
        }
        None => Ok(()),
    }
}

impl Fit {
    /// Writes the model into a folder of its own, as `mf --out` does; [`Saved::open`] and the program read
    /// it. Without `seen`, the items that users have rated, the program asks for them before it recommends.
    ///
    /// # Errors
    /// If there is a run in the folder already, or it cannot be written.
    pub fn save(
        &self,
        folder: &Path,
        (users, items): (Ids, Ids),
        seen: Option<&Seen>,
    ) -> Result<(), FileError> {
        let mut files = NewModel::create(folder)?;
        About::new(self, users, items).write(&self.model, &mut files)?;
        write_seen(seen, self.model.items(), &mut files)?;
        files.commit(PROGRAM, env!("CARGO_PKG_VERSION"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_that_no_run_can_have_written_is_refused_by_the_file_and_the_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let read_back = |model: &Model, change: fn(&mut About)| {
            let mut about = About {
                rank: 2,
                mean: 0.5,
                offset: 0.0,
                biases: true,
                implicit: None,
                count_alone: false,
                reg: 0.1,
                reg_power: Some(1.0),
                users: Ids::Dense(3),
                items: Ids::Dense(2),
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
            Saved { about, model: model.clone(), seen: None }.replace(&path).unwrap();
            Saved::open(&path).map(|saved| saved.model).map_err(|why| why.to_string())
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
            // The biases determine the numbers of users and items, which the factors must match.
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
                |about| about.items = Ids::Dense(3),
                "item_factors.npy: its shape is [2, 2], but model.json asks for [3, 2]",
            ),
            (|about| about.users = Ids::Dense(4_000_000), "user_factors.npy: its shape is [3, 2]"),
        ] {
            let why = read_back(&model, change).unwrap_err();
            assert!(why.contains(expected), "{why}");
        }
    }
}
