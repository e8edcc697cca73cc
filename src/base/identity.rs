//! [`Identity`]: the properties that tie a checkpoint to a run.

/// Properties that must be equal when a run is resumed: data and parameters, as a text of the program's
/// author, and everything else that decides the model.
#[derive(Debug, Clone, PartialEq)]
pub struct Identity {
    /// The author's text.
    pub run: String,
    /// The schedule's kind and settings.
    pub schedule: String,
    /// Rounds between a commit and the first round that must see it.
    pub staleness: usize,
    /// `true` if epochs that worsen the objective are rolled back.
    pub guard: bool,
    /// The counted cost of each shard.
    pub costs: Vec<u64>,
}

crate::state!(Identity { run, schedule, staleness, guard, costs });

impl Identity {
    /// Returns the differences from the run that wrote a checkpoint, with both values; `None` if there are
    /// none.
    pub fn difference(&self, here: &Self) -> Option<String> {
        let differs = |what: &str, there: &dyn std::fmt::Display, here: &dyn std::fmt::Display| {
            Some(format!(
                "it belongs to a run with {what} {there}, this one has {here}: resume with the same"
            ))
        };
        let on = |guard: bool| if guard { "on" } else { "off" };
        if let Some((there, now)) = data(&self.run).zip(data(&here.run)).filter(|(there, now)| there != now) {
            return Some(format!(
                "it belongs to a run on other data: what that run read has the digest {there}, what is read \
                 now has {now}: give the data as it was, or begin a new run"
            ));
        }
        if self.run != here.run {
            let (there, here) = difference(&self.run, &here.run);
            let why = "it belongs to a run on other data or with other parameters";
            return Some(format!("{why} (`{there}` there, `{here}` here): resume with the same"));
        }
        if self.schedule != here.schedule {
            let (there, here) = (format!("`{}`", self.schedule), format!("`{}`", here.schedule));
            return differs("the schedule", &there, &here);
        }
        if self.staleness != here.staleness {
            return differs("staleness", &self.staleness, &here.staleness);
        }
        if self.guard != here.guard {
            return differs("the guard", &on(self.guard), &on(here.guard));
        }
        let (there, now) = (self.costs.len(), here.costs.len());
        if there != now {
            return Some(format!("it has {there} shards, this run has {now}: resume with the same"));
        }
        let shard = self.costs.iter().zip(&here.costs).position(|(there, here)| there != here)?;
        differs(&format!("a counted cost of shard {shard} of"), &self.costs[shard], &here.costs[shard])
    }
}

/// Returns the digest of the data, if the text names it: the word after `data`.
fn data(run: &str) -> Option<&str> {
    let mut words = run.split_whitespace();
    words.find(|word| *word == "data").and_then(|_| words.next())
}

/// Returns the words in which two texts differ: those between their common start and their common end.
pub fn difference(there: &str, here: &str) -> (String, String) {
    let (a, b): (Vec<&str>, Vec<&str>) =
        (there.split_whitespace().collect(), here.split_whitespace().collect());
    let shorter = a.len().min(b.len());
    let front = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let ends = a.iter().rev().zip(b.iter().rev()).take(shorter - front);
    let back = ends.take_while(|(a, b)| a == b).count();
    // With the word before, often the name of the differing value; or with the one after.
    let (from, back) = if front > 0 { (front - 1, back) } else { (0, back.saturating_sub(1)) };
    (a[from..a.len() - back].join(" "), b[from..b.len() - back].join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_named_with_both_values() {
        let run = Identity {
            run: "data 17 tol 1e-6 seed 3".into(),
            schedule: "cyclic, parallelism 4".into(),
            staleness: 1,
            guard: true,
            costs: vec![3, 4],
        };
        assert_eq!(run.difference(&run), None);
        for (other, expected) in [
            (
                Identity { run: "data 17 tol 1e-8 seed 3".into(), ..run.clone() },
                "(`tol 1e-6` there, `tol 1e-8` here)",
            ),
            (Identity { run: "data 17".into(), ..run.clone() }, "(`17 tol 1e-6 seed 3` there, `17` here)"),
            (Identity { run: "tol 1e-6".into(), ..run.clone() }, "(`data 17 tol 1e-6 seed 3` there"),
            (Identity { run: String::new(), ..run.clone() }, "(`data 17 tol 1e-6 seed 3` there, `` here)"),
            (
                Identity { schedule: "cyclic, parallelism 8".into(), ..run.clone() },
                "the schedule `cyclic, parallelism 4`, this one has `cyclic, parallelism 8`",
            ),
            (Identity { staleness: 0, ..run.clone() }, "staleness 1, this one has 0"),
            (Identity { guard: false, ..run.clone() }, "the guard on, this one has off"),
            (Identity { costs: vec![3], ..run.clone() }, "it has 2 shards, this run has 1"),
            (Identity { costs: vec![3, 5], ..run.clone() }, "a counted cost of shard 1 of 4, this one has 5"),
        ] {
            let why = run.difference(&other).unwrap();
            assert!(why.contains(expected) && why.ends_with("resume with the same"), "{why}");
        }
        let other = Identity { run: "data 18 tol 1e-8".into(), schedule: "shuffled".into(), ..run.clone() };
        let why = run.difference(&other).unwrap();
        assert!(
            why.contains("other data") && why.contains("has the digest 17, what is read now has 18"),
            "{why}"
        );
    }
}
