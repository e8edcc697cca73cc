//! Models as files, without a command line: a folder that is written whole or not at all ([`NewModel`]), and
//! read with every file checked ([`ModelFolder`]).
//!
//! ```
//! use std::io::Write as _;
//! use raddle::files::{ModelFiles as _, ModelFolder, NewModel};
//!
//! # let parent = tempfile::tempdir()?;
//! # let path = parent.path().join("model");
//! let mut model = NewModel::create(&path)?;
//! model.write("weights.txt", |out| out.write_all(b"1 2 3"))?;
//! model.write("model.json", |out| out.write_all(b"{\"scale\": 0.5}"))?;
//! model.commit("mine", "1.0")?; // from here on it is there
//!
//! #[derive(serde::Deserialize)]
//! struct About { scale: f64 }
//!
//! let opened = ModelFolder::open(&path, "mine")?;
//! assert_eq!((opened.about::<About>()?.scale, opened.read("weights.txt")?), (0.5, b"1 2 3".to_vec()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub(crate) mod atomic;
pub(crate) mod commit;
mod error;
pub(crate) mod manifest;
pub(crate) mod model_folder;
pub(crate) mod new_model;
mod out;
mod version;

pub use atomic::{is_place_of_a_file, write_atomic};
pub use error::FileError;
pub use model_folder::ModelFolder;
pub use new_model::{ModelFiles, NewModel};
pub use out::Out;
pub use version::VersionOf;
