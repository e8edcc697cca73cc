//! [`ModelFacts`]: the facts about a model in its `model.json`.

use raddle::files::{FileError, ModelFiles, ModelFolder};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::schema::Schema;

/// The facts about a model that its program keeps in `model.json`.
pub trait ModelFacts: Serialize + DeserializeOwned {
    /// Returns columns and classes of the model.
    fn schema(&self) -> Schema<'_>;

    /// Checks that the facts are consistent.
    ///
    /// # Errors
    /// The reason, if they are not.
    fn check(&self) -> Result<(), String>;
}

/// Reads and checks the facts about a model in an open folder.
///
/// # Errors
/// If they are not those of a model.
pub fn read_facts<Facts: ModelFacts>(opened: &ModelFolder) -> Result<Facts, FileError> {
    let facts: Facts = opened.about()?;
    facts.check().map_err(|why| FileError::refused(&opened.path().join("model.json"), why))?;
    Ok(facts)
}

/// Writes the facts about a model.
///
/// # Errors
/// If the file cannot be written.
pub fn write_facts(files: &mut impl ModelFiles, facts: &impl ModelFacts) -> Result<(), FileError> {
    files.write("model.json", |out| Ok(serde_json::to_writer_pretty(out, facts)?))
}
