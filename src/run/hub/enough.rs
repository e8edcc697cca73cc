//! Rounds that end before all shards have answered ([`Enough`](crate::Enough)), and the check of what a
//! program promises for that.

use super::{Flight, Hub};
use crate::base::random::Stream;
use crate::base::state::{StateError, from_bytes, to_bytes};
use crate::program::Program;
use crate::program::context::Aggregate;
use crate::program::partials::Partials;
use crate::run::fingerprints::Fingerprints;

/// Number of orders of arrival of which the first sufficient sets are compared.
const ORDERS: u64 = 6;

impl<P: Program> Hub<P> {
    /// Ends a round if the program says that its answers so far are enough. A run that is compared with
    /// others waits for all.
    pub(super) fn end_if_enough(&mut self, at: usize) -> Result<(), String> {
        let Some(enough) = self.verbs.enough else { return Ok(()) };
        let flight = &mut self.flights[at];
        let mut answered: Vec<u32> = flight.partials.answers().iter().map(|&(shard, _)| shard).collect();
        answered.sort_unstable();
        self.state.progress.panic_context("enough").round(flight.number).enter();
        if !enough(&self.program, &flight.round, &answered) {
            let (number, epoch, all) = (flight.number, self.state.progress.epoch, answered.len());
            return match flight.partials.waits() {
                true => Ok(()),
                false => Err(format!(
                    "`enough` is not content with the answers of all {all} shards of round {number} of epoch \
                     {epoch}: it must accept them"
                )),
            };
        }
        if self.settings.fingerprints != Fingerprints::All {
            flight.partials.close();
        }
        Ok(())
    }

    /// Aggregates several sufficient sets of a round that is about to be aggregated, if the run is compared
    /// with others: all must leave the same bytes.
    pub(super) fn compare_sufficient(&self, flight: &Flight<P>) -> Result<(), String> {
        let Some(enough) = self.verbs.enough.filter(|_| self.settings.fingerprints == Fingerprints::All)
        else {
            return Ok(());
        };
        let Flight { number, round, partials, .. } = flight;
        let epoch = self.state.progress.epoch;
        self.state.progress.panic_context("enough, or aggregate of a sufficient set").round(*number).enter();
        let broken = |why: StateError| format!("a partial or the pinned block cannot be read back: {why}");
        let mut all: Vec<u32> = partials.answers().iter().map(|&(shard, _)| shard).collect();
        all.sort_unstable();
        let expected = self.left_by(flight, &all).map_err(broken)?;
        for order in 0..ORDERS {
            let mut arrived = all.clone();
            Stream::new(&[epoch, *number, order]).shuffle(&mut arrived);
            let mut set = Vec::new();
            for shard in arrived {
                if enough(&self.program, round, &set) {
                    break;
                }
                set.insert(set.partition_point(|&before| before < shard), shard);
            }
            let left = self.left_by(flight, &set).map_err(broken)?;
            for (what, expected, left) in
                [("change", &expected.0, &left.0), ("pinned block", &expected.1, &left.1)]
            {
                if left != expected {
                    let byte =
                        left.iter().zip(expected).take_while(|(left, expected)| left == expected).count();
                    return Err(format!(
                        "the answers of shards {set:?} are enough for round {number} of epoch {epoch}, but \
                         leave another {what} than those of all, from byte {byte} on: any sufficient set must \
                         give the same bytes"
                    ));
                }
            }
        }
        Ok(())
    }

    /// Returns the bytes of the change and of the pinned block that the answers of these shards would leave.
    fn left_by(&self, flight: &Flight<P>, set: &[u32]) -> Result<(Vec<u8>, Vec<u8>), StateError> {
        let mut pinned = from_bytes(&to_bytes(&self.state.pinned))?;
        let some = flight.partials.answers().iter().filter(|(shard, _)| set.contains(shard));
        let copies = some.map(|(shard, partial)| Ok((*shard, from_bytes(&to_bytes(partial))?)));
        let partials = Partials::from(copies.collect::<Result<Vec<_>, StateError>>()?);
        let change =
            self.program.aggregate(Aggregate { round: &flight.round, pinned: &mut pinned, partials });
        Ok((to_bytes(&change), to_bytes(&pinned)))
    }
}
