//! [`fit_folds`]: folds that are fitted at the same time.

use std::ops::ControlFlow;

use raddle::side_by_side;

/// Fits `folds` folds side by side on the workers; `fit` fits one, by number, on so many workers.
///
/// # Errors
/// The first error of a fit, which ends all.
pub fn fit_folds<Fitted: Send, Why: Send>(
    folds: usize,
    workers: usize,
    fit: impl Fn(usize, usize) -> Result<Fitted, Why> + Sync,
) -> Result<Vec<Fitted>, Why> {
    let lanes = workers.min(folds);
    let work = |number| match fit(number, workers / lanes) {
        Ok(fitted) => ControlFlow::Continue(Ok(fitted)),
        Err(why) => ControlFlow::Break(Err(why)),
    };
    side_by_side(lanes, folds, work).into_iter().flatten().collect()
}
