//! The three vector forms give the same bits, and those of the definition.

use proptest::prelude::*;
use raddle_base::simd_level::SimdLevel;

use super::*;
use raddle_common::testing::pairs;

fn same<T: PartialEq + std::fmt::Debug>(results: Vec<(&'static str, T)>) -> T {
    let mut results = results.into_iter();
    let (_, first) = results.next().unwrap();
    results.for_each(|(name, other)| assert_eq!(other, first, "{name}"));
    first
}

/// Pseudorandom numbers between -1 and 1.
fn numbers(count: usize, seed: u64) -> Vec<f32> {
    let mut stream = raddle_base::random::Stream::new(&[seed]);
    (0..count).map(|_| 2.0 * stream.unit() as f32 - 1.0).collect()
}

fn rows(count: usize, chunks: usize, seed: u64) -> Rows {
    let values = numbers(count * chunks * LANES, seed);
    let factors = values.chunks_exact(LANES).map(|lanes| Vector(lanes.try_into().unwrap())).collect();
    Rows { width: chunks * LANES, factors, biases: numbers(count, seed + 1), scales: Vec::new() }
}

fn ratings(count: usize, users: usize, items: usize, seed: u64) -> Vec<Rating> {
    let mut stream = raddle_base::random::Stream::new(&[seed]);
    let rating = |_| Rating {
        user: stream.below(users) as u16,
        item: stream.below(items) as u16,
        value: stream.unit() as f32 * 2.0 - 1.0,
    };
    (0..count).map(rating).collect()
}

fn cell(count: usize, users: usize, items: usize, seed: u64) -> Cell {
    Cell::as_given(ratings(count, users, items, seed).into())
}

/// Makes cells of these ratings, cut into pieces.
fn in_order(ratings: &[Rating], pieces: usize, width: usize) -> Vec<Cell> {
    let length = ratings.len().div_ceil(pieces).max(1);
    Cell::in_order(ratings.chunks(length).map(|piece| piece.to_vec().into()).collect(), width)
}

fn all(cells: &[Cell]) -> Vec<Rating> {
    cells.iter().flat_map(Cell::ratings).copied().collect()
}

const STEPS: Steps = Steps {
    factor: 0.05,
    decay: 0.03,
    bias: 0.015,
    bias_decay: 0.02,
    shares: (1.0, 1.0),
    non_negative: false,
};

/// Sums the lanes of a product of two rows as in the definition.
fn product(p: &[f32], q: &[f32]) -> f32 {
    product_in::<1>(p, q)
}

/// Returns the product of two rows whose vectors are summed in this number of chains.
fn product_in<const CHAINS: usize>(p: &[f32], q: &[f32]) -> f32 {
    let mut chains = [[0.0_f32; LANES]; CHAINS];
    for (at, (p, q)) in p.iter().zip(q).enumerate() {
        let lane = &mut chains[at / LANES % CHAINS][at % LANES];
        *lane = p.mul_add(*q, *lane);
    }
    let lanes: [f32; LANES] = std::array::from_fn(|lane| chains.iter().map(|chain| chain[lane]).sum());
    let group = |i: usize| (lanes[4 * i] + lanes[4 * i + 2]) + (lanes[4 * i + 1] + lanes[4 * i + 3]);
    (group(0) + group(2)) + (group(1) + group(3))
}

/// Returns ratings step by step, cell by cell: in pairs as long as two are of one user and of different
/// items, then one by one.
fn steps_of(cell: &Cell) -> [Vec<&[Rating]>; 2] {
    let together = |pair: &&[Rating]| pair[0].user == pair[1].user && pair[0].item != pair[1].item;
    let pairs: Vec<&[Rating]> = cell.ratings().chunks_exact(2).take_while(together).collect();
    let singles = cell.ratings()[2 * pairs.len()..].chunks(1).collect();
    [pairs, singles]
}

fn row(rows: &Rows, row: u16) -> &[f32] {
    &bytemuck::cast_slice(&rows.factors)[usize::from(row) * rows.width..][..rows.width]
}

/// Gradient steps by their definition, with products computed two steps ahead.
fn by_definition(cell: &Cell, users: &mut Rows, items: &mut Rows, steps: &Steps) {
    let product = |rating: &Rating, users: &Rows, items: &Rows| {
        let (p, q) = (row(users, rating.user), row(items, rating.item));
        if p.len() < 8 * LANES { product(p, q) } else { product_in::<2>(p, q) }
    };
    let products = |ratings: &[Rating], users: &Rows, items: &Rows| -> Vec<f32> {
        ratings.iter().map(|rating| product(rating, users, items)).collect()
    };
    /// Returns a row and its bias, changed by errors and the other rows.
    fn moved((rows, at): (&Rows, u16), share: f32, by: &[(f32, Vec<f32>)], steps: &Steps) -> (Vec<f32>, f32) {
        let one = Scale { step: 1.0, decay: 1.0, bias_decay: 1.0 };
        let scale = rows.scales.get(usize::from(at)).copied().unwrap_or(one);
        let (factor, bias) = (steps.factor * share, steps.bias * share);
        let count = by.len() as f32;
        let keep = 1.0 - count * factor * steps.decay * scale.step * scale.decay;
        let keep_bias = 1.0 - count * bias * steps.bias_decay * scale.step * scale.bias_decay;
        let error = by.iter().map(|(z, _)| *z).reduce(|a, b| a + b).unwrap_or(0.0);
        let new_bias = (bias * scale.step).mul_add(error, rows.biases[usize::from(at)] * keep_bias);
        let mut new: Vec<f32> = row(rows, at).iter().map(|value| value * keep).collect();
        for (z, other) in by {
            new.iter_mut()
                .zip(other)
                .for_each(|(to, other)| *to = (factor * scale.step * z).mul_add(*other, *to));
        }
        if steps.non_negative {
            new.iter_mut().for_each(|value| *value = value.max(0.0));
        }
        (new, new_bias)
    }
    fn put(rows: &mut Rows, row: u16, (values, bias): (Vec<f32>, f32)) {
        let (row, width) = (usize::from(row), rows.width);
        rows.biases[row] = bias;
        bytemuck::cast_slice_mut(&mut rows.factors)[row * width..][..width].copy_from_slice(&values);
    }
    for batches in steps_of(cell) {
        let mut known: Vec<Vec<f32>> =
            batches.iter().take(2).map(|ratings| products(ratings, users, items)).collect();
        for (at, ratings) in batches.iter().enumerate() {
            let user = ratings[0].user;
            let errors: Vec<f32> = (ratings.iter().zip(&known[at]))
                .map(|(rating, product)| {
                    let biases = users.biases[usize::from(user)] + items.biases[usize::from(rating.item)];
                    rating.value - biases - product
                })
                .collect();
            if let Some(ahead) = batches.get(at + 2) {
                known.push(products(ahead, users, items));
            }
            let p = row(users, user).to_vec();
            let by: Vec<(f32, Vec<f32>)> = (errors.iter().zip(ratings.iter()))
                .map(|(&z, rating)| (z, row(items, rating.item).to_vec()))
                .collect();
            put(users, user, moved((users, user), steps.shares.0, &by, steps));
            for (&z, rating) in errors.iter().zip(ratings.iter()) {
                let new = moved((items, rating.item), steps.shares.1, &[(z, p.clone())], steps);
                put(items, rating.item, new);
            }
        }
    }
}

/// Orders ratings as in files: all of a user's ratings together, `each` of them.
fn by_user(users: u16, each: u16, items: usize) -> Vec<Rating> {
    let mut stream = raddle_base::random::Stream::new(&[7]);
    let mut of = |user| Rating { user, item: stream.below(items) as u16, value: stream.unit() as f32 };
    (0..users).flat_map(|user| std::iter::repeat_n(user, each.into())).map(&mut of).collect()
}

fn sorted(ratings: &[Rating]) -> Vec<(u16, u16, u32)> {
    let mut keys: Vec<_> =
        ratings.iter().map(|rating| (rating.user, rating.item, rating.value.to_bits())).collect();
    keys.sort_unstable();
    keys
}

#[test]
fn ratings_of_a_user_that_stand_together_are_paired_and_none_is_lost() {
    for (users, each, items) in [(40, 19, 60), (9, 1, 3), (3, 2, 2), (100, 7, 200), (1, 50, 1)] {
        let given = by_user(users, each, items);
        for pieces in [1, 3] {
            let cells = in_order(&given, pieces, LANES);
            assert_eq!(sorted(&all(&cells)), sorted(&given));
            let singles: usize = cells.iter().map(|cell| steps_of(cell)[1].len()).sum();
            // A piece may have at most one single rating of each user, and one for each pair of equal items.
            let equal =
                given.windows(2).filter(|near| near[0].user == near[1].user && near[0].item == near[1].item);
            assert!(singles <= usize::from(users) + pieces + 2 * equal.count(), "{singles} singles");
        }
        // A cell that is read back has the same steps.
        for cell in in_order(&given, 1, LANES) {
            let bytes = raddle_base::state::to_bytes(&cell);
            assert_eq!(raddle_base::state::from_bytes::<Cell>(&bytes).unwrap(), cell);
        }
    }
}

#[test]
fn ratings_of_a_user_are_paired_wherever_they_stand() {
    let mut given = by_user(80, 19, 300);
    raddle_base::random::Stream::new(&[3]).shuffle(&mut given);
    for pieces in [1, 2, 7] {
        let cells = in_order(&given, pieces, LANES);
        assert_eq!(sorted(&all(&cells)), sorted(&given));
        let pairs: usize = cells.iter().map(|cell| steps_of(cell)[0].len()).sum();
        assert!(pairs > 700, "{pairs} pairs");
    }
}

#[test]
fn steps_of_a_user_come_apart() {
    let mut given = by_user(60, 20, 300);
    for _ in 0..2 {
        let cells = in_order(&given, 1, LANES);
        let pairs: Vec<&[Rating]> = cells.iter().flat_map(|cell| steps_of(cell)[0].clone()).collect();
        let close =
            pairs.windows(3).filter(|near| near[1..].iter().any(|other| other[0].user == near[0][0].user));
        assert!(pairs.len() > 500 && close.count() < 10);
        raddle_base::random::Stream::new(&[3]).shuffle(&mut given);
    }
}

#[test]
fn ratings_of_sparse_cells_stand_by_groups_of_items_in_stretches() {
    for (users, items, width, stretch) in
        [(100, 4000, 256, 512), (37, 65_535, 1024, 256), (300, 9000, 16, 8192), (1, 4000, 4096, 256)]
    {
        let given = by_user(users, 20, items);
        let last = given.iter().map(|rating| rating.item).max().unwrap();
        // At most 64 groups of items, each with a power of two of them.
        let size = (last / 64 + 1).next_power_of_two();
        for pieces in [1, 3] {
            let found = all(&in_order(&given, pieces, width));
            assert_eq!(found.len(), given.len());
            for (tiled, given) in pairs(found.chunks(stretch), given.chunks(stretch)) {
                assert_eq!(sorted(tiled), sorted(given));
                assert!(tiled.is_sorted_by_key(|rating| rating.item / size), "{items} items");
            }
        }
    }
}

#[test]
fn what_an_input_extends_to_is_the_same_in_every_form() {
    let values = numbers(99, 5);
    let rows: Vec<u32> = values.iter().map(|value| (value.abs() * 1e9) as u32).collect();
    for count in [0, 1, 17, 99] {
        let largest = same(SimdLevel::in_every_form(|| largest(&rows[..count])));
        assert_eq!(largest, rows[..count].iter().copied().max().unwrap_or(0));
        assert!(same(SimdLevel::in_every_form(|| all_finite(&values[..count]))));
        let (sum, squares) = same(SimdLevel::in_every_form(|| moments(&values[..count])));
        let naive = |power| values[..count].iter().map(|&value| f64::from(value).powi(power)).sum::<f64>();
        assert!((sum - naive(1)).abs() < 1e-12 && (squares - naive(2)).abs() < 1e-12);
    }
    for wrong in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut values = values.clone();
        values[70] = wrong;
        assert!(!same(SimdLevel::in_every_form(|| all_finite(&values))));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn steps_are_those_of_the_definition_in_every_form(
        count in 0usize..60, pieces in 1usize..4, chunks in 1usize..10, uneven: bool, non_negative: bool, together: bool,
        seed: u64
    ) {
        let (mut users, mut items) = (rows(7, chunks, seed), rows(5, chunks, seed ^ 1));
        if uneven {
            let scale = |step: f32| Scale { step: step.abs(), decay: 0.5, bias_decay: 1.5 };
            users.scales = numbers(7, seed).into_iter().map(scale).collect();
            items.scales = vec![scale(0.7); 5];
        }
        let shares = if uneven { (1.5, 0.25) } else { (1.0, 1.0) };
        let mut given = ratings(count, 7, 5, seed ^ 2);
        if together {
            given.sort_by_key(|rating| rating.user);
        }
        // Longer rows have longer gradients: with steps as long as those of short rows they would diverge.
        let factor = STEPS.factor / chunks as f32;
        let (cells, steps) = (in_order(&given, pieces, LANES), Steps { factor, non_negative, shares, ..STEPS });
        let found = same(SimdLevel::in_every_form(|| {
            let (mut users, mut items) = (users.clone(), items.clone());
            let sum: f64 = cells.iter().map(|cell| sgd(cell, &mut users, &mut items, &steps)).sum();
            (sum.to_bits(), users, items)
        }));
        cells.iter().for_each(|cell| by_definition(cell, &mut users, &mut items, &steps));
        prop_assert_eq!((found.1, found.2), (users, items));
    }

    #[test]
    fn squares_and_scores_are_sums_of_products(count in 0usize..30, chunks in 1usize..6, seed: u64) {
        let (users, items) = (rows(6, chunks, seed), rows(4, chunks, seed ^ 1));
        let cell = cell(count, 6, 4, seed);
        let found = same(SimdLevel::in_every_form(|| squares(&cell, &users, &items).to_bits()));
        let (p, q): (&[f32], &[f32]) = (bytemuck::cast_slice(&users.factors), bytemuck::cast_slice(&items.factors));
        let width = users.width;
        let square = |rating: &Rating| {
            let (u, i) = (usize::from(rating.user), usize::from(rating.item));
            let product = product(&p[u * width..(u + 1) * width], &q[i * width..(i + 1) * width]);
            f64::from(rating.value - (users.biases[u] + items.biases[i]) - product).powi(2)
        };
        prop_assert_eq!(f64::from_bits(found), cell.ratings().iter().map(square).sum::<f64>());
        let four = std::array::from_fn(|j| &users.factors[j * chunks..(j + 1) * chunks]);
        let all = same(SimdLevel::in_every_form(|| {
            let mut out = std::array::from_fn(|_| Vec::new());
            scores(four, &items.factors, chunks, &mut out);
            out
        }));
        for (j, scores) in all.iter().enumerate() {
            for (i, score) in scores.iter().enumerate() {
                prop_assert_eq!(*score, product(&p[j * width..(j + 1) * width], &q[i * width..(i + 1) * width]));
            }
        }
    }

    #[test]
    fn equations_are_solved_in_every_form(count in 1usize..40, chunks in 1usize..6, seed: u64) {
        let features = rows(count, chunks, seed).factors;
        let (weights, targets) = (vec![1.0; count], numbers(count, seed ^ 3));
        let width = chunks * LANES;
        let x = same(SimdLevel::in_every_form(|| {
            let (mut matrix, mut right) = (vec![Vector([0.0; LANES]); width * chunks], vec![Vector([0.0; LANES]); chunks]);
            (0..width).for_each(|j| matrix[j * chunks + j / LANES].0[j % LANES] = 0.5);
            add_products(&features, chunks, &weights, &targets, &mut matrix, &mut right);
            assert!(solve(&mut matrix, &mut right, chunks));
            right
        }));
        // At the solution the gradient of the least-squares problem is zero.
        let (x, rows): (&[f32], &[f32]) = (bytemuck::cast_slice(&x), bytemuck::cast_slice(&features));
        let mut slope: Vec<f64> = x.iter().map(|&x| 0.5 * f64::from(x)).collect();
        for (row, target) in rows.chunks_exact(width).zip(&targets) {
            let error: f64 = row.iter().zip(x).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum::<f64>() - f64::from(*target);
            slope.iter_mut().zip(row).for_each(|(slope, &a)| *slope += error * f64::from(a));
        }
        prop_assert!(slope.iter().all(|slope| slope.abs() < 1e-3), "{slope:?}");
        let indices: Vec<u32> = (0..count as u32).collect();
        let equations = LinearSystem {
            features: &features, chunks, rows: &indices, weights: &weights, targets: &targets, square: &[], ridge: 0.5,
        };
        let by_gradients = same(SimdLevel::in_every_form(|| {
            let mut x = vec![Vector([0.0; LANES]); chunks];
            descend(&equations, 3 * count.min(width) + 5, &mut x);
            x
        }));
        let by_gradients: &[f32] = bytemuck::cast_slice(&by_gradients);
        prop_assert!(pairs(x, by_gradients).all(|(a, b)| (a - b).abs() < 1e-2), "{x:?} {by_gradients:?}");
    }
}

#[test]
fn uniform_numbers_are_those_of_their_hashes_in_every_form() {
    for count in [0, 1, 15, 16, 33, 100] {
        let found = same(SimdLevel::in_every_form(|| {
            let mut to = vec![0.0; count];
            uniform(77, -0.25, 0.5, &mut to);
            to
        }));
        for (at, value) in found.into_iter().enumerate() {
            let bits = raddle_base::random::splitmix64(77 ^ (at / 2) as u64);
            let half = if at % 2 == 0 { bits >> 40 } else { bits >> 16 & 0xff_ffff };
            assert_eq!(value, -0.25 + 0.5 * (half as f32 / (1 << 24) as f32));
            assert!((-0.25..0.25).contains(&value));
        }
    }
}

#[test]
fn a_matrix_that_is_not_positive_is_refused() {
    let mut matrix = vec![Vector([0.0; LANES]); LANES];
    let mut right = vec![Vector([1.0; LANES])];
    assert!(!solve(&mut matrix, &mut right, 1));
    assert_eq!(right, vec![Vector([1.0; LANES])]);
}

#[test]
#[should_panic(expected = "a cell names rows that are there")]
fn a_row_that_is_not_there_is_refused() {
    let cell = cell(30, 9, 5, 1);
    sgd(&cell, &mut rows(3, 1, 1), &mut rows(5, 1, 2), &STEPS);
}
