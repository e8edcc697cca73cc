//! [`Start`]: the objective and the data of a fit, before its first epoch.

use std::sync::Arc;

use raddle_datasets::room;

use crate::data::columns::Columns;
use crate::data::design::Column;
use crate::data::problem::Problem;
use crate::error::LassoError;
use crate::loss::classes::Directions;
use crate::loss::free::Free;
use crate::loss::linear_predictor::{Response, Scores};
use crate::loss::row_state::RowState;
use crate::loss::rows::Rows;
use crate::loss::{Loss, Objective, Shape};
use crate::penalties::{PenaltyOptions, Terms};

/// Start of a fit: the objective, the problem, and the response as the loss uses it.
#[derive(Debug, Clone)]
pub(crate) struct Start<'a> {
    problem: &'a Problem,
    pub(crate) objective: Objective,
    pub(crate) given: Rows,
    /// The columns in the units of the run.
    pub(crate) design: Columns,
    /// Factors, bounds and groups of the columns.
    pub(crate) terms: Arc<Terms>,
}

impl<'a> Start<'a> {
    /// Makes the start for a loss with the intercept of the preparation.
    ///
    /// # Errors
    /// If the response does not suit the loss, or the options do not suit the columns.
    pub(crate) fn new(
        problem: &'a Problem,
        loss: Loss,
        l1_ratio: f64,
        asked: &PenaltyOptions,
    ) -> Result<Self, LassoError> {
        let objective = Objective { loss, l1_ratio, intercept: problem.intercept };
        let y = loss.function().response(problem)?;
        // For a quadratic the offset is already subtracted from the response.
        let offset = problem.offset.clone().filter(|_| !objective.shape().is_quadratic());
        let classes = loss.function().classes(problem);
        if classes > 0 {
            check_classes(problem, asked)?;
        }
        let mut given = Rows {
            y,
            weights: problem.weights.clone(),
            offset,
            classes,
            intercept: problem.intercept,
            free: None,
        };
        let unpenalized = asked.free(problem.columns())?;
        if !unpenalized.is_empty() {
            let columns = problem.design.some(unpenalized.iter().copied())?;
            let views = unpenalized.iter().zip(&columns).map(|(&j, column)| (j as u32, column.view()));
            let mut free = Free::new(views, &given);
            if objective.shape().is_quadratic() {
                let mut y = given.y.to_vec();
                free.center(&given, &mut y);
                given.y = Arc::new(y);
            }
            given.free = Some(Arc::new(free));
            check_free(&given, objective)?;
        }
        let (terms, design) = match asked.is_plain() {
            true => (Terms::default(), problem.design.clone()),
            false => {
                let terms = asked.terms(problem.columns(), |j| problem.scale(j))?;
                let design = problem.design.in_units(terms.order(), terms.units());
                (terms, design)
            }
        };
        let (terms, design) = match classes {
            0 => (terms, design),
            _ if asked.is_plain() => (terms, design.of_classes(classes)),
            _ => {
                let (asked, columns) = (asked.for_classes(classes), problem.columns() * classes);
                let terms = asked.terms(columns, |at| problem.scale(at / classes as u32))?;
                (terms, design.of_classes(classes))
            }
        };
        Ok(Self { problem, objective, given, design, terms: Arc::new(terms) })
    }

    /// Converts coefficients from the original scale to the scale of the prepared columns.
    ///
    /// # Errors
    /// If the problem does not have such columns, or values are not finite.
    pub(crate) fn prepared(&self, given: &[(u32, f64)]) -> Result<Vec<(u32, f64)>, LassoError> {
        let (columns, classes) = (self.problem.columns(), self.given.classes.max(1));
        let terms = &self.terms;
        let prepared = |&(place, value): &(u32, f64)| {
            let column = terms.original(place);
            let unit = terms.unit(place as usize);
            let scale = self.problem.scale(column / classes as u32);
            let value = if unit == 0.0 { 0.0 } else { value / scale / unit };
            let fits = (column as usize) < columns * classes && value.is_finite();
            fits.then(|| (place, terms.clamp(place as usize, value)))
                .ok_or(LassoError::Start { column: column as usize + 1, columns: columns * classes })
        };
        // An unknown column keeps its number, and is refused later.
        let is_known = given.iter().all(|&(column, _)| (column as usize) < columns * classes);
        if !is_known {
            return given.iter().map(prepared).collect();
        }
        let places = match self.given.classes {
            0 => terms.places(given.to_vec()),
            _ => side_by_side(given, columns as u32, classes as u32),
        };
        let mut places = places.iter().map(prepared).collect::<Result<Vec<_>, _>>()?;
        // No step would change the coefficient of a column of zeros, which the penalty would count for ever.
        let columns = self.design.some(places.iter().map(|&(place, _)| place as usize))?;
        for ((_, value), column) in places.iter_mut().zip(&columns) {
            *value = if self.square(column) > 0.0 { *value } else { 0.0 };
        }
        Ok(places)
    }

