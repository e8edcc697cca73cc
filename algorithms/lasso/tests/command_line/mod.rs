//! The `lasso` program: what it accepts, writes, says and refuses; a file for each verb, and for what verbs
//! share.

mod program;
mod records;
mod resume;
mod resumed;

mod bad_input;
mod cv;
mod dialects;
mod endings;
mod fit;
mod held_out;
mod help;
#[cfg(target_os = "linux")]
mod limits;
mod options;
mod path;
mod pictures;
mod predict;
mod tables;
#[cfg(target_os = "linux")]
mod wide;
