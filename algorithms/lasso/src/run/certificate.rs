//! [`Share`]: a shard's share of the certificate, and the columns it names for the working set.

use std::ops::Range;

use super::messages::{Asked, Share};
use super::shard::ColumnShard;
use crate::kernels::{self, OUTSIDE};
use crate::penalties::Terms;
use crate::working_set::{LazyBounds, keep_worst};

/// Columns looked at before the bar is raised above those that will not be named.
const STRETCH: usize = 256;

impl ColumnShard {
    /// The certificate pass: x_j'r of every column here, and what follows from it.
    pub(crate) fn share(&mut self, asked: &Asked<'_>) -> Share {
        let Asked { residual, mut floor, cap, weights, .. } = *asked;
        let count = self.coefficients.len();
        // The working set alone needs none: a column of zeros never violates.
        if self.norms.len() != count && (weights || asked.lazy) {
            // Steps are as long as the weighted norms allow; what bounds products is not weighted.
            self.measure(residual.len(), asked.rows.weights().filter(|_| weights));
        }
        let computed = self.products(asked);
        // What says nothing of a coefficient that may not fall is not seen.
        let terms = asked.terms;
        let apart = terms.is_bounded() || terms.has_groups();
        let seen = apart.then(|| self.seen(terms));
        let seen = seen.as_deref().unwrap_or(&self.gradient);
        // Of a group that is not zero all columns are told.
        let marks = terms.has_groups().then(|| terms.norms(self.first as usize, &self.coefficients).0);
        let marks = marks.as_deref().unwrap_or(&self.coefficients);
        if let Some(spec) = asked.first {
            // The largest of all columns is no less than the largest here, nor is lambda.
            let largest = seen.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
            floor = Some(spec.least_floor(largest));
        }
        // Lazy or not, the largest product counts as no less than the floor, below which nothing is told apart.
        let least = if asked.lazy { floor.unwrap_or(0.0).max(0.0) } else { 0.0 };
        let mut share = with_room(least, count.min(2 * cap + STRETCH), count.min(STRETCH));
        let (mut noted, mut strays, mut bar) =
            (Vec::with_capacity(STRETCH), Vec::new(), floor.unwrap_or(f64::INFINITY));
        for start in (0..count).step_by(STRETCH) {
            let stretch = start..count.min(start + STRETCH);
            noted.clear();
            let what = (seen, marks);
            let largest = self.note(stretch, what, bar, computed.as_deref(), weights, &mut noted);
            share.largest = share.largest.max(largest);
            for &at in &noted {
                let (gradient, coefficient, slot) =
                    (self.gradient[at], self.coefficients[at], self.slots[at]);
                let (variable, size) = (self.first + at as u32, seen[at].abs());
                if marks[at] != 0.0 {
                    share.nonzeros.push((variable, coefficient));
                    share.slopes.push(gradient);
                }
                if computed.as_ref().is_some_and(|computed| !computed[at]) {
                    continue;
                }
                if slot != OUTSIDE {
                    share.members.push((slot, gradient));
                } else if coefficient != 0.0 && floor.is_some() {
                    strays.push((variable, gradient));
                } else if size > bar {
                    share.violators.push((variable, seen[at]));
                }
                if weights {
                    share.weights.push((variable, self.weight(at, asked)));
                }
            }
            // Columns behind these that violate no more would not be named: of equal ones the first is.
            if share.violators.len() > 2 * cap {
                keep_worst(&mut share.violators, cap);
                bar =
                    share.violators.iter().map(|(_, gradient)| gradient.abs()).fold(f64::INFINITY, f64::min);
            }
        }
        keep_worst(&mut share.violators, cap);
        if !strays.is_empty() {
            // A coefficient outside the working set may have to change whatever its gradient: it goes first.
            (share.violators, share.strays) = (strays, true);
        }
        share
    }

    /// What x_j'r says of coefficients that are 0.
    fn seen(&self, terms: &Terms) -> Vec<f64> {
        if terms.has_groups() {
            return terms.norms(self.first as usize, &self.gradient).0;
        }
        let columns = (self.first as usize..).zip(&self.gradient);
        columns.map(|(j, &slope)| terms.seen(j, slope)).collect()
    }

    /// How important a column is to a schedule of rounds. Before lambda is known: by its gradient. Then: by how far an update
    /// would move the fit.
    fn weight(&self, at: usize, asked: &Asked<'_>) -> f64 {
        let (gradient, coefficient, norm) = (self.gradient[at], self.coefficients[at], self.norms[at]);
        match (norm > 0.0, asked.is_known) {
            (false, _) => 0.0,
            (true, false) => gradient.abs() / norm.sqrt(),
            (true, true) => {
                let j = self.first as usize + at;
                (asked.minimiser(j, gradient, coefficient, norm) - coefficient).abs() * norm.sqrt()
            }
        }
    }

