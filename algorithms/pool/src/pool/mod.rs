//! A live pool, without its processes: a state machine from events to actions.
//!
//! [`Pool`] has no thread and no clock: every [`Event`] carries its time, in seconds since the pool began,
//! and [`Pool::apply`] returns the [`Action`]s that follow. A [`Policy`](crate::policy::Policy) distributes
//! the workers from what the pool has measured of its jobs. Equal settings and events give equal actions, so
//! the state of a pool follows from its journal.
//!
//! [`Runs`] is the interface between a pool and the processes of its jobs. [`by_wall`] drives a pool by real
//! time, [`by_count`] by counted cost over speed-up: there every figure is the same on any machine.

mod counted;
mod decision;
mod event;
mod fit;
pub mod journal;
mod left;
pub mod queue;
mod replay;
mod request;
mod runs;
mod settings;
mod share;
pub mod speedup;
mod state;
mod transitions;
mod wall;

pub use self::counted::by_count;
pub use self::event::{Action, Boundary, Event, EventKind};
pub use self::fit::{End, Fit, Phase};
pub use self::replay::Replay;
pub use self::request::Request;
pub use self::runs::{Carried, Keep, Runs};
pub use self::settings::{Clock, Settings};
pub use self::state::{Change, Pool};
pub use self::wall::by_wall;
