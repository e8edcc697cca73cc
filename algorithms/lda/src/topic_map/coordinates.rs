//! Principal coordinates (classical scaling) of squared distances.

/// Dimension of the Krylov space in which eigenvectors are searched; with fewer points it is the whole space.
const DIMENSION: usize = 80;

/// Relative length below which only rounding errors are left of a vector.
const ROUNDING: f64 = 1e-10;

/// Returns the first two principal coordinates of n points, given the matrix of their squared distances.
pub(super) fn principal_coordinates(mut squares: Vec<f64>, n: usize) -> Vec<[f64; 2]> {
    centre(&mut squares, n);
    let mut places = vec![[0.0; 2]; n];
    let vectors = largest(&squares, n);
    let first = vectors.first().map_or(0.0, |&(value, _)| value);
    for (axis, (value, vector)) in vectors.into_iter().enumerate() {
        if value <= ROUNDING * first {
            continue;
        }
        // Of entries that are equal up to rounding, the first counts.
        let largest = vector.iter().fold(0.0, |largest: f64, entry| largest.max(entry.abs()));
        let longest = vector.iter().find(|entry| entry.abs() > (1.0 - 1e-6) * largest).unwrap_or(&1.0);
        let scale = value.sqrt() * longest.signum();
        places.iter_mut().zip(&vector).for_each(|(place, entry)| place[axis] = scale * entry);
    }
    places
}

/// Computes -1/2 J S J with J = I - 11'/n.
fn centre(squares: &mut [f64], n: usize) {
    if n == 0 {
        return;
    }
    let means: Vec<f64> = squares.chunks_exact(n).map(|row| row.iter().sum::<f64>() / n as f64).collect();
    let mean = means.iter().sum::<f64>() / n as f64;
    for (row, of_row) in squares.chunks_exact_mut(n).zip(&means) {
        for (square, of_column) in row.iter_mut().zip(&means) {
            *square = -0.5 * (*square - of_row - of_column + mean);
        }
    }
}

/// Returns the two largest eigenvalues of a symmetric matrix, with their unit eigenvectors, by the method of
/// Rayleigh and Ritz in a Krylov space with a fixed start.
fn largest(matrix: &[f64], n: usize) -> Vec<(f64, Vec<f64>)> {
    let (basis, images) = krylov(matrix, n);
    let m = basis.len();
    let mut projected: Vec<Vec<f64>> =
        basis.iter().map(|a| images.iter().map(|b| dot(a, b)).collect()).collect();
    let rotations = diagonalise(&mut projected);
    let mut order: Vec<usize> = (0..m).collect();
    order.sort_by(|&a, &b| projected[b][b].total_cmp(&projected[a][a]).then(a.cmp(&b)));
    let vector = |column: usize| {
        let mut vector = vec![0.0; n];
        basis.iter().zip(&rotations).for_each(|(basis, row)| add(&mut vector, row[column], basis));
        (projected[column][column], vector)
    };
    order.into_iter().take(2).map(vector).collect()
}

/// Returns an orthonormal basis of the space that a start vector and its images span, with the images of the
/// basis. If the space is too small, another start vector is added.
fn krylov(matrix: &[f64], n: usize) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
    let (mut basis, mut images): (Vec<Vec<f64>>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
    let (mut next, mut starts) = (start(n, 0), 1);
    while basis.len() < n.min(DIMENSION) {
        let before = length(&next);
        // Orthogonalised twice, as the first time leaves rounding errors.
        for _ in 0..2 {
            for vector in &basis {
                let part = dot(vector, &next);
                add(&mut next, -part, vector);
            }
        }
        let length = length(&next);
        if length <= ROUNDING * before {
            if starts > 2 * DIMENSION {
                break;
            }
            (next, starts) = (start(n, starts), starts + 1);
            continue;
        }
        next.iter_mut().for_each(|entry| *entry /= length);
        let mut image = vec![0.0; n];
        matrix.chunks_exact(n).zip(&next).for_each(|(row, &entry)| add(&mut image, entry, row));
        images.push(image.clone());
        basis.push(std::mem::replace(&mut next, image));
    }
    (basis, images)
}

/// Returns the fixed start vector with this number, which has no pattern.
fn start(n: usize, number: usize) -> Vec<f64> {
    let mixed = |at: usize| {
        let bits = (((number as u64) << 32) + at as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let bits = (bits ^ (bits >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        bits ^ (bits >> 32)
    };
    (0..n).map(|at| (mixed(at) >> 11) as f64 / (1u64 << 53) as f64 - 0.5).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn length(vector: &[f64]) -> f64 {
    dot(vector, vector).sqrt()
}

fn add(to: &mut [f64], factor: f64, vector: &[f64]) {
    to.iter_mut().zip(vector).for_each(|(to, entry)| *to += factor * entry);
}

/// Diagonalises a small symmetric matrix by Jacobi's rotations; returns their product, whose columns are the
/// eigenvectors.
fn diagonalise(matrix: &mut [Vec<f64>]) -> Vec<Vec<f64>> {
    const SWEEPS: usize = 30;
    let m = matrix.len();
    let unit = |row: usize| (0..m).map(|column| if row == column { 1.0 } else { 0.0 }).collect();
    let mut rotations: Vec<Vec<f64>> = (0..m).map(unit).collect();
    let size: f64 = matrix.iter().map(|row| length(row)).fold(0.0, f64::max);
    for _ in 0..SWEEPS {
        let mut turned = false;
        for p in 0..m {
            for q in p + 1..m {
                let apart = matrix[p][q];
                if apart.abs() <= 1e-15 * size {
                    continue;
                }
                turned = true;
                let half = (matrix[q][q] - matrix[p][p]) / (2.0 * apart);
                let tangent = half.signum() / (half.abs() + (half * half + 1.0).sqrt());
                let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
                let sine = tangent * cosine;
                let turn = |a: &mut f64, b: &mut f64| {
                    (*a, *b) = (cosine * *a - sine * *b, sine * *a + cosine * *b);
                };
                for row in matrix.iter_mut().chain(&mut rotations) {
                    let (left, right) = row.split_at_mut(q);
                    turn(&mut left[p], &mut right[0]);
                }
                let (above, below) = matrix.split_at_mut(q);
                above[p].iter_mut().zip(&mut below[0]).for_each(|(a, b)| turn(a, b));
            }
        }
        if !turned {
            break;
        }
    }
    rotations
}
