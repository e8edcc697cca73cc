//! The solver on one Gram for groups of coefficients: block coordinate descent, and Newton steps on the
//! groups that are not zero.
//!
//! If a group is not zero its norm is smooth, with the second derivative (I - u u') / |b_g|, u = b_g / |b_g|:
//! on the groups that are not zero F has a Hessian. Epochs choose these groups, and Newton steps with a line
//! search find their minimum.

use super::alternate::Turns;
use super::basis::Basis;
use super::epoch::Swept;
use super::local::{Local, ObjectiveGap};
use crate::penalties::Terms;
use raddle_kernels::algebra::dot;

/// Largest number of steps on one group; the next constant is the relative change below which a step is the
/// last.
const STEPS: usize = 100;
const STILL: f64 = 1e-14;

/// Largest number of Newton steps before epochs run again; the next constant is that of halvings of a step.
const NEWTONS: usize = 10;
const HALVINGS: usize = 30;

/// A pivot below this share of its diagonal belongs to a column that depends on others.
const DEPENDENT: f64 = 1e-13;

/// Objective and gap, for r'r, at the dual point k r with k = min(1, L / max |x_g'r|).
pub(super) fn measure(local: &Local, terms: &Terms, rr: f64, penalty: f64) -> ObjectiveGap {
    let (slopes, _) = terms.norms(0, &local.g);
    let (_, norm) = terms.norms(0, &local.b);
    let largest = slopes.into_iter().fold(0.0, f64::max);
    let scale = if largest > penalty { penalty / largest } else { 1.0 };
    let rest = 0.5 * (1.0 - scale) * (1.0 - scale) * rr;
    let gap = rest + (penalty * norm - scale * dot(&local.g, &local.b)).max(0.0);
    let primal = 0.5 * rr + penalty * norm;
    ObjectiveGap { primal, dual: primal - gap, gap }
}

/// The alternation for the Lasso with groups.
pub(super) struct Grouped {
    groups: Vec<Group>,
    penalty: f64,
    target: f64,
}

impl Grouped {
    /// The alternation for these members, whose Newton steps end at the gap `target`.
    pub(super) fn new(local: &Local, terms: &Terms, penalty: f64, target: f64) -> Self {
        let groups = terms.members().into_iter().map(|members| Group::new(local, members)).collect();
        Self { groups, penalty, target }
    }

    /// Groups that are not zero.
    fn active(&self, local: &Local) -> impl Iterator<Item = &Group> {
        self.groups.iter().filter(|group| !group.is_zero(local))
    }
}

impl Turns for Grouped {
    /// Groups have no sign: each group that changes counts once.
    fn epoch(&mut self, local: &mut Local) -> Swept {
        let mut swept = Swept::default();
        for group in self.groups.iter() {
            if group.minimise(local, self.penalty) {
                swept.changed += 1;
                swept.flops += 2 * (group.members.len() * local.b.len()) as u64;
            }
        }
        Swept { signs: swept.changed, ..swept }
    }

    fn free(&self, local: &Local) -> usize {
        self.active(local).map(|group| group.members.len()).sum()
    }

    fn newton(
        &mut self,
        local: &mut Local,
        mut measure: ObjectiveGap,
        measure_of: impl Fn(&Local) -> ObjectiveGap,
    ) -> ObjectiveGap {
        let active: Vec<&Group> = self.active(local).collect();
        for _ in 0..NEWTONS {
            if measure.gap <= self.target || !newton(local, &active, self.penalty) {
                break;
            }
            measure = measure_of(local);
        }
        measure
    }
}

/// A group's members, their Gram, and a bound on its largest eigenvalue.
struct Group {
    members: Vec<usize>,
    gram: Vec<f64>,
    curvature: f64,
}

impl Group {
    fn new(local: &Local, members: Vec<usize>) -> Self {
        let gram: Vec<f64> =
            members.iter().flat_map(|&i| members.iter().map(move |&j| local.gram.row(i)[j])).collect();
        let rows = gram.chunks(members.len()).map(|row| row.iter().map(|value| value.abs()).sum::<f64>());
        let curvature = rows.fold(0.0, f64::max);
        Self { members, gram, curvature }
    }

    fn is_zero(&self, local: &Local) -> bool {
        self.members.iter().all(|&i| local.b[i] == 0.0)
    }

