//! [`ShardCertificate`] of a shard: the largest gradient of its columns, and its violators for the working
//! set.

use std::ops::Range;

use super::coordinate_step::CoordinateStep;
use super::messages::ShardCertificate;
use super::shard::ColumnShard;
use super::spec::Spec;
use crate::loss::rows::Rows;
use crate::penalties::Terms;
use crate::working_set::{LazyBounds, keep_worst};
use raddle_kernels::algebra::{self as kernels, OUTSIDE};

/// Number of columns examined before the threshold is raised above those that will not be named.
const STRETCH: usize = 256;

/// Inputs of a shard's certificate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CertificateRequest<'a> {
    pub(crate) residual: &'a [f64],
    /// Sum of the residual.
    pub(crate) sum: f64,
    /// Step of one coordinate; `None` at the first boundary, where lambda is not known.
    pub(crate) step: Option<CoordinateStep<'a>>,
    /// Columns with |x_j'r| above this may enter the working set; `None` without a working set.
    pub(crate) entry_threshold: Option<f64>,
    /// Spec from which the first boundary of a cold fit derives the threshold while lambda is not known.
    pub(crate) first: Option<&'a Spec>,
    /// Largest number of violators to name.
    pub(crate) max_violators: usize,
    /// `true` if a schedule of rounds needs the importance of every column.
    pub(crate) weights: bool,
    /// `true` if columns that provably stay below the threshold get no product.
    pub(crate) lazy: bool,
    pub(crate) rows: &'a Rows,
    pub(crate) terms: &'a Terms,
}

impl ColumnShard {
    /// Computes the certificate: x_j'r of every column here, and what follows from it.
    pub(crate) fn certificate(&mut self, request: &CertificateRequest<'_>) -> ShardCertificate {
        let CertificateRequest { residual, mut entry_threshold, max_violators, weights, .. } = *request;
        let count = self.coefficients.len();
        // The working set needs no norms: a column of zeros never violates.
        if self.norms.len() != count && (weights || request.lazy) {
            // Steps use weighted norms; bounds on products use unweighted ones.
            self.measure(residual.len(), request.rows.weights().filter(|_| weights));
        }
        let computed = self.products(request);
        // A gradient that pushes a coefficient against its bound is ignored.
        let terms = request.terms;
        let apart = terms.is_bounded() || terms.has_groups();
        let seen = apart.then(|| self.seen(terms));
        let seen = seen.as_deref().unwrap_or(&self.gradient);
        // All columns of a group that is not zero are reported.
        let marks = terms.has_groups().then(|| terms.norms(self.first as usize, &self.coefficients).0);
        let marks = marks.as_deref().unwrap_or(&self.coefficients);
        if let Some(spec) = request.first {
            // The largest product over all columns, and so lambda, is at least the largest here.
            let largest = seen.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
            entry_threshold = Some(spec.least_threshold(largest));
        }
        // Lazy or not, the largest product counts as at least the threshold, so that both report the same.
        let least = if request.lazy { entry_threshold.unwrap_or(0.0).max(0.0) } else { 0.0 };
        let mut certificate = with_room(least, count.min(2 * max_violators + STRETCH), count.min(STRETCH));
        let (mut noted, mut must_enter, mut threshold) =
            (Vec::with_capacity(STRETCH), Vec::new(), entry_threshold.unwrap_or(f64::INFINITY));
        for start in (0..count).step_by(STRETCH) {
            let stretch = start..count.min(start + STRETCH);
            noted.clear();
            let what = (seen, marks);
            let largest = self.note(stretch, what, threshold, computed.as_deref(), weights, &mut noted);
            certificate.largest = certificate.largest.max(largest);
            for &at in &noted {
                let (gradient, coefficient, slot) =
                    (self.gradient[at], self.coefficients[at], self.slots[at]);
                let (variable, size) = (self.first + at as u32, seen[at].abs());
                if marks[at] != 0.0 {
                    certificate.nonzeros.push((variable, coefficient));
                    certificate.slopes.push(gradient);
                }
                if computed.as_ref().is_some_and(|computed| !computed[at]) {
                    continue;
                }
                if slot != OUTSIDE {
                    certificate.members.push((slot, gradient));
                } else if coefficient != 0.0 && entry_threshold.is_some() {
                    must_enter.push((variable, gradient));
                } else if size > threshold {
                    certificate.violators.push((variable, seen[at]));
                }
                if weights {
                    certificate.weights.push((variable, self.weight(at, request)));
                }
            }
            // Later columns that violate no more than these would not be named: among equals the first is.
            if certificate.violators.len() > 2 * max_violators {
                keep_worst(&mut certificate.violators, max_violators);
                threshold = least_size(&certificate.violators);
            }
        }
        keep_worst(&mut certificate.violators, max_violators);
        if !must_enter.is_empty() {
            // A coefficient outside the working set may have to change whatever its gradient is: it enters
            // first.
            (certificate.violators, certificate.must_enter) = (must_enter, true);
        }
        certificate
    }

    /// Returns the gradients of coefficients that are 0, except those that push against a bound; with groups,
    /// their norms.
    fn seen(&self, terms: &Terms) -> Vec<f64> {
        if terms.has_groups() {
            return terms.norms(self.first as usize, &self.gradient).0;
        }
        let columns = (self.first as usize..).zip(&self.gradient);
        columns.map(|(j, &slope)| terms.seen(j, slope)).collect()
    }