    /// Notes the columns of a range of which more than the largest product is to be told: members of the working set,
    /// coefficients, and what is above the bar; or all of them. Returns the largest |x_j'r| that is known of the columns
    /// without a coefficient.
    fn note(
        &self,
        stretch: Range<usize>,
        (seen, marks): (&[f64], &[f64]),
        bar: f64,
        computed: Option<&[bool]>,
        all: bool,
        noted: &mut Vec<usize>,
    ) -> f64 {
        if !all && computed.is_none() {
            let [gradient, coefficients] = [seen, marks].map(|values| &values[stretch.clone()]);
            let largest = kernels::scan(gradient, coefficients, &self.slots[stretch.clone()], bar, noted);
            noted.iter_mut().for_each(|at| *at += stretch.start);
            return largest;
        }
        let mut largest = 0.0;
        for at in stretch {
            let (size, coefficient) = (seen[at].abs(), marks[at]);
            if coefficient == 0.0 && size > largest && computed.is_none_or(|computed| computed[at]) {
                largest = size;
            }
            if all || size > bar || coefficient != 0.0 || self.slots[at] != OUTSIDE {
                noted.push(at);
            }
        }
        largest
    }

    /// Computes x_j'r of every column, or, where the certificate is lazy, of those that may reach the floor: then
    /// tells which.
    fn products(&mut self, asked: &Asked<'_>) -> Option<Vec<bool>> {
        let Asked { residual, sum, floor, lazy, .. } = *asked;
        let floor = floor.filter(|&floor| lazy && floor > 0.0);
        let ready = self.bounds.take().filter(|bounds| !bounds.wants_all()).zip(floor);
        let Some((mut bounds, floor)) = ready else {
            self.pass(residual, sum);
            if lazy {
                let norms = self.norms.iter().map(|norm| norm.sqrt()).collect();
                let mut bounds = LazyBounds::new(norms);
                bounds.learn_all(residual, &self.gradient);
                self.bounds = Some(bounds);
            }
            return None;
        };
        let wanted = |at: u32| self.slots[at as usize] != OUTSIDE || self.coefficients[at as usize] != 0.0;
        let needed = bounds.needed(residual, floor, wanted);
        let products: Vec<f64> = needed.iter().map(|&at| self.view(at as usize).dot(residual, sum)).collect();
        let mut computed = vec![false; self.gradient.len()];
        for (&at, &product) in needed.iter().zip(&products) {
            (self.gradient[at as usize], computed[at as usize]) = (product, true);
        }
        bounds.learn(residual, &needed, &products);
        self.bounds = Some(bounds);
        Some(computed)
    }
}

/// A share with room for violators, and for a few of everything else.
fn with_room(largest: f64, violators: usize, few: usize) -> Share {
    Share {
        largest,
        violators: Vec::with_capacity(violators),
        members: Vec::with_capacity(few),
        nonzeros: Vec::with_capacity(few),
        slopes: Vec::with_capacity(few),
        ..Share::default()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::data::columns::Columns;
    use crate::data::design::Design;
    use crate::loss::rows::Rows;
    use crate::run::gram_tiles::WorkingPart;

    #[test]
    fn a_lazy_certificate_tells_of_coefficients_and_members_what_a_full_one_tells() {
        let (rows, columns) = (6, 9);
        let value = |at: usize| ((at * 37 + at / 7) % 11) as f64 - 5.0;
        let design = Design::Dense { rows, values: (0..rows * columns).map(value).collect() };
        // Coefficients inside and outside the working set.
        let coefficients = [(2, 0.5), (4, -1.5), (7, 2.0)];
        let columns = Columns::Here(Arc::new(design));
        let shard = ColumnShard::of(&columns, 0..9, WorkingPart::default(), &coefficients).unwrap();
        let (given, terms) = (Rows::plain(vec![0.0; rows]), Terms::default());
        let mut lazy = shard;
        lazy.admit(0, &[1, 4], false);
        let mut full = lazy.clone();
        for step in 0..5_u32 {
            let residual: Vec<f64> = (0..rows).map(|row| 0.01 * f64::from(step) + 0.1 * value(row)).collect();
            let asked = |lazy| Asked {
                residual: &residual,
                sum: residual.iter().sum(),
                is_known: true,
                penalty: 1e3,
                ridge: 0.0,
                curvature: 1.0,
                local: None,
                // So high that no column can reach it.
                floor: Some(1e3),
                first: None,
                cap: 4,
                weights: false,
                lazy,
                rows: &given,
                terms: &terms,
            };
            let (told, expected) = (lazy.share(&asked(true)), full.share(&asked(false)));
            assert_eq!((told.nonzeros.len(), told.members.len()), (3, 2));
            assert_eq!((told.nonzeros, told.slopes), (expected.nonzeros, expected.slopes), "step {step}");
            assert_eq!(told.members, expected.members, "step {step}");
            assert_eq!((told.violators, told.strays), (expected.violators, expected.strays), "step {step}");
        }
    }
}
