//! Small real programs, shared by the tests: each file is one.

#[cfg(target_os = "linux")]
pub(crate) mod coded;
#[cfg(target_os = "linux")]
pub(crate) mod delayed;
pub(crate) mod forms;
pub(crate) mod lda;
pub(crate) mod mf;
#[path = "../../src/cluster/simulation/mixing/mod.rs"]
pub(crate) mod mixing;
pub(crate) mod ridge;
pub(crate) mod toy;

// Name of the library for a program that the simulations of the engine use, too.
#[allow(clippy::single_component_path_imports)]
use raddle;
use std::sync::mpsc;
use std::time::Duration;

use raddle::state::{Writer, to_bytes};
use raddle::{Parts, Program, Shard as _};

/// Returns the bytes of everything that a run leaves.
pub(crate) fn bytes<P: Program>(parts: &Parts<P>) -> Vec<u8> {
    let mut out = Writer::default();
    let shard = |shard: &P::Shard| {
        let mut out = Writer::default();
        shard.save_learned(&mut out);
        out.into_bytes()
    };
    out.write(&parts.shards.iter().map(shard).collect::<Vec<_>>());
    out.write(&parts.blocks.iter().map(to_bytes).collect::<Vec<_>>());
    out.write(&to_bytes(&parts.pinned));
    out.write(&to_bytes(&parts.replica));
    out.into_bytes()
}

/// Does the work on a thread of its own; a hang becomes a failure after so many minutes that no slow machine
/// needs.
pub(crate) fn without_a_hang<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, answer) = mpsc::channel();
    let worker = std::thread::spawn(move || done.send(work()).is_ok());
    match answer.recv_timeout(Duration::from_secs(300)) {
        Ok(answer) => answer,
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("the run hangs"),
        Err(mpsc::RecvTimeoutError::Disconnected) => match worker.join() {
            Err(panic) => std::panic::resume_unwind(panic),
            Ok(_) => unreachable!("the answer was sent"),
        },
    }
}
