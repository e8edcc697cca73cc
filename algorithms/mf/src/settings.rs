//! Settings that a model needs after its fit, [`FoldIn`], and those that were tried to find them, [`Trial`].

/// Settings for solving new rows: by least squares, given the other side.
///
/// With R the ratings of a new user less the mean and the items' biases, its factors p and bias b minimise
/// `sum (R_i - b - p.q_i)^2 + reg n^NU (|p|^2 + b^2)`, where n is the number of ratings and NU `reg_power`.
/// If no factor of the model is negative, neither are those of a new row. For implicit feedback the row is
/// solved as in a half step of alternating least squares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FoldIn {
    /// The regularisation.
    pub reg: f64,
    /// The power of a row's count by which its regularisation grows
    /// ([`Mf::reg_power`](crate::Mf::reg_power)).
    pub reg_power: f64,
    /// `true` if new rows have biases.
    pub biases: bool,
    /// The weight of a count, for a model of implicit feedback.
    pub implicit: Option<f64>,
    /// `true` if a count alone is the weight of its pair ([`Mf::count_alone`](crate::Mf::count_alone)).
    pub count_alone: bool,
}

/// A setting that was tried, in a stage of the choice.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize)]
pub struct Trial {
    /// The stage, from 0.
    pub stage: u64,
    /// Weight of a count.
    pub weight: f64,
    /// The regularisation.
    pub reg: f64,
    /// Number of epochs that the setting had in this stage.
    pub epochs: u64,
    /// NDCG at 10 after these.
    pub ndcg: f64,
}

raddle::state!(Trial { stage, weight, reg, epochs, ndcg });
