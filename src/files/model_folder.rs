//! [`ModelFolder`]: a model that `--out` wrote, read with every file checked.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use super::commit::NEXT;
use super::error::FileError;
use super::manifest::{self, Head, digest_of_bytes, digest_of_open, verified};
use super::new_model::{ModelFiles as _, NewModel};
use crate::base::state::{Reader, StateError};

/// File of the state that a fit leaves for the next version of its data.
pub const CARRIED: &str = "carried.bin";

/// Limit of attempts to open a model that runs replace in the meantime.
const TRIES: usize = 100;

/// A model in a folder. All its files were checked against `model.json` when it was opened, and each is again
/// when it is read: a folder that was cut, edited or mixed is refused, and the error names the file.
///
/// A run may replace the model at any time. A reader that opens it at that moment gets the old model or the
/// new one, and keeps what it has opened: the files stay open as long as this value lives.
#[derive(Debug)]
pub struct ModelFolder {
    path: PathBuf,
    text: Vec<u8>,
    head: Head,
    digest: String,
    files: BTreeMap<String, File>,
}

impl ModelFolder {
    /// Opens the folder of a model of this program.
    ///
    /// # Errors
    /// If there is no model, it is of another program or a later version, or one of its files is damaged.
    pub fn open(path: &Path, program: &str) -> Result<Self, FileError> {
        Self::open_watched(path, program, &mut || ())
    }

    /// Opens the folder as [`open`](Self::open) does, and calls `look` before each access to the folder.
    pub(super) fn open_watched(
        path: &Path,
        program: &str,
        look: &mut dyn FnMut(),
    ) -> Result<Self, FileError> {
        let mut tries = 0;
        loop {
            look();
            let mut folder = Self::begin(path, program)?;
            let opened = folder.open_files(look);
            look();
            // A model that is gone cannot be read.
            let is_replaced = || fs::read(path.join(manifest::NAME)).unwrap_or_default() != folder.text;
            match opened {
                Err(_) if tries < TRIES && is_replaced() => tries += 1,
                opened => {
                    folder.files = opened?;
                    return Ok(folder);
                }
            }
        }
    }

    /// Returns the name of the program whose model is in a folder. Nothing else is checked.
    ///
    /// # Errors
    /// If there is no model in it.
    pub fn program_of(path: &Path) -> Result<String, FileError> {
        let (_, head, _) = Self::text_of(path)?;
        Ok(head.program)
    }

    /// Reads `model.json`, its head and its digits.
    fn text_of(path: &Path) -> Result<(Vec<u8>, Head, String), FileError> {
        let about = path.join(manifest::NAME);
        let refuse = |why: &str| FileError::refused(&about, why);
        let text =
            fs::read(&about).map_err(|why| refuse(&format!("{why}; give the folder that --out wrote")))?;
        let damaged = "it is damaged, or not what --out wrote: fit the model again, or give its folder";
        let digest = verified(&text).ok_or_else(|| refuse(damaged))?.to_owned();
        let head = Head::of(&text).ok_or_else(|| refuse(damaged))?;
        Ok((text, head, digest))
    }

    /// Reads `model.json`, without any other file.
    fn begin(path: &Path, program: &str) -> Result<Self, FileError> {
        let (text, head, digest) = Self::text_of(path)?;
        let refuse = |why: &str| FileError::refused(&path.join(manifest::NAME), why);
        if head.program != program {
            let whose = head.program;
            return Err(refuse(&format!("a model of {whose}, not of {program}: give it to `{whose}`")));
        }
        if !head.is_readable() {
            let Head { version, format, .. } = head;
            return Err(refuse(&format!(
                "written by version {version} in format {format}, which this version does not read"
            )));
        }
        Ok(Self { path: path.into(), text, head, digest, files: BTreeMap::new() })
    }

    fn open_files(&self, look: &mut dyn FnMut()) -> Result<BTreeMap<String, File>, FileError> {
        let files = self.head.files.iter();
        files.map(|(name, digest)| Ok((name.clone(), self.open_file(name, digest, look)?))).collect()
    }

    /// Opens the file with this digest: in the folder or, if the run was killed at its very end, in its
    /// `.next`. A file that was moved between the two attempts is found by the third.
    fn open_file(&self, name: &str, expected: &str, look: &mut dyn FnMut()) -> Result<File, FileError> {
        let (place, next) = (self.path.join(name), self.path.join(NEXT).join(name));
        for path in [&place, &next, &place] {
            look();
            let checked = File::open(path).and_then(|file| Ok((digest_of_open(&file)?, file)));
            match checked {
                Ok((digest, file)) if digest == expected => return Ok(file),
                Err(why) if why.kind() != ErrorKind::NotFound => return Err(self.refuse(name, why)),
                _ => {}
            }
        }
        Err(self.changed(name))
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the program's facts about its model: its own members of `model.json`.
    ///
    /// # Errors
    /// If the facts are not of this type.
    pub fn about<T: DeserializeOwned>(&self) -> Result<T, FileError> {
        serde_json::from_slice(&self.text)
            .map_err(|why| FileError::refused(&self.path.join(manifest::NAME), why))
    }

    /// `true` if the model has a file of this name.
    pub fn has(&self, name: &str) -> bool {
        self.head.files.contains_key(name)
    }

    /// Reads the bytes of a file of the model, as they were written.
    ///
    /// # Errors
    /// If the model has no such file, or the file is damaged.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, FileError> {
        let (Some(mut file), Some(expected)) = (self.files.get(name), self.head.files.get(name)) else {
            return Err(self.refuse(name, "the model in this folder has no such file"));
        };
        let mut bytes = Vec::new();
        let read = file.rewind().and_then(|()| file.read_to_end(&mut bytes));
        read.map_err(|why| self.refuse(name, why))?;
        if digest_of_bytes(&bytes) == *expected { Ok(bytes) } else { Err(self.changed(name)) }
    }

