//! The table of comparisons: medians, minima, ratios.

/// Seconds measured.
#[derive(Debug, Clone, Default)]
pub(crate) struct Samples(Vec<f64>);

impl Samples {
    /// Samples of these seconds.
    pub(crate) fn new(mut seconds: Vec<f64>) -> Self {
        seconds.sort_unstable_by(f64::total_cmp);
        Self(seconds)
    }

    /// The median.
    pub(crate) fn median(&self) -> f64 {
        self.0[self.0.len() / 2]
    }

    /// The minimum.
    pub(crate) fn least(&self) -> f64 {
        self.0[0]
    }

    /// Each multiplied.
    pub(crate) fn scaled(self, factor: f64) -> Self {
        Self(self.0.into_iter().map(|seconds| seconds * factor).collect())
    }
}

/// Runs the sides of a comparison in turns, one after the other within a turn, and gathers the samples of
/// each.
pub(crate) fn in_turns<const N: usize>(
    turns: usize,
    mut turn: impl FnMut() -> [Vec<f64>; N],
) -> [Samples; N] {
    let mut samples = [const { Vec::new() }; N];
    for _ in 0..turns {
        samples.iter_mut().zip(turn()).for_each(|(samples, new)| samples.extend(new));
    }
    samples.map(Samples::new)
}

/// Rows and notes, printed at the end.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<String>,
    notes: Vec<String>,
}

impl Table {
    /// A row, which compares two sides.
    pub(crate) fn pair(&mut self, what: &str, (to, reference): (&str, Samples), samples: Samples) {
        let pair = |pick: fn(&Samples) -> f64| {
            let (reference, value) = (pick(&reference), pick(&samples));
            let (more, ratio) = (value - reference, value / reference);
            format!("{} | {} | {} | {ratio:.2}", time(reference), time(value), time(more))
        };
        let row = format!("| {what} | {to} | {} | {} |", pair(Samples::median), pair(Samples::least));
        eprintln!("{row}");
        self.rows.push(row);
    }

    /// A sentence below the table.
    pub(crate) fn note(&mut self, note: &str) {
        eprintln!("{note}");
        self.notes.push(note.to_owned());
    }

    /// Writes everything to stdout as markdown.
    pub(crate) fn print(&self) {
        println!(
            "| what | beside | median of that | median | more | ratio | least of that | least | more | ratio |"
        );
        println!("|---|---|---|---|---|---|---|---|---|---|");
        self.rows.iter().for_each(|row| println!("{row}"));
        println!();
        self.notes.iter().for_each(|note| println!("{note}"));
    }
}

/// Seconds with a unit that suits them.
pub(crate) fn time(seconds: f64) -> String {
    match seconds.abs() {
        1.0.. => format!("{seconds:.2} s"),
        1e-3.. => format!("{:.2} ms", seconds * 1e3),
        _ => format!("{:.2} us", seconds * 1e6),
    }
}