    /// Returns the sum of a column's squares, under the rows' weights.
    fn square(&self, column: &Column) -> f64 {
        match self.given.weights() {
            None => column.view().sum_squares(self.given.scores()),
            Some(weights) => column.view().weighed(weights).0,
        }
    }

    /// Returns the sum of the squares of every column.
    ///
    /// # Errors
    /// If columns that are read by parts cannot be read.
    pub(super) fn squares(&self) -> Result<Vec<f64>, LassoError> {
        let columns = self.design.some(0..self.design.count())?;
        Ok(columns.iter().map(|column| self.square(column)).collect())
    }

    /// Computes the rows at these coefficients of prepared columns.
    ///
    /// # Errors
    /// If columns that are read by parts cannot be read.
    pub(crate) fn rows(&self, coefficients: &[(u32, f64)]) -> Result<RowState, LassoError> {
        let columns = self.design.some(coefficients.iter().map(|&(column, _)| column as usize))?;
        let columns = coefficients.iter().zip(&columns).map(|(&(_, value), column)| (value, column.view()));
        let intercept = self.objective.loss.function().intercept(self.problem);
        Ok(RowState::at(columns, &self.given, self.objective, intercept))
    }

    /// Returns max |x_j'r| without coefficients.
    ///
    /// # Errors
    /// If columns that are read by parts cannot be read.
    pub(crate) fn largest(&self) -> Result<f64, LassoError> {
        let residual = self.rows(&[])?.residual;
        if self.terms.has_groups() {
            let slopes = self.design.products(&residual)?;
            return Ok(self.terms.norms(0, &slopes).0.into_iter().fold(0.0, f64::max));
        }
        self.design.largest(&residual, |j, slope| self.terms.seen(j, slope))
    }
}

/// Checks that the options are offered for classes with scores of their own.
///
/// # Errors
/// If one of them is not.
fn check_classes(problem: &Problem, asked: &PenaltyOptions) -> Result<(), LassoError> {
    let with = "the multinomial loss";
    if problem.offset.is_some() {
        return Err(LassoError::NotOffered { what: "an offset", with });
    }
    if !asked.groups.is_empty() {
        return Err(LassoError::NotOffered { what: "groups of columns", with });
    }
    let count = problem.columns().checked_mul(problem.labels().len());
    if count.is_none_or(|count| u32::try_from(count).is_err()) {
        return Err(LassoError::TooLarge { rows: problem.rows(), columns: problem.columns() });
    }
    let classes = problem.labels().len();
    let what = format!("the scores of {classes} classes");
    room::<f64>(problem.score_bytes(classes) / size_of::<f64>(), &what).map_err(LassoError::Memory)
}

/// Free columns separate the classes if they leave at most this share of the loss.
const NOTHING_LEFT: f64 = 1e-9;

/// Checks that free columns and the intercept have a best fit on their own.
///
/// # Errors
/// If they have none, such as where they separate two classes.
fn check_free(rows: &Rows, objective: Objective) -> Result<(), LassoError> {
    let (Shape::Smooth(loss), true) = (objective.shape(), rows.free.is_some()) else { return Ok(()) };
    let response = Response { rows, loss };
    let mut scores = Scores::new(response, rows.start());
    let before = scores.sums.loss;
    let is_settled = Directions::new(rows).settle(&mut scores, response).1;
    let is_left = rows.classes == 0 || scores.sums.loss > NOTHING_LEFT * before;
    if is_settled && is_left { Ok(()) } else { Err(LassoError::Free) }
}

/// Reorders coefficients listed class by class, so that those of a column are adjacent.
fn side_by_side(given: &[(u32, f64)], columns: u32, classes: u32) -> Vec<(u32, f64)> {
    let place = |&(at, value): &(u32, f64)| ((at % columns) * classes + at / columns, value);
    let mut places: Vec<(u32, f64)> = given.iter().map(place).collect();
    places.sort_unstable_by_key(|&(place, _)| place);
    places
}
