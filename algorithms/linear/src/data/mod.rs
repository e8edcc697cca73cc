//! The prepared data: rows, signs and weights.

pub(crate) mod bias;
pub(crate) mod binary;
pub(crate) mod places;
pub(crate) mod problem;
pub(crate) mod rows;
pub(crate) mod slice;
pub(crate) mod softmax;
pub(crate) mod source;
