//! [`Keeping`]: the form in which shards keep ratings.

/// Form in which shards keep the ratings of the input.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Keeping {
    /// Center of the ratings, subtracted from each.
    pub(crate) center: f32,
    /// Value of each rating to measure on, if not its own.
    pub(crate) held_as: Option<f32>,
    /// `true` if distinct values are listed where they are few.
    pub(crate) listed: bool,
}
