//! The numbers of a picture, as a program describes it in `summary.json`: nothing here knows of drawing.

use serde::{Deserialize, Deserializer, Serialize};

/// Description of a picture: its kind, its axes and the numbers of its series.
///
/// ```
/// use raddle_cli::{Axis, Picture, PictureKind, Series};
/// let error = Series::new("validation", vec![1.0, 2.0, 3.0], vec![0.98, 0.91, 0.89]);
/// let picture = Picture::new("Error by epoch", PictureKind::Lines)
///     .axes(Axis::linear("epoch"), Axis::linear("rmse"))
///     .series(error);
/// assert_eq!(serde_json::to_value(&picture)?["kind"], "lines");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Picture {
    /// Caption.
    pub title: String,
    /// Form of the picture.
    pub kind: PictureKind,
    /// Horizontal axis; of bars, the axis along which they stand one below the other.
    #[serde(default)]
    pub x: Axis,
    /// Vertical axis; of bars, the axis of their lengths.
    #[serde(default)]
    pub y: Axis,
    /// Numbers to draw. Each series has a colour, a dash or a mark of its own.
    #[serde(default)]
    pub series: Vec<Series>,
    /// Places of the horizontal axis that get a line and a label, such as a parameter that was chosen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Tick>,
    /// Places of the vertical axis that get a line and a label, such as a target.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<Tick>,
    /// Counts along the upper edge of the picture, such as coefficients that are not zero at a penalty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub above: Vec<Tick>,
    /// Members and what they contain; of [`PictureKind::Map`] alone.
    #[serde(default, skip_serializing_if = "Contents::is_empty")]
    pub contents: Contents,
    /// Sentence below the caption.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// Form of a picture; in JSON its name in small letters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PictureKind {
    /// `lines`: a line for each series, with a band where a series has bounds.
    #[default]
    Lines,
    /// `bars`: a bar for each number, with its label at the side.
    Bars,
    /// `points`: a mark for each number.
    Points,
    /// `map`: members by their places and sizes, and bars of what a chosen one contains.
    Map,
    /// A name that this version does not know: its numbers are shown as a table.
    #[serde(untagged)]
    Other(String),
}

/// Axis of a picture.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// Name of the quantity, with its unit.
    pub label: String,
    /// Spacing of the numbers.
    #[serde(default)]
    pub scale: Scale,
    /// `true` if the numbers fall from left to right, as penalties along a path do.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub falls: bool,
    /// Places with labels of their own, such as names of bars; where there are none, round numbers are shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ticks: Vec<Tick>,
}

/// Spacing of the numbers of an axis.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Equal differences are equally long.
    #[default]
    Linear,
    /// Equal ratios are equally long. Numbers that are not positive have no place.
    Log,
}

/// Place of an axis with a label.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Tick {
    /// Number on the axis.
    #[serde(deserialize_with = "null_or_number")]
    pub at: f64,
    /// Text that stands there.
    pub label: String,
}

/// Numbers of a picture that belong together.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// Name, as the legend has it.
    pub name: String,
    /// Numbers on the horizontal axis.
    #[serde(deserialize_with = "nulls_or_numbers")]
    pub x: Vec<f64>,
    /// Numbers on the vertical axis, one for each of `x`. One that is not finite interrupts a line.
    #[serde(deserialize_with = "nulls_or_numbers")]
    pub y: Vec<f64>,
    /// Lower bounds of `y`, one for each; empty where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "nulls_or_numbers")]
    pub low: Vec<f64>,
    /// Upper bounds of `y`, one for each; empty where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "nulls_or_numbers")]
    pub high: Vec<f64>,
}

/// Members of a map and what each contains, such as topics and their words.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Contents {
    /// Noun of a member, such as `topic`.
    pub member: String,
    /// Noun of what a member contains, such as `word`.
    pub item: String,
    /// Noun of an example of a member, such as `document`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub example: String,
    /// Names of the items that occur in `members`.
    pub items: Vec<String>,
    /// Share of each item in everything, in 0..1, in the order of `items`.
    #[serde(deserialize_with = "nulls_or_numbers")]
    pub overall: Vec<f64>,
    /// Members, in the order of their numbers.
    pub members: Vec<Member>,
}

impl Contents {
    fn is_empty(&self) -> bool {
        self.members.is_empty()
    }
}

/// Member of a map.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Member {
    /// Name, such as a topic's number.
    pub name: String,
    /// Place on the map, horizontally.
    #[serde(deserialize_with = "null_or_number")]
    pub x: f64,
    /// Place on the map, vertically, in the unit of `x`.
    #[serde(deserialize_with = "null_or_number")]
    pub y: f64,
    /// Share of the member in everything, in 0..1: the area of its circle.
    #[serde(deserialize_with = "null_or_number")]
    pub share: f64,
    /// Items that it may show: number in [`Contents::items`], from 0, and share of the item in the member, in
    /// 0..1. Relevance of an item of share p here and q overall is L ln p + (1 - L) ln(p / q), for an L in
    /// 0..1 that the reader chooses (Sievert and Shirley 2014, equation 1).
    pub contains: Vec<(usize, f64)>,
    /// Examples, best first: name, and share of the member in the example, in 0..1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<(String, f64)>,
}

