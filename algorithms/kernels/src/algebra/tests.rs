//! Bits are equal in every vector form, and values agree with naive sums.

use raddle_base::simd_level::SimdLevel;
use raddle_common::testing::Numbers;

use super::*;

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn equal_in_every_form(case: &str, body: impl FnMut() -> Vec<f64>) -> Vec<f64> {
    let mut forms = SimdLevel::in_every_form(body);
    let (_, reference) = forms.remove(0);
    for (form, result) in forms {
        assert_eq!(bits(&reference), bits(&result), "{case}: {form} differs from portable");
    }
    reference
}

fn close(a: f64, b: f64, scale: f64) {
    assert!((a - b).abs() <= 1e-12 * scale.max(1.0), "{a} against {b}");
}

#[test]
fn dot_and_pass() {
    for n in [0, 1, 5, 7, 8, 9, 16, 23, 64, 100, 1814] {
        let mut numbers = Numbers(n as u64);
        let p = 19;
        let (x, r) = (numbers.many(n * p), numbers.many(n));
        let c = equal_in_every_form("pass", || {
            let mut c = vec![f64::NAN; p];
            pass(&x, &r, &mut c);
            c
        });
        for j in 0..p {
            let column = &x[j * n..(j + 1) * n];
            assert_eq!(c[j].to_bits(), dot(column, &r).to_bits(), "pass and dot agree bit for bit");
            close(c[j], column.iter().zip(&r).map(|(a, b)| a * b).sum(), n as f64);
        }
    }
}

/// The columns found are those of the definition, whatever lane a column is in.
#[test]
fn a_scan_finds_what_is_loud() {
    for p in [0, 1, 7, 8, 9, 100] {
        let mut numbers = Numbers(p as u64 + 3);
        let mut gradient = numbers.many(p);
        let coefficients: Vec<f64> = numbers.many(p).iter().map(|&b| if b > 0.8 { b } else { 0.0 }).collect();
        let slots: Vec<u32> = (0..p as u32).map(|j| if j % 13 == 5 { j } else { OUTSIDE }).collect();
        if let Some(odd) = gradient.get_mut(6) {
            *odd = f64::NAN;
        }
        let is_loud = |&j: &usize| gradient[j].abs() > 0.9 || coefficients[j] != 0.0 || slots[j] != OUTSIDE;
        let expected: Vec<usize> = (0..p).filter(is_loud).collect();
        let free = (0..p).filter(|&j| coefficients[j] == 0.0).map(|j| gradient[j].abs());
        let most = free.fold(0.0, f64::max);
        for (form, (noted, largest)) in SimdLevel::in_every_form(|| {
            let mut noted = Vec::new();
            let largest = scan(&gradient, &coefficients, &slots, 0.9, &mut noted);
            (noted, largest)
        }) {
            assert_eq!((noted, largest), (expected.clone(), most), "{form}, {p} columns");
        }
    }
}

#[test]
fn sums_of_columns() {
    for n in [0, 1, 8, 13, 72] {
        for count in 0..10 {
            let mut numbers = Numbers(n as u64 + 7);
            let x = numbers.many(n * count);
            let start = numbers.many(n);
            let columns: Vec<(f64, &[f64])> =
                (0..count).map(|j| (j as f64 - 1.5, &x[j * n..(j + 1) * n])).collect();
            let all = equal_in_every_form("add_scaled_columns", || {
                let mut out = start.clone();
                add_scaled_columns(&mut out, &columns);
                out
            });
            let (mut one_by_one, mut ahead) = (start.clone(), start.clone());
            for (at, (a, column)) in columns.iter().enumerate() {
                add_scaled(&mut one_by_one, *a, column);
                let next = columns.get(at + 1).map_or(&[][..], |next| next.1);
                add_scaled_ahead(&mut ahead, *a, column, next);
            }
            assert_eq!(bits(&all), bits(&one_by_one));
            assert_eq!(bits(&all), bits(&ahead));
        }
    }
}

