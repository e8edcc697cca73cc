//! The job model of PD-ORS: slots of time, machines with several resources, workers and parameter servers,
//! and two speeds of a worker, on one machine and across machines.

mod generate;
mod instance;
mod report;
mod run;
mod spec;

pub use self::instance::{Instance, Rates};
pub use self::report::{compare, policy};
pub use self::run::{World, run};
pub use self::spec::Spec;
