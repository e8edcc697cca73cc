//! The grid of a cross-validation.

use raddle_cli::{Axis, Picture, PictureKind, Series, Tick, number};

/// A setting with its scores over the folds.
pub(crate) struct GridPoint {
    pub(crate) rank: usize,
    /// The weight of a count, for implicit feedback.
    pub(crate) weight: Option<f64>,
    /// The regularisation; `None` for the default.
    pub(crate) reg: Option<f64>,
    pub(crate) mean: f64,
    /// The standard error of the mean; `None` for a single fold.
    pub(crate) error: Option<f64>,
}

impl GridPoint {
    /// The regularisation in words.
    pub(crate) fn reg(&self) -> String {
        self.reg.map_or("default".into(), |reg| reg.to_string())
    }
}

/// Plots the mean of each setting: over the rank, or over the regularisation if there is only one rank, or
/// over the weight if there is only one of both, with a line for all else; `None` for a single setting.
pub(crate) fn grid(tried: &[GridPoint], metric: &str, best: usize) -> Option<Picture> {
    let first = tried.first()?;
    let differs = |other: &dyn Fn(&GridPoint) -> bool| tried.iter().any(other);
    let weights = differs(&|other| other.weight != first.weight);
    let along = match differs(&|other| other.rank != first.rank) {
        true => "rank",
        false if weights && !differs(&|other| other.reg != first.reg) => "weight",
        false => "reg",
    };
    let place = |of: &GridPoint| match along {
        "rank" => of.rank as f64,
        "weight" => of.weight.unwrap_or(0.0),
        _ => of.reg.unwrap_or(0.0),
    };
    let name = |of: &GridPoint| {
        let [rank, reg] = [format!("rank {}", of.rank), format!("reg {}", of.reg())];
        let weight = of.weight.filter(|_| weights && along != "weight");
        let weight = weight.map_or(String::new(), |weight| format!(", W {weight}"));
        if along == "rank" { reg + &weight } else { rank + &weight }
    };
    let mut lines: Vec<(String, Vec<&GridPoint>)> = Vec::new();
    for of in tried {
        match lines.iter_mut().find(|(other, _)| *other == name(of)) {
            Some((_, line)) => line.push(of),
            None => lines.push((name(of), vec![of])),
        }
    }
    if lines.iter().all(|(_, line)| line.len() < 2) {
        return None;
    }
    let title = format!("Cross-validation: {metric}");
    let x = Axis::log(along);
    let mut picture = Picture::new(title, PictureKind::Lines).axes(x, Axis::linear(metric));
    // A logarithmic axis has no place for 0.
    if tried.iter().any(|of| place(of) <= 0.0) {
        picture.x.scale = Default::default();
    }
    let mut places: Vec<f64> = tried.iter().map(place).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    picture.x.ticks = places.into_iter().map(|at| Tick::new(at, number(at))).collect();
    for (name, mut line) in lines {
        line.sort_by(|a, b| place(a).total_cmp(&place(b)));
        let of = |value: &dyn Fn(&GridPoint) -> f64| line.iter().map(|of| value(of)).collect::<Vec<f64>>();
        let error = |of: &GridPoint| of.error.unwrap_or(f64::NAN);
        let series = Series::new(name, of(&place), of(&|of| of.mean));
        picture = picture.series(match line.iter().any(|of| of.error.is_some()) {
            true => series.bounds(of(&|of| of.mean - error(of)), of(&|of| of.mean + error(of))),
            false => series,
        });
    }
    let best = tried.get(best)?;
    let weight = best.weight.filter(|_| weights).map_or(String::new(), |weight| format!(", W {weight}"));
    let (rank, reg) = (best.rank, best.reg());
    let note = format!("best: rank {rank}{weight}, reg {reg}; band: a standard error to each side");
    Some(picture.mark(place(best), "best").note(note))
}
