//! [`ModelFolder`]: a model that `--out` wrote, read with every file checked.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use super::commit::NEXT;
use super::exit::Error;
use super::manifest::{self, Head, digest_of, digest_of_bytes, verified};

/// A model in a folder. All its files were checked against `model.json` when it was opened, and each is again when it is
/// read: a folder that was cut, edited or mixed is refused, and the error names the file.
#[derive(Debug)]
pub struct ModelFolder {
    path: PathBuf,
    text: Vec<u8>,
    head: Head,
    digest: String,
}

impl ModelFolder {
    /// Opens the folder of a model of this program.
    ///
    /// # Errors
    /// If there is none, it is another program's or a later version's, or one of its files is not as it was written.
    pub fn open(path: &Path, program: &str) -> Result<Self, Error> {
        let about = path.join(manifest::NAME);
        let refuse = |why: &dyn std::fmt::Display| Error::input(format!("{}: {why}", about.display()));
        let text =
            fs::read(&about).map_err(|why| refuse(&format!("{why}; give the folder that --out wrote")))?;
        let damaged = "it is damaged, or not what --out wrote: fit the model again, or give its folder";
        let digest = verified(&text).ok_or_else(|| refuse(&damaged))?.to_owned();
        let head = Head::of(&text).ok_or_else(|| refuse(&damaged))?;
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
        let folder = Self { path: path.into(), text, head, digest };
        folder.head.files.keys().try_for_each(|name| folder.place(name).map(drop))?;
        Ok(folder)
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the program says of its model: the members of `model.json` that are its own.
    ///
    /// # Errors
    /// If they are not those that are asked for.
    pub fn about<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_slice(&self.text)
            .map_err(|why| Error::input(format!("{}: {why}", self.path.join(manifest::NAME).display())))
    }

    /// Whether the model has a file of this name.
    pub fn has(&self, name: &str) -> bool {
        self.head.files.contains_key(name)
    }

    /// The bytes of a file of the model, as they were written.
    ///
    /// # Errors
    /// If the model has no such file, or it is not as it was written.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, Error> {
        let expected = self.expected(name)?;
        for path in self.places(name) {
            match fs::read(&path) {
                Ok(bytes) if digest_of_bytes(&bytes) == expected => return Ok(bytes),
                Err(why) if why.kind() != ErrorKind::NotFound => return Err(self.refuse(name, why)),
                _ => {}
            }
        }
        Err(self.changed(name))
    }

    /// Where a file of the model lies, for readers that want a path: in the folder, or, where the run was killed at its
    /// very end, in its `.next`.
    ///
    /// # Errors
    /// As [`read`](Self::read) has them.
    pub fn place(&self, name: &str) -> Result<PathBuf, Error> {
        let expected = self.expected(name)?;
        for path in self.places(name) {
            match digest_of(&path) {
                Ok(digest) if digest == expected => return Ok(path),
                Err(why) if why.kind() != ErrorKind::NotFound => return Err(self.refuse(name, why)),
                _ => {}
            }
        }
        Err(self.changed(name))
    }

    /// 64 hexadecimal digits that are the same exactly when two models are, files and all.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    fn expected(&self, name: &str) -> Result<&str, Error> {
        let digest = self.head.files.get(name);
        digest
            .map(String::as_str)
            .ok_or_else(|| self.refuse(name, "the model in this folder has no such file"))
    }

    fn places(&self, name: &str) -> [PathBuf; 2] {
        [self.path.join(name), self.path.join(NEXT).join(name)]
    }

    fn changed(&self, name: &str) -> Error {
        let now = fs::read(self.path.join(manifest::NAME)).unwrap_or_default();
        if now != self.text {
            return self.refuse(name, "the model was replaced while it was read: try again");
        }
        let why = match self.path.join(name).exists() {
            true => {
                "it is not the file that the run wrote: it was changed, cut or mixed up; fit the model again"
            }
            false => "it is missing, and the model is not whole without it; fit the model again",
        };
        self.refuse(name, why)
    }

    fn refuse(&self, name: &str, why: impl std::fmt::Display) -> Error {
        Error::input(format!("{}: {why}", self.path.join(name).display()))
    }
}
