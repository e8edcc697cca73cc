//! Tests of pools whose jobs are simulated: no process is started, and time is simulated.

mod counted;
mod kept;
mod played;
mod promised;
mod wall;