    /// Minimises F over the group by proximal steps, and updates g. Returns whether anything changed.
    fn minimise(&self, local: &mut Local, penalty: f64) -> bool {
        let pick = |from: &[f64]| self.members.iter().map(|&i| from[i]).collect::<Vec<f64>>();
        let (start, mut b, mut g) = (pick(&local.b), pick(&local.b), pick(&local.g));
        let is_zero = self.is_zero(local);
        if self.curvature <= 0.0 || (is_zero && dot(&g, &g).sqrt() <= penalty) {
            return false;
        }
        for _ in 0..STEPS {
            raddle::cancellation_point(self.gram.len() as u64);
            let z: Vec<f64> = b.iter().zip(&g).map(|(b, g)| self.curvature * b + g).collect();
            let size = dot(&z, &z).sqrt();
            let keep = if size > penalty { (1.0 - penalty / size) / self.curvature } else { 0.0 };
            let steps: Vec<f64> = z.iter().zip(&b).map(|(z, b)| keep * z - b).collect();
            b.iter_mut().zip(&z).for_each(|(b, z)| *b = keep * z);
            for (g, row) in g.iter_mut().zip(self.gram.chunks(self.members.len())) {
                *g -= dot(row, &steps);
            }
            if dot(&steps, &steps) <= STILL * STILL * dot(&b, &b) {
                break;
            }
        }
        if b == start {
            return false;
        }
        local.move_to(&self.members, &b);
        true
    }
}

/// Takes a Newton step on the groups that are not zero, as far as F falls; returns whether it did.
fn newton(local: &mut Local, active: &[&Group], penalty: f64) -> bool {
    let members: Vec<usize> = active.iter().flat_map(|group| group.members.iter().copied()).collect();
    let norm = |group: &Group, b: &dyn Fn(usize) -> f64| {
        group.members.iter().map(|&i| b(i) * b(i)).sum::<f64>().sqrt()
    };
    // For each member the start and the end of its group among them, and the group's norm.
    let mut about = Vec::with_capacity(members.len());
    for group in active {
        let (first, size) = (about.len(), norm(group, &|i| local.b[i]));
        about.extend(std::iter::repeat_n((first, size), group.members.len()));
    }
    if about.iter().any(|&(_, size)| size == 0.0) {
        return false;
    }
    let basis = curved(local, &members, &about, penalty);
    let kept = &basis.members;
    let slope = |&at: &usize| local.g[members[at]] - penalty * local.b[members[at]] / about[at].1;
    let slopes: Vec<f64> = kept.iter().map(slope).collect();
    let step = basis.solve(slopes.clone());
    let promised = dot(&slopes, &step);
    if promised.is_nan() || promised <= 0.0 {
        return false;
    }
    let size: f64 = members.iter().map(|&i| local.b[i] * local.b[i]).sum();
    if dot(&step, &step) <= STILL * STILL * size {
        return false;
    }
    let mut d = vec![0.0; members.len()];
    kept.iter().zip(&step).for_each(|(&at, step)| d[at] = *step);
    let linear: f64 = members.iter().zip(&d).map(|(&i, d)| local.g[i] * d).sum();
    let moved: Vec<(f64, &[f64])> =
        members.iter().zip(&d).filter(|(_, d)| **d != 0.0).map(|(&i, &d)| (d, local.gram.row(i))).collect();
    let mut image = vec![0.0; local.b.len()];
    raddle_kernels::algebra::add_scaled_columns(&mut image, &moved);
    let curvature: f64 = members.iter().zip(&d).map(|(&i, d)| image[i] * d).sum();
    // The growth of the sum of |b_g| at this share of the step.
    let rise = |length: f64| {
        let (mut at, mut rise) = (0, 0.0);
        for group in active {
            let ends = group.members.iter().zip(&d[at..]).map(|(&i, d)| local.b[i] + length * d);
            let total = ends.map(|end| end * end).sum::<f64>().sqrt() + about[at].1;
            // Equal to |b| - |a| = (b - a)'(b + a) / (|a| + |b|), which avoids cancellation.
            let along = group.members.iter().zip(&d[at..]).map(|(&i, d)| d * (2.0 * local.b[i] + length * d));
            rise += length * along.sum::<f64>() / total;
            at += group.members.len();
        }
        rise
    };
    let noise = 4.0 * f64::EPSILON * linear.abs();
    let change = |length: f64| -length * linear + 0.5 * length * length * curvature + penalty * rise(length);
    let lengths = std::iter::successors(Some(1.0), |length| Some(0.5 * length)).take(HALVINGS);
    let falls = |length: &f64| change(*length) <= -1e-4 * length * promised + noise;
    let Some(length) = lengths.into_iter().find(falls) else { return false };
    let target: Vec<f64> = members.iter().zip(&d).map(|(&i, d)| local.b[i] + length * d).collect();
    local.move_to(&members, &target);
    true
}

/// The basis of members under the Hessian of F; `about` has the group and its norm for each member.
fn curved(local: &Local, members: &[usize], about: &[(usize, f64)], penalty: f64) -> Basis {
    let mut basis = Basis::new(members.len(), DEPENDENT);
    for (at, &i) in members.iter().enumerate() {
        let ((first, size), row) = (about[at], local.gram.row(i));
        basis.try_push(at, |other| {
            let j = members[other];
            let bend = match other >= first {
                true => {
                    penalty / size * (f64::from(u8::from(i == j)) - local.b[i] * local.b[j] / (size * size))
                }
                false => 0.0,
            };
            row[j] + bend
        });
    }
    basis
}
