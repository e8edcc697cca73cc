//! A pool whose jobs are played: no process is started, and time is what the play says.

mod counted;
mod kept;
mod played;
mod promised;
mod wall;