    /// Writes the model into a folder of its own: the same files, byte for byte.
    ///
    /// # Errors
    /// If there is a run in that folder already, a file is not as it was written, or the folder cannot be
    /// written.
    pub fn save(&self, folder: &Path) -> Result<(), FileError> {
        let own = self.head.own_of(&self.text).ok_or_else(|| {
            self.refuse(manifest::NAME, "it is not laid out as a run writes it: fit the model again")
        })?;
        let mut copy = NewModel::create(folder)?;
        for name in self.head.files.keys() {
            let bytes = self.read(name)?;
            copy.write(name, |out| out.write_all(&bytes))?;
        }
        copy.write(manifest::NAME, |out| out.write_all(&own))?;
        copy.commit(&self.head.program, &self.head.version)
    }

    /// Reads the state that the fit left for the next version of its data, with `load`.
    ///
    /// # Errors
    /// If the model has no such state, or the file is damaged.
    pub fn carried<T>(
        &self,
        load: impl FnOnce(&mut Reader<'_>) -> Result<T, StateError>,
    ) -> Result<T, FileError> {
        let bytes = self.read(CARRIED)?;
        load(&mut Reader::new(&bytes)).map_err(|why| self.refuse(CARRIED, why))
    }

    /// Returns 64 hexadecimal digits that are equal for two models exactly if all their files are.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    fn changed(&self, name: &str) -> FileError {
        let why = match self.path.join(name).exists() {
            true => {
                "it is not the file that the run wrote: it was changed, cut or mixed up; fit the model again"
            }
            false => "it is missing, and the model is not whole without it; fit the model again",
        };
        self.refuse(name, why)
    }

    fn refuse(&self, name: &str, why: impl std::fmt::Display) -> FileError {
        FileError::refused(&self.path.join(name), why)
    }
}

#[cfg(test)]
mod tests {
    use super::super::manifest::Own;
    use super::*;

    #[test]
    fn a_copy_has_the_same_bytes_and_never_replaces_a_run() {
        let parent = tempfile::tempdir().unwrap();
        let [from, to] = ["from", "to"].map(|name| parent.path().join(name));
        for own in [Some("{\n  \"scale\": 0.5,\n  \"names\": [\"{\"]\n}"), Some("{}"), None] {
            let mut model = NewModel::replace(&from).unwrap();
            model.write("weights", |out| out.write_all(b"1 2 3")).unwrap();
            if let Some(own) = own {
                model.write(manifest::NAME, |out| out.write_all(own.as_bytes())).unwrap();
            }
            model.commit("mine", "0.9").unwrap();
            drop(model);
            let opened = ModelFolder::open(&from, "mine").unwrap();
            opened.save(&to).unwrap();
            for name in [manifest::NAME, "weights"] {
                assert_eq!(fs::read(from.join(name)).unwrap(), fs::read(to.join(name)).unwrap(), "{own:?}");
            }
            assert_eq!(ModelFolder::open(&to, "mine").unwrap().digest(), opened.digest());
            assert_eq!(ModelFolder::program_of(&to).unwrap(), "mine");
            let why = opened.save(&to).unwrap_err().to_string();
            assert!(why.contains("it holds a run of mine (model.json): replace it"), "{why}");
            fs::remove_dir_all(&to).unwrap();
        }
    }

    #[test]
    fn a_model_of_a_newer_layout_is_refused_by_its_version() {
        let folder = tempfile::tempdir().unwrap();
        let about = folder.path().join(manifest::NAME);
        let open = |head: &Head| {
            let mut text = Vec::new();
            head.write(&Own::none(), &mut text).unwrap();
            fs::write(&about, text).unwrap();
            ModelFolder::open(folder.path(), "lasso").map(|_| ()).map_err(|why| why.to_string())
        };
        let head = Head::new("lasso", "9.1.0", BTreeMap::new());
        assert_eq!(open(&head), Ok(()));
        for format in [head.format - 1, head.format + 1] {
            let why = open(&Head { format, ..head.clone() }).unwrap_err();
            let said =
                format!("written by version 9.1.0 in format {format}, which this version does not read");
            assert_eq!(why, format!("{}: {said}", about.display()));
        }
    }
}
