//! Rows of ones are the same rows.

use raddle::random::Stream;
use raddle_datasets::Csc;

use super::*;

#[test]
fn rows_of_ones_share_their_values_and_are_the_same_rows() {
    let columns = [(0..60).step_by(3).collect::<Vec<u32>>(), (7..31).collect(), vec![], vec![5, 59]];
    let starts: Vec<usize> =
        (0..=columns.len()).map(|end| columns[..end].iter().map(Vec::len).sum()).collect();
    let stored = starts[columns.len()];
    let x = Csc::new_csc((60, columns.len()), starts, columns.concat(), vec![1.0; stored]);
    let places = Places::each((0..60).collect());
    let rows = |bias: f64| Rows::of(&Matrix::Sparse(x.clone()), bias, &places);
    // The other constant column has another value, so that all are stored.
    let (shared, own) = (rows(1.0), rows(2.0));
    assert_eq!((shared.values.len(), shared.stored()), (3, stored + 60));
    assert_eq!((own.values.len(), own.stored()), (stored + 60, stored + 60));
    let with = [0.3, -1.7, 2.9, 0.1, 0.7];
    for row in 0..60 {
        let half = [with[0], with[1], with[2], with[3], with[4] / 2.0];
        assert_eq!(shared.dot(row, &with).to_bits(), own.dot(row, &half).to_bits());
        assert_eq!((shared.row(row).0, shared.square(row)), (own.row(row).0, own.square(row) - 3.0));
    }
    let saved = |rows: &Rows, range: std::ops::Range<usize>| {
        let mut out = Writer::over(Vec::new());
        rows.save(range, &mut out);
        Rows::load(&mut Reader::new(&out.into_bytes())).unwrap()
    };
    let back = saved(&shared, 0..60);
    // Rows without a value among them, the first of all, too.
    let bare = rows(0.0);
    assert!((bare.values.len(), bare.stored()) == (2, stored) && bare.row(2).0.is_empty());
    for (rows, range) in [(&shared, 7..20), (&own, 7..20), (&bare, 1..3), (&bare, 40..60)] {
        let part = saved(rows, range.clone());
        assert!(range.clone().enumerate().all(|(at, row)| part.row(at) == rows.row(row)), "{range:?}");
        assert_eq!(part.count(), range.len());
    }
    let scaled = shared.clone().divided(&[2.0, 4.0]);
    for row in 0..60 {
        assert_eq!(back.row(row), shared.row(row));
        let by = |column: &u32| [0.5, 0.25, 1.0, 1.0, 1.0][*column as usize];
        let expected: Vec<f64> = shared.row(row).0.iter().map(by).collect();
        assert_eq!(scaled.row(row).1, expected);
    }
}

#[test]
fn passes_are_shared_out_and_no_thread_changes_a_bit() {
    let (count, columns) = (3000_usize, 400_usize);
    let mut draw = Stream::new(&[8]);
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for _ in 0..columns {
        for row in (0..count).filter(|row| row % 7 > 0) {
            if draw.unit() < 0.4 {
                indices.push(row as u32);
                values.push(draw.unit() - 0.5);
            }
        }
        starts.push(indices.len());
    }
    let x = Matrix::Sparse(Csc::new_csc((count, columns), starts, indices, values));
    let places = Places::each((0..count as u32).collect());
    let rows = Rows::of(&x, 1.0, &places);
    // Enough values for helper threads to be asked.
    assert!(rows.stored() > 400_000);
    let with: Vec<f64> = (0..rows.width()).map(|_| draw.unit() - 0.5).collect();
    let expected: Vec<u64> = (0..count).map(|row| rows.dot(row, &with).to_bits()).collect();
    for threads in 1..8 {
        let found = fork_join::during(threads, || {
            let mut out = vec![f64::NAN; count];
            rows.products(&with, &mut out);
            out
        });
        assert!(found.iter().map(|value| value.to_bits()).eq(expected.iter().copied()), "{threads} threads");
        // No part is more than a third of a thread's share, so that no thread waits long.
        let per = part(count, threads);
        let of = |first: usize| rows.starts[(first + per).min(count)] - rows.starts[first];
        let most = (0..count).step_by(per).map(of).max().unwrap();
        assert!(threads == 1 || most * threads * 3 <= rows.stored(), "{threads}: {most}");
    }
}
