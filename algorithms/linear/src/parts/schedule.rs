//! [`PartsSchedule`]: each part visits its shards once per epoch.

use raddle::Verb;
use raddle::random::Stream;
use raddle::schedule::{EpochStart, Plan, Schedule, makespan};
use raddle::state::{Reader, StateError, Writer};

use super::cut::Cut;
use super::phase::PartsPhase;
use super::plan::PartPlan;
use super::search::{Search, SearchState};

/// The schedule of parts by a plan; the rounds of an epoch are known at its start.
#[derive(Debug, Clone)]
pub(super) struct PartsSchedule {
    plan: PartPlan,
    cut: Cut,
    search: Option<Search>,
    seed: u64,
}

impl PartsSchedule {
    pub(super) fn new(plan: PartPlan, cut: Cut, seed: u64) -> Self {
        let search = (plan == PartPlan::Auto).then(|| {
            let numbers = (0..=cut.finest().ilog2()).map(|power| 1 << power);
            Search::new(numbers.map(|parts| (parts, time(&cut, parts))).collect())
        });
        Self { plan, cut, search, seed }
    }

    fn parts(&mut self, start: &EpochStart) -> u32 {
        match &mut self.search {
            Some(search) => search.next(start.epoch, start.objective),
            None => self.plan.parts_at(start.epoch).unwrap_or(1),
        }
    }
}

/// Returns the virtual time of an epoch with one worker per part.
fn time(cut: &Cut, parts: u32) -> f64 {
    let placement: Vec<u32> = (0..cut.shards() as u32).map(|shard| cut.part_of(shard, parts)).collect();
    let cost = |shard: u32| cut.costs().get(shard as usize).map_or(0.0, |&cost| cost as f64);
    let time = makespan(
        &cut.rounds(parts, &mut Stream::new(&[0])),
        &placement,
        |task| cost(task.shard),
        &vec![1.0; parts as usize],
    );
    // Rows without values cost nothing and gain nothing.
    time.unwrap_or(0.0).max(1.0)
}

impl Schedule<PartsPhase> for PartsSchedule {
    fn identity(&self) -> String {
        format!("{} parts of {} shards", self.plan, self.cut.shards())
    }

    fn requires(&self) -> Vec<Verb> {
        vec![Verb::UpdateBlock]
    }

    fn wanted(&self, start: &EpochStart) -> Option<u32> {
        Some(self.clone().parts(start))
    }

    /// A shard meets only one block, that of its part.
    fn cost(&self, _: u64, _: &PartsPhase, cost: u64) -> u64 {
        cost.saturating_mul(u64::from(self.cut.finest()))
    }

    fn begin_epoch(&mut self, start: &EpochStart) -> Plan<PartsPhase> {
        let parts = self.parts(start);
        Plan::Known(self.cut.rounds(parts, &mut Stream::new(&[self.seed, start.epoch])))
    }

    fn save(&self, out: &mut Writer) {
        out.write(&self.search.as_ref().map(|search| search.state.clone()));
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), StateError> {
        let state: Option<SearchState> = from.read()?;
        match (&mut self.search, state) {
            (Some(search), Some(state)) if search.fits(&state) => search.state = state,
            (None, None) => {}
            _ => return Err(StateError::new("a search for the number of parts")),
        }
        Ok(())
    }
}
