//! [`PdOrs`]: the plans of all admitted jobs, reviewed and followed slot by slot.

use std::collections::{BTreeMap, BTreeSet};

use super::calendar::Calendar;
use super::fill;
use super::in_slot::{OneNode, Placer};
use super::plan::Plan;
use super::prices::{Prices, density};
use super::settings::PlanSettings;
use super::unfit::promisable;
use crate::policy::cluster::Cluster;
use crate::policy::job::{Job, JobId};
use crate::policy::{Allocation, Policy, Promise, Room};

/// Primal-dual online scheduling: a job is admitted with a plan by slots and a promised end, or refused.
#[derive(Debug)]
pub struct PdOrs<P = OneNode> {
    pub(super) settings: PlanSettings,
    pub(super) placer: P,
    pub(super) calendar: Calendar,
    pub(super) prices: Prices,
    plans: BTreeMap<JobId, Plan>,
    refused: BTreeSet<JobId>,
    /// Last slot in which plans were compared with the work left.
    reviewed: Option<u32>,
}

impl PdOrs {
    /// A policy before its first job, which places each job on one node.
    pub fn new(settings: PlanSettings) -> Self {
        Self::with_placer(settings, OneNode)
    }
}

impl<P: Placer> Policy for PdOrs<P> {
    fn name(&self) -> &'static str {
        P::POLICY
    }

    fn slot(&self) -> Option<f64> {
        Some(self.settings.slot)
    }

    /// Widens the bounds of the prices.
    fn expect(&mut self, cluster: &Cluster, job: &Job) {
        self.prices.see(&self.settings, cluster, job);
    }

    fn decide(&mut self, now: f64, cluster: &Cluster, jobs: &[Job]) -> Allocation {
        let slot = self.settings.slot_of(now);
        let mut allocation = Allocation::default();
        self.calendar.advance(slot);
        self.forget(slot, jobs);
        if self.reviewed != Some(slot) {
            self.reviewed = Some(slot);
            self.review(now, slot, cluster, jobs);
        }
        let is_new = |job: &&Job| !self.plans.contains_key(&job.id) && !self.refused.contains(&job.id);
        let mut new: Vec<&Job> = jobs.iter().filter(is_new).collect();
        // Of jobs that come together, the one that pays most for what it takes.
        new.sort_by(|a, b| density(cluster, b).total_cmp(&density(cluster, a)));
        new.into_iter().for_each(|job| self.answer(now, cluster, job, &mut allocation));
        self.follow(now, slot, cluster, jobs, &mut allocation);
        allocation
    }
}

impl<P: Placer> PdOrs<P> {
    /// A policy before its first job, which places jobs with `placer`.
    pub fn with_placer(settings: PlanSettings, placer: P) -> Self {
        Self {
            settings,
            placer,
            calendar: Calendar::default(),
            prices: Prices::default(),
            plans: BTreeMap::new(),
            refused: BTreeSet::new(),
            reviewed: None,
        }
    }

    /// Releases the plans of jobs that are gone.
    fn forget(&mut self, slot: u32, jobs: &[Job]) {
        let here: BTreeSet<JobId> = jobs.iter().map(|job| job.id).collect();
        self.refused.retain(|id| here.contains(id));
        for (id, plan) in &mut self.plans {
            if !here.contains(id) {
                plan.release(&mut self.calendar, slot);
            }
        }
        self.plans.retain(|id, _| here.contains(id));
    }

    /// Plans a job again if its plan is too short for the work left, and releases slots that it does not
    /// need.
    fn review(&mut self, now: f64, slot: u32, cluster: &Cluster, jobs: &[Job]) {
        for job in jobs {
            let Some(mut plan) = self.plans.remove(&job.id) else { continue };
            if let Some(enough) = plan.enough(&self.settings, now, job) {
                plan.release(&mut self.calendar, enough);
            } else if job.left.is_some() {
                let before = plan.release(&mut self.calendar, slot);
                let again = self.again(now, plan.by, cluster, job);
                plan.take(&mut self.calendar, again.map_or(before, |offer| offer.slots));
            }
            self.plans.insert(job.id, plan);
        }
    }

    /// Admits a new job with a promise, or refuses it.
    fn answer(&mut self, now: f64, cluster: &Cluster, job: &Job, allocation: &mut Allocation) {
        self.expect(cluster, job);
        let offer = match promisable(now, cluster, job) {
            Ok(()) => self.admission(now, cluster, job),
            Err(_) => Err(None),
        };
        let promise = match offer {
            Ok(offer) => {
                let mut plan = Plan::new(offer.end, job.demand);
                plan.take(&mut self.calendar, offer.slots);
                self.plans.insert(job.id, plan);
                Promise::By(offer.end)
            }
            Err(earliest) => {
                self.refused.insert(job.id);
                Promise::Refused(earliest)
            }
        };
        allocation.promises.push((job.id, promise));
    }

    /// Carries out the placements of a slot, as far as the cluster has capacity: the earliest promised end
    /// comes first.
    fn follow(&mut self, now: f64, slot: u32, cluster: &Cluster, jobs: &[Job], allocation: &mut Allocation) {
        let mut room = Room::of(cluster);
        let mut admitted: Vec<(&Job, &Plan)> =
            jobs.iter().filter_map(|job| Some((job, self.plans.get(&job.id)?))).collect();
        admitted.sort_by(|a, b| a.1.by.total_cmp(&b.1.by));
        for (job, plan) in &admitted {
            if let Some(placement) = plan.at(slot)
                && room.try_take(&job.demand, placement)
            {
                allocation.placements.insert(job.id, placement.clone());
            }
        }
        if self.settings.fill && cluster.nodes.len() == 1 {
            let jobs: Vec<&Job> = admitted.iter().map(|(job, _)| *job).collect();
            fill::fill(&self.settings, now, slot, &mut room, &jobs, &mut allocation.placements);
        }
    }
}
