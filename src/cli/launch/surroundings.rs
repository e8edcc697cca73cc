//! Environment variables of `raddle join`: the address of the run, and the rank of this command among those
//! that one line of a job scheduler has started.

use std::env;

use crate::exit::Error;

/// Variables with the rank of a command among those that one line has started, from 0: ours, and those of
/// srun and of implementations of MPI.
const RANKS: [&str; 5] = ["RADDLE_RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"];

/// Returns the address of the run: as given, else that of the environment.
pub(super) fn address(given: Option<&str>) -> Result<String, Error> {
    found(given, &|name| env::var(name).ok())
}

/// Returns the rank of this command, if it has one.
pub(super) fn rank() -> Option<u32> {
    ranked(&|name| env::var(name).ok())
}

fn found(given: Option<&str>, value: &dyn Fn(&str) -> Option<String>) -> Result<String, Error> {
    let by_name = || value("RADDLE_COORDINATOR");
    let of_srun = || Some(format!("{}:{}", value("SLURM_LAUNCH_NODE_IPADDR")?, value("RADDLE_PORT")?));
    given.map(str::to_owned).or_else(by_name).or_else(of_srun).ok_or_else(|| {
        Error::usage(
            "give HOST:PORT, as the launcher says it, or set RADDLE_COORDINATOR to it; under srun, \
                      RADDLE_PORT",
        )
    })
}

fn ranked(value: &dyn Fn(&str) -> Option<String>) -> Option<u32> {
    RANKS.into_iter().find_map(|name| value(name)?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails so")]

    use super::*;

    #[test]
    fn what_is_given_comes_before_what_the_environment_says() {
        let set = |all: &'static [(&str, &str)]| {
            move |name: &str| all.iter().find(|(set, _)| *set == name).map(|(_, value)| (*value).to_owned())
        };
        let srun =
            set(&[("SLURM_LAUNCH_NODE_IPADDR", "192.0.2.1"), ("RADDLE_PORT", "7000"), ("SLURM_PROCID", "3")]);
        assert_eq!(found(None, &srun).unwrap(), "192.0.2.1:7000");
        assert_eq!(found(Some("here:1"), &srun).unwrap(), "here:1");
        assert_eq!(ranked(&srun), Some(3));
        let ours =
            set(&[("RADDLE_COORDINATOR", "there:2"), ("RADDLE_RANK", "1"), ("OMPI_COMM_WORLD_RANK", "7")]);
        assert_eq!((found(None, &ours).unwrap(), ranked(&ours)), ("there:2".to_owned(), Some(1)));
        let nothing = set(&[]);
        assert!(found(None, &nothing).unwrap_err().to_string().contains("RADDLE_COORDINATOR"));
        assert_eq!(ranked(&nothing), None);
    }
}
