//! Parties whose rows stay with them have the bytes of their rows in one place.

use raddle_linear::{BySums, Fit, LinearError, Parties, PartyRows};

use super::*;

/// Ends of so many unequal parties among the rows; none is empty.
fn ends(rows: usize, parties: usize) -> Vec<usize> {
    let end = |party: usize| (rows * party * party / (parties * parties)).max(party);
    (1..=parties).map(end).collect()
}

impl Given {
    /// Least and greatest declared value of each column.
    fn bounds(&self) -> Vec<[f64; 2]> {
        (0..self.rows[0].len()).map(|column| [-1.0, 3.0 * 10_f64.powi(column as i32 % 5 - 2) + 1.0]).collect()
    }

    /// The rows of so many unequal parties.
    fn of_parties(&self, of: &Parties, parties: usize) -> Vec<(usize, PartyRows)> {
        let mut start = 0;
        let party = |(party, end): (usize, usize)| {
            let range = std::mem::replace(&mut start, end)..end;
            let (rows, y) = (self.rows[range.clone()].to_vec(), self.y[range].to_vec());
            let is_second = y.iter().map(|y| *y == 1.0).collect();
            let own = Self { rows, y, weights: Vec::new() };
            (party, of.rows(&own.matrix(), is_second).unwrap())
        };
        ends(self.rows.len(), parties).into_iter().enumerate().map(party).collect()
    }
}

fn parties(linear: Linear, given: &Given, count: usize) -> Parties {
    Parties::new(linear, count, given.bounds()).least_rows(0)
}

/// Fits by sums on all rows in one place, with the same bounds.
fn pooled(linear: Linear, given: &Given) -> Fit {
    let bounds = given.bounds().iter().map(|[least, most]| least.abs().max(most.abs())).collect();
    BySums::new(linear).bounds(bounds).fit(&given.problem()).unwrap()
}

#[test]
fn a_model_of_parties_is_that_of_their_rows_in_one_place() {
    for (rows, columns) in [(400, 5), (300, 30), (120, 500)] {
        let given = Given::clouds(rows, columns, 1);
        for (loss, c) in SMOOTH.into_iter().flat_map(|loss| [0.01, 1.0, 100.0].map(|c| (loss, c))) {
            if columns == 500 && c != 1.0 {
                continue;
            }
            let pooled = pooled(linear(loss, c), &given);
            for (seed, count) in (2..).zip([1, 3, 5, 16]) {
                let given = given.shuffled(seed);
                let parties = parties(linear(loss, c), &given, count).shards(1 + seed as usize % 4);
                let own = given.of_parties(&parties, count);
                let workers = [1, 2, 4, 3][seed as usize - 2];
                let outcome = parties.engine(own.clone()).unwrap().workers(workers).run().unwrap();
                let (fit, counted) = parties.finish(&own[0].1, outcome).unwrap();
                assert_eq!(bits(&fit), bits(&pooled), "{loss:?}, C {c}, {columns} columns, {count} parties");
                let second = given.y.iter().filter(|y| **y == 1.0).count() as u64;
                assert_eq!(counted.rows, [rows as u64 - second, second]);
                assert_eq!(fit.scorers[0].dual.len(), own[0].1.count());
                let mean = given.rows.iter().map(|row| row[0]).sum::<f64>() / rows as f64;
                assert!((counted.means[0] - mean).abs() <= 1e-9 * mean.abs());
            }
        }
    }
}

#[test]
fn weights_of_classes_follow_from_the_rows_of_all_parties() {
    let given = Given::clouds(300, 6, 4);
    for loss in SMOOTH {
        let linear = Linear::params().loss(loss).lambda(1e-3).balanced(true).tolerance(1e-8);
        let parties = parties(linear.clone(), &given, 5);
        let own = given.of_parties(&parties, 5);
        let (fit, _) =
            parties.finish(&own[4].1, parties.engine(own.clone()).unwrap().run().unwrap()).unwrap();
        assert_eq!(bits(&fit), bits(&pooled(linear, &given)), "{loss:?}");
    }
}

#[test]
fn a_party_of_one_class_takes_part_and_one_class_everywhere_is_refused() {
    let mut given = Given::clouds(60, 3, 8);
    given.y[..20].fill(0.0);
    let parties = parties(linear(Loss::Logistic, 1.0), &given, 3);
    let own = given.of_parties(&parties, 3);
    let outcome = parties.engine(own.clone()).unwrap().run().unwrap();
    let (fit, _) = parties.finish(&own[0].1, outcome).unwrap();
    assert_eq!(bits(&fit), bits(&pooled(linear(Loss::Logistic, 1.0), &given)));
    given.y.fill(1.0);
    let own = given.of_parties(&parties, 3);
    let outcome = parties.engine(own.clone()).unwrap().run().unwrap();
    assert!(outcome.report.epochs <= 2, "{}", outcome.report.epochs);
    let refused = parties.finish(&own[0].1, outcome).unwrap_err();
    assert!(matches!(refused, LinearError::OneClass { class } if class == 1.0), "{refused}");
}

#[test]
fn what_sums_cannot_keep_is_refused_by_name() {
    let given = Given::clouds(40, 5, 3);
    let of = Parties::new(linear(Loss::Logistic, 1.0), 3, given.bounds());
    // Ten rows a column are asked for.
    let own = given.of_parties(&of, 3);
    let outcome = of.engine(own.clone()).unwrap().run().unwrap();
    let why = of.finish(&own[1].1, outcome).unwrap_err().to_string();
    assert!(why.starts_with("least-rows: it is 50, and all parties together have 40 rows"), "{why}");
    let beyond = |of: Parties| of.rows(&given.matrix(), vec![true; 40]).unwrap_err().to_string();
    let mut bounds = given.bounds();
    bounds[2] = [-1.0, 1e-3];
    let why = beyond(Parties::new(linear(Loss::Logistic, 1.0), 3, bounds));
    assert!(
        why.starts_with("row 1, column 3: the value ") && why.contains("beyond its bound 0.001"),
        "{why}"
    );
    for (of, name) in [
        (Parties::new(linear(Loss::Hinge, 1.0), 3, given.bounds()), "by: the hinge has no second"),
        (Parties::new(linear(Loss::Logistic, 1.0), 3, vec![[0.0, 1.0]; 2001]), "by: there are 2001 columns"),
        (Parties::new(linear(Loss::Logistic, 1.0), 3, vec![[1.0, 0.0]]), "bounds: [1, 0]: give the least"),
    ] {
        let why = of.check().unwrap_err().to_string();
        assert!(why.starts_with(name), "{why}");
        assert!(of.engine(Vec::new()).is_err());
    }
}