#[test]
fn sparse_columns() {
    let n = 500;
    let mut numbers = Numbers(3);
    let r = numbers.many(n);
    let (mut starts, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
    for j in 0..40 {
        rows.extend((0..n as u32).filter(|row| (row * 7 + j) % (3 + j) == 0));
        values.resize_with(rows.len(), || numbers.next());
        starts.push(rows.len());
    }
    rows[5] = u32::MAX; // outside: contributes nothing, in every form alike
    let x = SparseColumns { starts: &starts, rows: &rows, values: &values };
    let c = equal_in_every_form("sparse_pass", || {
        let mut c = vec![0.0; x.len()];
        sparse_pass(x, &r, &mut c);
        c
    });
    for (j, c) in c.iter().enumerate() {
        let (rows, values) = x.column(j);
        let naive = rows.iter().zip(values).map(|(&i, v)| r.get(i as usize).map_or(0.0, |r| r * v)).sum();
        close(*c, naive, n as f64);
        equal_in_every_form("sparse_add_scaled", || {
            let mut out = r.clone();
            sparse_add_scaled(&mut out, 0.7, rows, values);
            out
        });
    }
}

#[test]
fn gram_of_dense_columns() {
    for (n, m, first) in [(1, 1, 0), (72, 11, 0), (71, 30, 17), (600, 13, 4), (1814, 53, 20), (0, 3, 0)] {
        let x = Numbers(n as u64).many(n * m);
        let columns: Vec<&[f64]> = (0..m).map(|j| &x[j * n..(j + 1) * n]).collect();
        let out = equal_in_every_form("gram", || {
            let mut out = vec![-1.0; (m - first) * m];
            gram(&columns[first..], &columns, first, &mut out, m);
            out
        });
        for i in first..m {
            for j in 0..m {
                let value = out[(i - first) * m + j];
                if j > i {
                    assert_eq!(value, -1.0, "nothing above the diagonal is written");
                } else {
                    close(value, columns[i].iter().zip(columns[j]).map(|(a, b)| a * b).sum(), n as f64);
                }
            }
        }
    }
}

#[test]
fn gram_by_row_pieces() {
    let (n, m) = (60u32, 14);
    let mut numbers = Numbers(9);
    let columns: Vec<(Vec<u32>, Vec<f64>)> = (0..m)
        .map(|j| {
            let rows: Vec<u32> = (0..n).filter(|row| (row * 5 + j * 3) % 4 != 0).collect();
            let values = numbers.many(rows.len());
            (rows, values)
        })
        .collect();
    let views: Vec<(&[u32], &[f64])> = columns.iter().map(|(r, v)| (&r[..], &v[..])).collect();
    let mut pieces = [RowPiece::new(0..25), RowPiece::new(25..60)];
    let mut sum = vec![0.0; (m * m) as usize];
    for (first, next) in [(0, 5), (5, 6), (6, 14)] {
        for piece in &mut pieces {
            piece.append(&views[first..next]);
            let rows = equal_in_every_form("gram_by_rows", || {
                let mut rows = vec![0.0; (next - first) * m as usize];
                gram_by_rows(piece, first, &mut rows, m as usize);
                rows
            });
            for (sum, value) in sum[first * m as usize..].iter_mut().zip(rows) {
                *sum += value;
            }
        }
    }
    for i in 0..m as usize {
        for j in 0..=i {
            let mut dense = [vec![0.0; n as usize], vec![0.0; n as usize]];
            for (dense, (rows, values)) in dense.iter_mut().zip([views[i], views[j]]) {
                sparse_add_scaled(dense, 1.0, rows, values);
            }
            close(sum[i * m as usize + j], dot(&dense[0], &dense[1]), 1.0);
        }
    }
}

#[test]
fn factors_and_solves() {
    for k in [1, 5, 24, 25, 48, 61, 100, 131] {
        let n = 2 * k;
        let x = Numbers(k as u64).many(n * k);
        let columns: Vec<&[f64]> = (0..k).map(|j| &x[j * n..(j + 1) * n]).collect();
        let stride = k + 3;
        let mut a = vec![0.0; k * stride];
        gram_lower(&columns, &mut a, stride);
        let mut inverses = Vec::new();
        let l = equal_in_every_form("cholesky", || {
            let mut l = a.clone();
            cholesky(&mut l, k, stride, 0, &mut inverses).unwrap();
            l
        });
        for i in 0..k {
            for j in 0..=i {
                let sum: f64 = (0..=j).map(|t| l[i * stride + t] * l[j * stride + t]).sum();
                close(sum, a[i * stride + j], n as f64);
            }
        }
        // A finished leading block is kept, with the same bits as from the start.
        let mut again = l.clone();
        for i in (k / 2 / BLOCK * BLOCK)..k {
            again[i * stride..=i * stride + i].copy_from_slice(&a[i * stride..=i * stride + i]);
        }
        cholesky(&mut again, k, stride, k / 2, &mut inverses).unwrap();
        assert_eq!(bits(&again), bits(&l));
        // L L' solution = right.
        let right = Numbers(5).many(k);
        let solution = equal_in_every_form("triangular solves", || {
            let mut solution = right.clone();
            solve_lower(&l, stride, &mut solution);
            solve_lower_transposed(&l, stride, &mut solution);
            solution
        });
        for i in 0..k {
            let product: f64 = (0..k).map(|j| a[i.max(j) * stride + i.min(j)] * solution[j]).sum();
            assert!((product - right[i]).abs() < 1e-9, "{product} against {}", right[i]);
        }
    }
}

#[test]
fn a_singular_matrix_is_reported() {
    let mut a = [1.0, 0.0, 1.0, 1.0];
    assert_eq!(cholesky(&mut a, 2, 2, 0, &mut Vec::new()), Err(NotPositive { row: 1, pivot: 0.0 }));
    let mut a = [f64::NAN];
    assert!(cholesky(&mut a, 1, 1, 0, &mut Vec::new()).is_err());
}

/// The number of threads changes no bit: blocks of rows are the same on any thread.
#[test]
fn hands_change_no_bit() {
    let (n, m, done) = (300, 290, 101);
    let x = Numbers(31).many(n * m);
    let columns: Vec<&[f64]> = x.chunks_exact(n).collect();
    let lower = |values: &[f64]| -> Vec<u64> {
        (0..m).flat_map(|i| values[i * m..][..=i].iter().map(|value| value.to_bits())).collect()
    };
    let all = |threads| {
        raddle_base::fork_join::during(threads, || {
            let (mut products, mut late) = (vec![0.5; m * m], vec![0.5; (m - done) * m]);
            gram_lower(&columns, &mut products, m);
            gram(&columns[done..], &columns, done, &mut late, m);
            let (mut l, mut inverses) = (products.clone(), Vec::new());
            cholesky(&mut l, m, m, 0, &mut inverses).unwrap();
            // Continues from a finished leading block, with rows that are written on the way.
            let mut again = l.clone();
            again[done * m..].fill(f64::NAN);
            let fill = |i: usize, row: &mut [f64]| row.copy_from_slice(&products[i * m..][..=i]);
            cholesky_of(&mut again, m, m, done, &mut inverses, fill).unwrap();
            assert_eq!(lower(&again), lower(&l));
            [bits(&products), bits(&late), lower(&l)]
        })
    };
    let alone = all(1);
    assert_eq!(alone[0][done * m..], alone[1]);
    assert!(all(2) == alone && all(5) == alone);
    let singular = vec![1.0; 400 * 400];
    for threads in [1, 2] {
        let failed = raddle_base::fork_join::during(threads, || {
            cholesky(&mut singular.clone(), 400, 400, 0, &mut Vec::new()).unwrap_err()
        });
        assert_eq!(failed.row, 1, "{threads} hands name the first pivot that fails");
    }
}
