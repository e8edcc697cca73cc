//! The threads of a generation and the channels between them.

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::{AllocatorBuilder, ProcessBuilder};
use timely::communication::{Allocator, Hooks, initialize_from};
use timely::worker::Worker;
use timely::{CommunicationConfig, WorkerConfig};

use super::{Generation, Links};
use crate::base::error::EngineError;
use crate::base::hands::lock;
use crate::cluster::net::frames::Frames;
use crate::program::Program;

impl<P: Program> Generation<P> {
    pub(super) fn run_on_threads(self: &Arc<Self>, links: Option<Links>) -> Result<(), EngineError> {
        let here = self.layout.here.len();
        let refused = |why| EngineError::Start { threads: here, why };
        let (mut builders, others) = self.channels(here, links).map_err(refused)?;
        // The first worker runs on this thread: where there are as many cores as workers, the system otherwise
        // places two of the threads that it starts at once on one core, for milliseconds.
        let first = builders.remove(0);
        let work = |generation: &Arc<Self>, allocator| {
            generation.work(&mut Worker::new(WorkerConfig::default(), allocator, Some(Instant::now())));
        };
        let generation = Arc::clone(self);
        let guards = initialize_from(builders, others, move |allocator| work(&generation, allocator));
        let guards = guards.map_err(refused)?;
        let first = match first {
            AllocatorBuilder::Process(first) => Allocator::Process(first.build()),
            AllocatorBuilder::Tcp(first) => Allocator::Tcp(first.build()),
            AllocatorBuilder::Thread(_) => {
                return Err(refused("timely builds no channels between threads".into()));
            }
        };
        work(self, first);
        for result in guards.join() {
            if let Err(message) = result {
                self.fail(message);
            }
        }
        Ok(())
    }

    /// The channels of the threads of this process, to each other and to those of others.
    fn channels(
        self: &Arc<Self>,
        here: usize,
        links: Option<Links>,
    ) -> Result<(Vec<AllocatorBuilder>, Box<dyn Any + Send>), String> {
        let Some(Links { index, links }) = links else {
            return match self.settings.serialized {
                true => CommunicationConfig::ProcessBinary(here),
                false => CommunicationConfig::Process(here),
            }
            .try_build();
        };
        let hooks = Hooks::default();
        let inner = match self.settings.serialized {
            true => ProcessBuilder::new_bytes_vector(here, hooks.refill.clone(), None),
            false => ProcessBuilder::new_typed_vector(here, hooks.refill.clone(), None),
        };
        let mut streams = Vec::with_capacity(links.len());
        for (number, link) in links.into_iter().enumerate() {
            let Some((name, link)) = link else {
                streams.push(None);
                continue;
            };
            lock(&self.links).push(link.clone());
            let generation = Arc::clone(self);
            let lost = Arc::new(move |why: &str| generation.lose(why));
            let sources = number * here..(number + 1) * here;
            streams.push(Some(Frames::new(link, name, (sources, self.layout.here.clone()), lost)));
        }
        let made = initialize_networking_from_sockets(inner, streams, index, here, hooks);
        let (builders, guard) = made.map_err(|why| why.to_string())?;
        Ok((builders.into_iter().map(AllocatorBuilder::Tcp).collect(), Box::new(guard)))
    }
}
