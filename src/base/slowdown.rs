//! [`Slowdown`]: slows workers down, to try out balance.

use std::path::Path;
use std::time::{Duration, Instant};
use std::{fs, thread};

/// Factors by which workers are slowed down, each from some epoch on.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Slowdown(Vec<(u32, u64, f64)>);

impl Slowdown {
    /// Makes a slowdown of steps (worker, epoch, factor): from that epoch on, work that would take the worker
    /// a second takes `factor` seconds.
    pub fn new(mut steps: Vec<(u32, u64, f64)>) -> Self {
        steps.sort_by_key(|&(worker, epoch, _)| (worker, epoch));
        Self(steps)
    }

    /// Reads lines `worker epoch factor`.
    ///
    /// # Errors
    /// The first line that is not such a step.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|why| format!("{}: {why}", path.display()))?;
        let mut steps = Vec::new();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let step = step(line).ok_or_else(|| {
                let what = "expected worker, epoch and a factor of at least 1, such as 1 0 2.5";
                format!("{}:{}: {what}, found {line:?}", path.display(), number + 1)
            })?;
            steps.push(step);
        }
        Ok(Self::new(steps))
    }

    /// Returns the factor of a worker in an epoch, at least 1.
    fn factor(&self, worker: u32, epoch: u64) -> f64 {
        let due = self.0.iter().rev().find(|&&(of, from, _)| of == worker && from <= epoch);
        due.map_or(1.0, |&(_, _, factor)| factor)
    }

    /// Sleeps for the time by which the worker is slower; returns the seconds since `began`.
    pub fn stretch(&self, worker: u32, epoch: u64, began: Instant) -> f64 {
        let seconds = began.elapsed().as_secs_f64();
        let more = seconds * (self.factor(worker, epoch) - 1.0);
        if more <= 0.0 {
            return seconds;
        }
        thread::sleep(Duration::from_secs_f64(more));
        began.elapsed().as_secs_f64()
    }
}

fn step(line: &str) -> Option<(u32, u64, f64)> {
    let mut words = line.split_whitespace();
    let step = (words.next()?.parse().ok()?, words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let (_, _, factor) = step;
    (words.next().is_none() && (1.0..=1e6).contains(&factor)).then_some(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_step_before_an_epoch_holds() {
        let slow = Slowdown::new(vec![(1, 5, 3.0), (1, 2, 2.0), (0, 9, 4.0)]);
        assert_eq!([0, 2, 4, 5, 9].map(|epoch| slow.factor(1, epoch)), [1.0, 2.0, 2.0, 3.0, 3.0]);
        assert_eq!((slow.factor(0, 8), slow.factor(0, 9), slow.factor(2, 9)), (1.0, 4.0, 1.0));
        assert_eq!(step("1 0 2.5"), Some((1, 0, 2.5)));
        for bad in ["1 0", "1 0 2 3", "1 0 0.5", "1 0 nan", "x 0 2"] {
            assert_eq!(step(bad), None, "{bad}");
        }
    }
}
