//! [`RatingFormat`]: the form in which shards store ratings.

/// Form in which shards store the ratings of the input.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RatingFormat {
    /// Center of the ratings, subtracted from each.
    pub(crate) center: f32,
    /// Value used for each held-out rating in place of its own, if any.
    pub(crate) held_as: Option<f32>,
    /// `true` if values are stored as indices into a table when few are distinct.
    pub(crate) listed: bool,
}
