//! Columns are assembled from what blocks of a table found.

use super::*;

/// Rows with a pattern, in blocks of several threads, compared with the matrix written out.
#[test]
fn tiles_make_the_matrix_that_the_rows_are() {
    let value = |row: usize, column: usize| ((row * 7 + column * 5) % 4) as f64;
    let (rows, cols) = (23, 40);
    for (sample, threads) in [(vec![], 1), ((0..40).collect(), 2), (vec![3; 9], 3), (vec![0, 39, 70], 2)] {
        let tiles = Tiles::of(sample);
        let mut entries: Vec<_> = (0..threads).map(|thread| Entries::new(&tiles, thread, 0)).collect();
        let blocks: Vec<RowBlock> = (0..rows)
            .step_by(4)
            .map(|first| {
                let mut block = entries[first / 4 % threads].block();
                for row in first..rows.min(first + 4) {
                    (0..cols).for_each(|column| block.push(column as u32, value(row, column)));
                    block.finish(row as f64, cols as u32);
                }
                block.end()
            })
            .collect();
        let (x, occurring) = compress(&blocks, entries, threads).expect("fits");
        assert_eq!((x.shape(), occurring), ((rows, cols), None));
        for (row, column) in (0..rows).flat_map(|row| (0..cols).map(move |column| (row, column))) {
            let expected = Some(value(row, column)).filter(|&value| value != 0.0);
            assert_eq!(x.get(row, column).copied(), expected, "({row}, {column})");
        }
    }
}
