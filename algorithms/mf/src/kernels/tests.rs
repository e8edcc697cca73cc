//! The three forms give the same bits, and those of the definition.

use proptest::prelude::*;
use raddle::level::Level;

use super::order::tiled;
use super::*;

/// Runs `body` once in every form, the portable one first.
fn in_every_form<T>(mut body: impl FnMut() -> T) -> Vec<(&'static str, T)> {
    Level::available().into_iter().map(|level| (level.name(), level.during(&mut body))).collect()
}

fn same<T: PartialEq + std::fmt::Debug>(results: Vec<(&'static str, T)>) -> T {
    let mut results = results.into_iter();
    let (_, first) = results.next().unwrap();
    results.for_each(|(name, other)| assert_eq!(other, first, "{name}"));
    first
}

/// Numbers between -1 and 1 without a pattern.
fn numbers(count: usize, seed: u64) -> Vec<f32> {
    let mut stream = raddle::random::Stream::new(&[seed]);
    (0..count).map(|_| 2.0 * stream.unit() as f32 - 1.0).collect()
}

fn rows(count: usize, chunks: usize, seed: u64) -> Rows {
    let values = numbers(count * chunks * LANES, seed);
    let factors = values.chunks_exact(LANES).map(|lanes| Vector(lanes.try_into().unwrap())).collect();
    Rows { width: chunks * LANES, factors, biases: numbers(count, seed + 1), scales: Vec::new() }
}

fn cell(count: usize, users: usize, items: usize, seed: u64) -> Cell {
    let mut stream = raddle::random::Stream::new(&[seed]);
    let rating = |_| Rating {
        user: stream.below(users) as u16,
        item: stream.below(items) as u16,
        value: stream.unit() as f32 * 2.0 - 1.0,
    };
    Cell::new(&(0..count).map(rating).collect::<Vec<_>>(), LANES)
}

const STEPS: Steps = Steps {
    factor: 0.05,
    decay: 0.03,
    bias: 0.015,
    bias_decay: 0.02,
    shares: (1.0, 1.0),
    non_negative: false,
};

/// The lanes of one row of products, added as the definition says.
fn product(p: &[f32], q: &[f32]) -> f32 {
    product_in::<1>(p, q)
}

/// The same, where vectors are added up in so many chains.
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

/// Gradient steps by their definition, with products as they are two ratings before their step.
fn by_definition(cell: &Cell, users: &mut Rows, items: &mut Rows, steps: &Steps) {
    fn row(rows: &Rows, row: u16) -> &[f32] {
        &bytemuck::cast_slice(&rows.factors)[usize::from(row) * rows.width..][..rows.width]
    }
    let product = |rating: &Rating, users: &Rows, items: &Rows| {
        let (p, q) = (row(users, rating.user), row(items, rating.item));
        if p.len() < 8 * LANES { product(p, q) } else { product_in::<2>(p, q) }
    };
    fn step(rating: &Rating, z: f32, (users, items): (&mut Rows, &mut Rows), steps: &Steps) {
        let one = Scale { step: 1.0, decay: 1.0, bias_decay: 1.0 };
        let scale = |rows: &Rows, row: u16| rows.scales.get(usize::from(row)).copied().unwrap_or(one);
        let (su, si) = (scale(users, rating.user), scale(items, rating.item));
        let sides =
            [(&mut *users, rating.user, su, steps.shares.0), (&mut *items, rating.item, si, steps.shares.1)];
        let [(eu, ku), (ei, ki)] = sides.map(|(rows, row, scale, share)| {
            let (factor, bias) = (steps.factor * share, steps.bias * share);
            let to = &mut rows.biases[usize::from(row)];
            let kept = *to * (1.0 - bias * steps.bias_decay * scale.step * scale.bias_decay);
            *to = (bias * scale.step).mul_add(z, kept);
            (factor * scale.step, 1.0 - factor * steps.decay * scale.step * scale.decay)
        });
        let width = users.width;
        let p: &mut [f32] = bytemuck::cast_slice_mut(&mut users.factors);
        let q: &mut [f32] = bytemuck::cast_slice_mut(&mut items.factors);
        for f in 0..width {
            let (p, q) =
                (&mut p[usize::from(rating.user) * width + f], &mut q[usize::from(rating.item) * width + f]);
            let (old_p, old_q) = (*p, *q);
            *p = (eu * z).mul_add(old_q, old_p * ku);
            *q = (ei * z).mul_add(old_p, old_q * ki);
            if steps.non_negative {
                (*p, *q) = (p.max(0.0), q.max(0.0));
            }
        }
    }
    let ratings = cell.ratings();
    let mut products: Vec<f32> = ratings.iter().take(2).map(|rating| product(rating, users, items)).collect();
    for (at, rating) in ratings.iter().enumerate() {
        let known = users.biases[usize::from(rating.user)] + items.biases[usize::from(rating.item)];
        let z = rating.value - known - products[at];
        if let Some(ahead) = ratings.get(at + 2) {
            products.push(product(ahead, users, items));
        }
        step(rating, z, (users, items), steps);
    }
}

#[test]
fn neighbours_are_brought_apart_and_none_is_lost() {
    let rating = |user: u16, item: u16| Rating { user, item, value: 0.0 };
    let share = |a: &Rating, b: &Rating| a.user == b.user || a.item == b.item;
    let ratings = cell(500, 40, 30, 7);
    let ratings = ratings.ratings();
    for near in ratings[..480].windows(3) {
        assert!(!share(&near[0], &near[1]) && !share(&near[0], &near[2]), "{near:?}");
    }
    // As files have them: all of a user's ratings together.
    let given: Vec<Rating> = (0..800).map(|at| rating(at / 20, at % 37)).collect();
    let apart = Cell::new(&given, LANES);
    let close =
        apart.ratings().windows(3).filter(|near| share(&near[0], &near[1]) || share(&near[0], &near[2]));
    assert!(close.count() < 8);
    let sorted = |ratings: &[Rating]| {
        let mut pairs: Vec<(u16, u16)> = ratings.iter().map(|rating| (rating.user, rating.item)).collect();
        pairs.sort_unstable();
        pairs
    };
    assert_eq!(sorted(apart.ratings()), sorted(&given));
    // Where there is no way, the order stays.
    let same = vec![rating(1, 1), rating(1, 2), rating(1, 3)];
    assert_eq!(Cell::new(&same, LANES).ratings(), same);
}

/// As files have them: all of a user's ratings together, `each` of them.
fn by_user(users: u16, each: u16, items: usize) -> Vec<Rating> {
    let mut stream = raddle::random::Stream::new(&[7]);
    let mut of = |user| Rating { user, item: stream.below(items) as u16, value: stream.unit() as f32 };
    (0..users).flat_map(|user| std::iter::repeat_n(user, each.into())).map(&mut of).collect()
}

#[test]
fn stretches_keep_their_ratings_and_have_groups_of_items_together() {
    for (users, items, width, stretch) in
        [(100, 400, 256, 512), (37, 65_535, 1024, 256), (300, 20, 128, 1024), (1, 1, 4096, 256)]
    {
        let given = by_user(users, 20, items);
        let last = given.iter().map(|rating| rating.item).max().unwrap_or(0);
        let tiled = tiled(&given, last, width);
        assert_eq!(tiled.len(), given.len());
        for (tiled, given) in tiled.chunks(stretch).zip(given.chunks(stretch)) {
            let sorted = |ratings: &[Rating]| {
                let key = |rating: &Rating| (rating.user, rating.item, rating.value.to_bits());
                let mut keys: Vec<_> = ratings.iter().map(key).collect();
                keys.sort_unstable();
                keys
            };
            assert_eq!(sorted(tiled), sorted(given));
            // Groups of 16 items, or of more where that would be more than 64 groups.
            let group = |rating: &Rating| rating.item / if items > 1024 { 1024 } else { 16 };
            assert!(tiled.is_sorted_by_key(group), "{items} items");
        }
    }
    assert!(tiled(&[], 0, 16).is_empty());
}

#[test]
fn in_tiles_most_neighbours_share_no_row() {
    // Cells of the sizes that MovieLens 1M has, at random.
    for (users, each, items, width) in [(94, 19, 463, 128), (350, 20, 925, 64)] {
        let cell = Cell::new(&by_user(users, each, items), width);
        let share = |a: &Rating, b: &Rating| a.user == b.user || a.item == b.item;
        let close = |near: &&[Rating]| share(&near[0], &near[1]) || share(&near[0], &near[2]);
        let part = cell.ratings().windows(3).filter(close).count() as f64 / cell.ratings().len() as f64;
        assert!(part < 0.35, "{part} at width {width}");
    }
}

#[test]
fn what_an_input_extends_to_is_the_same_in_every_form() {
    let values = numbers(99, 5);
    let rows: Vec<u32> = values.iter().map(|value| (value.abs() * 1e9) as u32).collect();
    for count in [0, 1, 17, 99] {
        let largest = same(in_every_form(|| largest(&rows[..count])));
        assert_eq!(largest, rows[..count].iter().copied().max().unwrap_or(0));
        assert!(same(in_every_form(|| all_finite(&values[..count]))));
        let (sum, squares) = same(in_every_form(|| moments(&values[..count])));
        let naive = |power| values[..count].iter().map(|&value| f64::from(value).powi(power)).sum::<f64>();
        assert!((sum - naive(1)).abs() < 1e-12 && (squares - naive(2)).abs() < 1e-12);
    }
    for wrong in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut values = values.clone();
        values[70] = wrong;
        assert!(!same(in_every_form(|| all_finite(&values))));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn steps_are_those_of_the_definition_in_every_form(
        count in 0usize..60, chunks in 1usize..10, uneven: bool, non_negative: bool, seed: u64
    ) {
        let (mut users, mut items) = (rows(7, chunks, seed), rows(5, chunks, seed ^ 1));
        if uneven {
            let scale = |step: f32| Scale { step: step.abs(), decay: 0.5, bias_decay: 1.5 };
            users.scales = numbers(7, seed).into_iter().map(scale).collect();
            items.scales = vec![scale(0.7); 5];
        }
        let shares = if uneven { (1.5, 0.25) } else { (1.0, 1.0) };
        let (cell, steps) = (cell(count, 7, 5, seed ^ 2), Steps { non_negative, shares, ..STEPS });
        let found = same(in_every_form(|| {
            let (mut users, mut items) = (users.clone(), items.clone());
            let sum = sgd(&cell, &mut users, &mut items, &steps);
            (sum.to_bits(), users, items)
        }));
        by_definition(&cell, &mut users, &mut items, &steps);
        prop_assert_eq!((found.1, found.2), (users, items));
    }

    #[test]
    fn squares_and_scores_are_sums_of_products(count in 0usize..30, chunks in 1usize..6, seed: u64) {
        let (users, items) = (rows(6, chunks, seed), rows(4, chunks, seed ^ 1));
        let cell = cell(count, 6, 4, seed);
        let found = same(in_every_form(|| squares(&cell, &users, &items).to_bits()));
        let (p, q): (&[f32], &[f32]) = (bytemuck::cast_slice(&users.factors), bytemuck::cast_slice(&items.factors));
        let width = users.width;
        let square = |rating: &Rating| {
            let (u, i) = (usize::from(rating.user), usize::from(rating.item));
            let product = product(&p[u * width..(u + 1) * width], &q[i * width..(i + 1) * width]);
            f64::from(rating.value - (users.biases[u] + items.biases[i]) - product).powi(2)
        };
        prop_assert_eq!(f64::from_bits(found), cell.ratings().iter().map(square).sum::<f64>());
        let four = std::array::from_fn(|j| &users.factors[j * chunks..(j + 1) * chunks]);
        let all = same(in_every_form(|| {
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
        let x = same(in_every_form(|| {
            let (mut matrix, mut right) = (vec![Vector([0.0; LANES]); width * chunks], vec![Vector([0.0; LANES]); chunks]);
            (0..width).for_each(|j| matrix[j * chunks + j / LANES].0[j % LANES] = 0.5);
            add_products(&features, chunks, &weights, &targets, &mut matrix, &mut right);
            assert!(solve(&mut matrix, &mut right, chunks));
            right
        }));
        // The gradient of the least-squares problem is zero there.
        let (x, rows): (&[f32], &[f32]) = (bytemuck::cast_slice(&x), bytemuck::cast_slice(&features));
        let mut slope: Vec<f64> = x.iter().map(|&x| 0.5 * f64::from(x)).collect();
        for (row, target) in rows.chunks_exact(width).zip(&targets) {
            let error: f64 = row.iter().zip(x).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum::<f64>() - f64::from(*target);
            slope.iter_mut().zip(row).for_each(|(slope, &a)| *slope += error * f64::from(a));
        }
        prop_assert!(slope.iter().all(|slope| slope.abs() < 1e-3), "{slope:?}");
        let indices: Vec<u32> = (0..count as u32).collect();
        let equations = Equations {
            features: &features, chunks, rows: &indices, weights: &weights, targets: &targets, square: &[], ridge: 0.5,
        };
        let by_gradients = same(in_every_form(|| {
            let mut x = vec![Vector([0.0; LANES]); chunks];
            descend(&equations, 3 * count.min(width) + 5, &mut x);
            x
        }));
        let by_gradients: &[f32] = bytemuck::cast_slice(&by_gradients);
        prop_assert!(x.iter().zip(by_gradients).all(|(a, b)| (a - b).abs() < 1e-2), "{x:?} {by_gradients:?}");
    }
}

#[test]
fn uniform_numbers_are_those_of_their_hashes_in_every_form() {
    for count in [0, 1, 15, 16, 33, 100] {
        let found = same(in_every_form(|| {
            let mut to = vec![0.0; count];
            uniform(77, -0.25, 0.5, &mut to);
            to
        }));
        for (at, value) in found.into_iter().enumerate() {
            let bits = raddle::random::splitmix64(77 ^ (at / 2) as u64);
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
