//! The files of a model: factors and biases as `.npy`, ids and what else is known as `model.json`.

use std::path::Path;
use std::{fs, io};

use raddle::cli::{Error, ModelDigest, Out, Session, npy};
use raddle_datasets::Ids;
use raddle_mf::{Fit, Model};
use serde::{Deserialize, Serialize};

/// `model.json`: what use needs beside the factors, and how the model came about.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct About {
    pub(crate) rank: usize,
    /// What is predicted where nothing else is known.
    pub(crate) mean: f64,
    pub(crate) biases: bool,
    /// The weight of a count, for a model of implicit feedback.
    pub(crate) implicit: Option<f64>,
    /// The regularisation that folding in uses, counted at every rating unless `plain_reg`.
    pub(crate) reg: f64,
    pub(crate) plain_reg: bool,
    pub(crate) users: IdMap,
    pub(crate) items: IdMap,
    pub(crate) ending: String,
    /// The error of the model on what was measured while training, and after which epoch it was.
    pub(crate) best_rmse: Option<f64>,
    pub(crate) best_epoch: u64,
    /// A record an epoch: epoch, seconds, the error measured.
    pub(crate) log: Vec<(u64, f64, Option<f64>)>,
}

/// The ids of rows: how many, where they are whole numbers from 0; else all of them, row by row.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum IdMap {
    Dense(u32),
    Integers(Vec<u32>),
    Names(Vec<String>),
}

impl From<&Ids> for IdMap {
    fn from(ids: &Ids) -> Self {
        match ids {
            Ids::Dense(count) => Self::Dense(*count),
            Ids::Integers(ids) => Self::Integers(ids.clone()),
            Ids::Names(ids) => Self::Names(ids.clone()),
        }
    }
}

impl From<&IdMap> for Ids {
    fn from(map: &IdMap) -> Self {
        match map {
            IdMap::Dense(count) => Self::Dense(*count),
            IdMap::Integers(ids) => Self::Integers(ids.clone()),
            IdMap::Names(ids) => Self::Names(ids.clone()),
        }
    }
}

/// A model with its ids.
#[derive(Debug)]
pub(crate) struct Saved {
    pub(crate) about: About,
    pub(crate) model: Model,
    pub(crate) users: Ids,
    pub(crate) items: Ids,
}

/// The log of a fit as `model.json` has it.
pub(crate) fn log(fit: &Fit) -> Vec<(u64, f64, Option<f64>)> {
    let entry = |record: &raddle::EpochRecord| {
        (record.epoch, record.seconds, record.value().is_finite().then_some(record.value()))
    };
    fit.trace.iter().map(entry).collect()
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

/// SHA-256 over users' factors, items' factors, users' biases and items' biases (f32), and the mean (f64), all
/// little-endian, row by row.
pub(crate) fn digest(model: &Model) -> String {
    let digest = ModelDigest::default().bytes(bytemuck::cast_slice(&model.user_factors));
    let digest = digest.bytes(bytemuck::cast_slice(&model.item_factors));
    digest.f32s(&model.user_biases).f32s(&model.item_biases).f64s(&[model.mean]).finish()
}

/// Reads a model that `--out` wrote.
pub(crate) fn read(folder: &Path) -> Result<Saved, Error> {
    let path = folder.join("model.json");
    let text = fs::read_to_string(&path).map_err(|why| {
        Error::input(format!("{}: {why}; give the folder that --out wrote", path.display()))
    })?;
    let about: About =
        serde_json::from_str(&text).map_err(|why| Error::input(format!("{}: {why}", path.display())))?;
    let (users, items) = (Ids::from(&about.users), Ids::from(&about.items));
    let array = |name: &str, shape: &[usize]| {
        let path = folder.join(name);
        let (found, values) = npy::read_f32s(&path)?;
        match found == shape {
            true => Ok(values),
            false => Err(Error::input(format!(
                "{}: its shape is {found:?}, but model.json asks for {shape:?}: the files are of different runs",
                path.display()
            ))),
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

impl Saved {
    /// The model by the rows of other ids: rows that it does not have are zero.
    pub(crate) fn in_rows_of(&self, users: &Ids, items: &Ids) -> Model {
        let Model { rank, mean, .. } = self.model;
        let mut model = Model { mean, ..Model::zeros(users.len(), items.len(), rank) };
        for (row, from) in self.users.index().rows_of(users).into_iter().enumerate() {
            if let Some(from) = from {
                model.user_factors[row * rank..(row + 1) * rank].copy_from_slice(self.model.user(from));
                model.user_biases[row] = self.model.user_biases[from as usize];
            }
        }
        for (row, from) in self.items.index().rows_of(items).into_iter().enumerate() {
            if let Some(from) = from {
                model.item_factors[row * rank..(row + 1) * rank].copy_from_slice(self.model.item(from));
                model.item_biases[row] = self.model.item_biases[from as usize];
            }
        }
        model
    }
}
