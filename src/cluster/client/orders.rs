//! Orders of the coordinator: some are obeyed at once, the others wait for the process.

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use crate::base::error::EngineError;
use crate::base::sync::lock;
use crate::cluster::net::link::messenger;
use crate::cluster::net::socket::Socket;
use crate::cluster::net::wire::{receive, send};
use crate::cluster::parent_link::remove_leftovers;
use crate::cluster::protocol::{GenerationStart, MemberReport, Order};
use crate::run::requests::BoundaryRequests;

/// Function that ends the process with a status, such as `std::process::exit`.
pub(crate) type End = fn(i32) -> !;

/// Exit status of a process that ends because another one is lost, or the coordinator is gone.
pub const LOST: i32 = 75;
/// Longest order in bytes: a plan names every shard.
const MOST: u64 = 1 << 30;
/// Deadlines without an order after which the connection counts as broken. The coordinator, which decides,
/// comes first.
const DEADLINES: f64 = 2.0;

/// Next instruction of the coordinator to a process.
pub(crate) enum Instruction {
    /// Take part in a generation.
    Begin(Box<GenerationStart>),
    /// Submit the parts of a checkpoint of the boundary after this epoch.
    SubmitParts { epoch: u64, anew: bool },
    /// Write the model.
    Write,
    /// Leave: the run continues without this process, or is over.
    Leave,
}

/// An instruction, or the reason that none follows.
pub(super) type Instructed = Result<Instruction, EngineError>;

/// Returns the error that the connection to the coordinator has ended.
pub(super) fn coordinator_gone() -> EngineError {
    EngineError::Process("the coordinator of the run is gone".into())
}

/// State that the thread which receives orders acts on.
pub(super) struct Orders {
    pub(super) end: Option<End>,
    pub(super) done: Arc<AtomicBool>,
    pub(super) used: Arc<AtomicBool>,
    pub(super) requests: Arc<BoundaryRequests>,
}

/// Ends the process, and removes what a supervisor that is gone has left.
pub(super) fn finish(end: End, status: i32) -> ! {
    remove_leftovers();
    end(status)
}

/// Reports, here and to the coordinator, that an order was damaged on the way: the process cannot continue.
fn tell_damage(to: &mut Socket) {
    let why = "what the coordinator sent did not arrive as it was";
    // No reader is left if stderr is closed; the coordinator may be gone.
    let _ = writeln!(
        io::stderr(),
        "raddle: {why}: the process ends, and the run continues from its last checkpoint"
    );
    let _ = send(to, &MemberReport::Failed { why: why.into(), of_a_peer: true });
}

impl Orders {
    /// Receives orders in a thread of its own; returns the receiver of those that wait for the process.
    pub(super) fn receive_from(self, to: &Arc<Mutex<Socket>>) -> io::Result<mpsc::Receiver<Instructed>> {
        let (sender, instructions) = mpsc::channel();
        let (mut control, to) = (lock(to).clone(), Arc::downgrade(to));
        let receiving = messenger("orders").spawn(move || {
            loop {
                let order = receive(&mut control, MOST);
                if order.as_ref().is_err_and(|why| why.kind() == io::ErrorKind::InvalidData)
                    && let Some(to) = to.upgrade()
                {
                    tell_damage(&mut lock(&to));
                }
                match (&order, self.end) {
                    (Ok(Order::Lost) | Err(_), Some(end)) if !self.done.load(Ordering::Acquire) => {
                        finish(end, LOST)
                    }
                    // The process is still reading its data, which the run no longer needs.
                    (Ok(Order::End), Some(end)) if !self.used.load(Ordering::Acquire) => finish(end, 0),
                    _ => {}
                }
                let Some(instruction) = self.obey(order, &control) else { continue };
                let is_last = matches!(instruction, Err(EngineError::Process(_)));
                // The client may have been dropped.
                if sender.send(instruction).is_err() || is_last {
                    return;
                }
            }
        });
        receiving.map(|_| instructions)
    }

    /// Obeys an order, unless it is for the process itself.
    fn obey(&self, order: io::Result<Order>, control: &Socket) -> Option<Instructed> {
        match order {
            Ok(Order::Begin { start }) => return Some(Ok(Instruction::Begin(Box::new(start)))),
            Ok(Order::SubmitParts { epoch, anew, .. }) => {
                return Some(Ok(Instruction::SubmitParts { epoch, anew }));
            }
            Ok(Order::Write) => return Some(Ok(Instruction::Write)),
            Ok(Order::Refuse { why }) => return Some(Err(EngineError::Setting(why))),
            Ok(Order::End) => {
                self.requests.abort("the run has ended");
                return Some(Ok(Instruction::Leave));
            }
            Ok(Order::Lost) => {
                self.requests.abort("another process is lost");
                return Some(Err(coordinator_gone()));
            }
            Err(_) => {
                self.requests.abort("the coordinator is gone");
                return Some(Err(coordinator_gone()));
            }
            Ok(Order::Alive { deadline }) => {
                let limit = Duration::try_from_secs_f64(DEADLINES * deadline).ok();
                // Setting a time limit fails on a closed socket, which needs none.
                let _ = control.set_read_timeout(limit.filter(|limit| !limit.is_zero()));
            }
            Ok(Order::EndGeneration { generation }) => self.requests.end_at_boundary(generation),
            Ok(Order::Stop) => self.requests.stop(),
            Ok(Order::Cancel { generation }) => self.requests.cancel(generation),
            Ok(Order::GoOn { generation, epoch }) => self.requests.go_on(generation, epoch),
        }
        None
    }
}
