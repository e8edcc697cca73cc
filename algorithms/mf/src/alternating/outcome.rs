//! The model of an alternating run, made from its outcome.

use raddle::{Outcome, Parts};

use super::course::{Course, Setting};
use super::program::{AlternatingProgram, SideSolver};
use crate::fitted::Fit;
use crate::input::problem::Problem;
use crate::model::Model;
use crate::params::Mf;
use crate::settings::FoldIn;
use raddle_kernels::factors::LANES;

impl Mf {
    /// Makes the model from the outcome of a run.
    pub(super) fn collect(
        &self,
        problem: &Problem,
        way: SideSolver,
        center: f64,
        outcome: Outcome<AlternatingProgram>,
    ) -> Fit {
        let Outcome { parts, mut report, trace, .. } = outcome;
        let Parts { shards, pinned: mut progress, replica, .. } = parts;
        let is_earlier = progress.is_earlier(report.epochs);
        let columns = progress.kept.take().filter(|_| is_earlier).unwrap_or(replica.columns);
        let (rank, reg) = match way {
            SideSolver::Rows(rows) => (rows.rank, rows.reg),
            SideSolver::Columns(columns) => (columns.rank, columns.reg),
        };
        let mut model = Model { mean: center, ..Model::zeros(problem.users, problem.items, rank) };
        // Rows without ratings are zeros after an epoch; before the first epoch there are only the initial
        // factors.
        let mut to = model.sides_mut();
        match way {
            _ if report.epochs == 0 => {}
            SideSolver::Rows(least) => {
                let width = least.chunks() * LANES;
                for shard in shards {
                    let rows = if is_earlier { shard.best } else { shard.own }.unwrap_or_default();
                    let (side, rows) = (shard.side, bytemuck::cast_slice::<_, f32>(&rows.0));
                    let (factors, biases) = &mut to[side];
                    let factors = factors[shard.first * rank..].chunks_exact_mut(rank);
                    let to = factors.zip(&mut biases[shard.first..]);
                    for ((to, bias), from) in to.zip(rows.chunks_exact(width)) {
                        to.copy_from_slice(&from[..rank]);
                        *bias = if least.biases { from[rank + side] } else { 0.0 };
                    }
                }
            }
            SideSolver::Columns(descent) => {
                for (side, (factors, biases)) in to.into_iter().enumerate() {
                    for (row, (to, bias)) in factors.chunks_exact_mut(rank).zip(biases).enumerate() {
                        to.iter_mut().zip(&columns[side]).for_each(|(to, column)| *to = column[row]);
                        *bias = if descent.biases { columns[side][rank + side][row] } else { 0.0 };
                    }
                }
            }
        }
        let fold_in = match progress.course.as_ref().map(|course| course.last(progress.length(report.epochs)))
        {
            Some(Setting { weight, reg }) => FoldIn { implicit: Some(weight), ..self.folds_in(reg) },
            None => self.folds_in(reg),
        };
        let sign = if self.implicit.is_some() { -1.0 } else { 1.0 };
        let best = progress.best.is_finite().then_some(sign * progress.best);
        if let Some(best) = best {
            // The model is that of the best epoch, and so is the metric.
            report.metric.value = best;
        }
        let length = progress.length(progress.best_epoch) as u32;
        let trials = progress.course.map_or(Vec::new(), Course::into_trials);
        let (best_epoch, length, log) = (progress.best_epoch, (length, length), progress.log);
        Fit { best, best_epoch, length, trials, log, trace, ..Fit::of(model, fold_in, report) }
    }
}
