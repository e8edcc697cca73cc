//! A pool that runs, as far as it needs no process: events come in, actions go out.
//!
//! [`Pool`] is a state machine. It knows no thread and no clock: every [`Event`] brings its time along, in seconds since the pool
//! began, and [`Pool::apply`] answers with the [`Action`]s that follow. A [`Policy`](crate::policy::Policy) shares the workers out,
//! by what the pool has learned of its jobs. Equal settings and events give equal actions, so a pool is its journal.
//!
//! [`Runs`] is what stands between a pool and its processes. [`by_wall`] carries a pool on by the time that it tells,
//! [`by_count`] by counted cost over workers: there every figure is the same on any machine.

mod counted;
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
mod speeds;
mod state;
mod wall;

pub use self::counted::by_count;
pub use self::event::{Action, Boundary, Event, Happening, What};
pub use self::fit::{End, Fit, Phase};
pub use self::replay::Replay;
pub use self::request::Request;
pub use self::runs::{Carried, Keep, Runs, Told};
pub use self::settings::{Clock, PolicySettings, Settings};
pub use self::speeds::Speeds;
pub use self::state::{Change, Pool};
pub use self::wall::by_wall;
