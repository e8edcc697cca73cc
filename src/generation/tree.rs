//! The tree along which a value is passed on to all processes of a generation.

use std::ops::Range;

/// Largest number of processes with which the first one sends a value to each of the others.
const DIRECT: usize = 8;
/// Number of processes to which a process passes a value on, if there are more.
const FAN_OUT: usize = 3;

/// Returns the processes to which this one passes a value on, in a generation of `processes`. The first
/// process has the value at the start.
///
/// With up to [`DIRECT`] processes the first one sends the value to all others in one step. With more, the
/// processes are a complete tree with [`FAN_OUT`] branches, so that the bytes that the first one sends do not
/// grow with their number.
pub(crate) fn children(process: usize, processes: usize) -> Range<usize> {
    if processes <= DIRECT {
        return if process == 0 { 1..processes } else { 0..0 };
    }
    let first = FAN_OUT * process + 1;
    first.min(processes)..(first + FAN_OUT).min(processes)
}

/// `true` if processes other than the first pass values on.
pub(crate) fn has_relays(processes: usize) -> bool {
    processes > DIRECT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_process_but_the_first_is_handed_a_value_once_by_one_that_has_it() {
        for processes in 1..=200 {
            let mut has = vec![0; processes];
            has[0] = 1;
            // Children come behind their parent: each has it before it hands it on.
            for process in 0..processes {
                assert_eq!(has[process], 1, "process {process} of {processes}");
                children(process, processes).for_each(|child| has[child] += 1);
            }
        }
    }

    #[test]
    fn at_most_three_copies_leave_any_of_64_processes_and_none_is_further_than_four_steps() {
        let mut steps = [0; 64];
        for process in 0..64 {
            let handed = children(process, 64);
            assert!(handed.len() <= 3, "process {process}");
            handed.for_each(|child| steps[child] = steps[process] + 1);
        }
        assert_eq!(steps.iter().max(), Some(&4));
    }

    #[test]
    fn up_to_eight_processes_need_no_relay() {
        for processes in 1..=8 {
            assert!(!has_relays(processes));
            assert_eq!(children(0, processes), 1..processes);
            assert!((1..processes).all(|process| children(process, processes).is_empty()));
        }
        assert!(has_relays(9));
    }
}