impl Picture {
    /// A picture without numbers yet.
    pub fn new(title: impl Into<String>, kind: PictureKind) -> Self {
        Self { title: title.into(), kind, ..Self::default() }
    }

    /// With these axes.
    pub fn axes(self, x: Axis, y: Axis) -> Self {
        Self { x, y, ..self }
    }

    /// Adds a series.
    pub fn series(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }

    /// Adds a marked place of the horizontal axis.
    pub fn mark(mut self, at: f64, label: impl Into<String>) -> Self {
        self.marks.push(Tick::new(at, label));
        self
    }

    /// Adds a marked place of the vertical axis.
    pub fn level(mut self, at: f64, label: impl Into<String>) -> Self {
        self.levels.push(Tick::new(at, label));
        self
    }

    /// With a sentence below the caption.
    pub fn note(self, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..self }
    }
}

impl Axis {
    /// An axis on which equal differences are equally long.
    pub fn linear(label: impl Into<String>) -> Self {
        Self { label: label.into(), ..Self::default() }
    }

    /// An axis on which equal ratios are equally long.
    pub fn log(label: impl Into<String>) -> Self {
        Self { scale: Scale::Log, ..Self::linear(label) }
    }

    /// With numbers that fall from left to right.
    pub fn falling(self) -> Self {
        Self { falls: true, ..self }
    }

    /// An axis with names at the places 0, 1, 2 and so on.
    pub fn names(label: impl Into<String>, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let ticks = names.into_iter().enumerate().map(|(at, name)| Tick::new(at as f64, name)).collect();
        Self { ticks, ..Self::linear(label) }
    }
}

impl Tick {
    /// A label at a place.
    pub fn new(at: f64, label: impl Into<String>) -> Self {
        Self { at, label: label.into() }
    }
}

impl Series {
    /// Numbers under a name; `x` and `y` have the same length.
    pub fn new(name: impl Into<String>, x: Vec<f64>, y: Vec<f64>) -> Self {
        Self { name: name.into(), x, y, ..Self::default() }
    }

    /// Numbers at the places 0, 1, 2 and so on.
    pub fn of_names(name: impl Into<String>, y: Vec<f64>) -> Self {
        Self::new(name, (0..y.len()).map(|at| at as f64).collect(), y)
    }

    /// With bounds, each as long as `y`.
    pub fn bounds(self, low: Vec<f64>, high: Vec<f64>) -> Self {
        Self { low, high, ..self }
    }
}

// JSON writes `null` for each number that is not finite.

fn null_or_number<'de, D: Deserializer<'de>>(json: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(json)?.unwrap_or(f64::NAN))
}

fn nulls_or_numbers<'de, D: Deserializer<'de>>(json: D) -> Result<Vec<f64>, D::Error> {
    let numbers = Vec::<Option<f64>>::deserialize(json)?;
    Ok(numbers.into_iter().map(|number| number.unwrap_or(f64::NAN)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again_but_for_infinities() {
        let contents = Contents {
            member: "topic".into(),
            item: "word".into(),
            example: "document".into(),
            items: vec!["a".into()],
            overall: vec![0.5],
            members: vec![Member {
                name: "1".into(),
                x: -1.0,
                y: 0.0,
                share: 1.0,
                contains: vec![(0, 0.5)],
                examples: vec![("d".into(), 0.25)],
            }],
        };
        let mut picture = Picture::new("a map", PictureKind::Map)
            .axes(Axis::log("x").falling(), Axis::names("y", ["p", "q"]))
            .series(Series::of_names("s", vec![1.0, 2.0]).bounds(vec![0.5, 1.5], vec![2.0, 2.5]))
            .mark(1.0, "chosen")
            .level(0.5, "target")
            .note("a note");
        picture.contents = contents;
        let text = serde_json::to_string(&picture).unwrap();
        assert_eq!(serde_json::from_str::<Picture>(&text).unwrap(), picture);
        let infinite = Series::new("s", vec![1.0], vec![f64::INFINITY]);
        let read: Series = serde_json::from_str(&serde_json::to_string(&infinite).unwrap()).unwrap();
        assert!(read.y[0].is_nan());
    }

    #[test]
    fn a_kind_of_a_later_version_keeps_its_name() {
        let read: Picture = serde_json::from_str(r#"{"title": "t", "kind": "pie"}"#).unwrap();
        assert_eq!(read.kind, PictureKind::Other("pie".into()));
        assert_eq!(serde_json::to_value(&read).unwrap()["kind"], "pie");
    }
}