    /// Returns the importance of a column to a schedule of rounds: before lambda is known its gradient, then
    /// the distance by which an update would move the fit.
    fn weight(&self, at: usize, request: &CertificateRequest<'_>) -> f64 {
        let (gradient, coefficient, norm) = (self.gradient[at], self.coefficients[at], self.norms[at]);
        match (norm > 0.0, request.step) {
            (false, _) => 0.0,
            (true, None) => gradient.abs() / norm.sqrt(),
            (true, Some(step)) => {
                let j = self.first as usize + at;
                (step.minimiser(j, gradient, coefficient, norm) - coefficient).abs() * norm.sqrt()
            }
        }
    }

    /// Collects the columns of a range that are reported singly: members of the working set, columns with
    /// coefficients, and columns above the threshold; or all columns. Returns the largest known |x_j'r| of
    /// the columns without a coefficient.
    fn note(
        &self,
        stretch: Range<usize>,
        (seen, marks): (&[f64], &[f64]),
        threshold: f64,
        computed: Option<&[bool]>,
        all: bool,
        noted: &mut Vec<usize>,
    ) -> f64 {
        if !all && computed.is_none() {
            let [gradient, coefficients] = [seen, marks].map(|values| &values[stretch.clone()]);
            let largest =
                kernels::scan(gradient, coefficients, &self.slots[stretch.clone()], threshold, noted);
            noted.iter_mut().for_each(|at| *at += stretch.start);
            return largest;
        }
        let mut largest = 0.0;
        for at in stretch {
            let (size, coefficient) = (seen[at].abs(), marks[at]);
            if coefficient == 0.0 && size > largest && computed.is_none_or(|computed| computed[at]) {
                largest = size;
            }
            if all || size > threshold || coefficient != 0.0 || self.slots[at] != OUTSIDE {
                noted.push(at);
            }
        }
        largest
    }

    /// Computes x_j'r of every column, or in a lazy certificate of those that may reach the threshold; then
    /// returns which were computed.
    fn products(&mut self, request: &CertificateRequest<'_>) -> Option<Vec<bool>> {
        let CertificateRequest { residual, sum, entry_threshold, lazy, .. } = *request;
        let entry_threshold = entry_threshold.filter(|&entry_threshold| lazy && entry_threshold > 0.0);
        let ready = self.bounds.take().filter(|bounds| !bounds.wants_all()).zip(entry_threshold);
        let Some((mut bounds, entry_threshold)) = ready else {
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
        let needed = bounds.needed(residual, entry_threshold, wanted);
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

/// An empty certificate with capacity for violators, and for a few entries of every other list.
fn with_room(largest: f64, violators: usize, few: usize) -> ShardCertificate {
    ShardCertificate {
        largest,
        violators: Vec::with_capacity(violators),
        members: Vec::with_capacity(few),
        nonzeros: Vec::with_capacity(few),
        slopes: Vec::with_capacity(few),
        ..ShardCertificate::default()
    }
}

/// Returns the smallest |x_j'r| of the violators.
fn least_size(violators: &[(u32, f64)]) -> f64 {
    violators.iter().map(|(_, gradient)| gradient.abs()).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::data::columns::Columns;
    use crate::data::design::Design;
    use crate::run::gram_tiles::GramTiles;

    #[test]
    fn a_lazy_certificate_tells_of_coefficients_and_members_what_a_full_one_tells() {
        let (rows, columns) = (6, 9);
        let value = |at: usize| ((at * 37 + at / 7) % 11) as f64 - 5.0;
        let design = Design::Dense { rows, values: (0..rows * columns).map(value).collect() };
        // Coefficients inside and outside the working set.
        let coefficients = [(2, 0.5), (4, -1.5), (7, 2.0)];
        let columns = Columns::Here(Arc::new(design));
        let shard = ColumnShard::of(&columns, 0..9, GramTiles::default(), &coefficients).unwrap();
        let (given, terms) = (Rows::plain(vec![0.0; rows]), Terms::default());
        let mut lazy = shard;
        lazy.admit(0, &[1, 4], false);
        let mut full = lazy.clone();
        for step in 0..5_u32 {
            let residual: Vec<f64> = (0..rows).map(|row| 0.01 * f64::from(step) + 0.1 * value(row)).collect();
            let request = |lazy| CertificateRequest {
                residual: &residual,
                sum: residual.iter().sum(),
                step: None,
                // A threshold that no column can reach.
                entry_threshold: Some(1e3),
                first: None,
                max_violators: 4,
                weights: false,
                lazy,
                rows: &given,
                terms: &terms,
            };
            let (told, expected) = (lazy.certificate(&request(true)), full.certificate(&request(false)));
            assert_eq!((told.nonzeros.len(), told.members.len()), (3, 2));
            assert_eq!((told.nonzeros, told.slopes), (expected.nonzeros, expected.slopes), "step {step}");
            assert_eq!(told.members, expected.members, "step {step}");
            assert_eq!(
                (told.violators, told.must_enter),
                (expected.violators, expected.must_enter),
                "step {step}"
            );
        }
    }
}
