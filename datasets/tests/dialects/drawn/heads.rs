//! Names of columns as programs write them, numbers among them, and cells below them.

use super::super::dice::Dice;

/// Names of columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Head {
    Words,
    /// pandas: 0, 1, 2.
    Zero,
    /// 1, 2, 3.
    One,
    /// 0, 1, and the response by a word.
    Labelled,
    Wavelengths,
    Falling,
    Months,
    Years,
    Tenths,
    None,
}

const HEADS: [Head; 10] = [
    Head::Words,
    Head::Zero,
    Head::One,
    Head::Labelled,
    Head::Wavelengths,
    Head::Falling,
    Head::Months,
    Head::Years,
    Head::Tenths,
    Head::None,
];

/// Words of other languages than options know, too.
const WORDS: [&str; 10] =
    ["age", "größe", "body mass", "x,1", "prix", "n\nl", "sex", "\"q\"", "länge", "#tag"];

impl Head {
    pub(super) fn draw(dice: &mut Dice) -> Self {
        HEADS[dice.roll(HEADS.len())]
    }

    /// `true` if all names are texts.
    pub(super) fn is_of_texts(self) -> bool {
        self == Self::Words
    }

    /// The names of so many columns, of which the last is the response.
    pub(super) fn names(self, count: usize, dice: &mut Dice) -> Option<Vec<String>> {
        let (from, shift) = (dice.roll(9), dice.roll(WORDS.len()));
        let name = |at: usize| match self {
            Self::Words if at + 1 == count => "y".to_owned(),
            Self::Words => WORDS[(at + shift) % WORDS.len()].to_owned(),
            Self::Labelled if at + 1 == count => "label".to_owned(),
            Self::Zero | Self::Labelled => at.to_string(),
            Self::One => (at + 1).to_string(),
            Self::Wavelengths => (1100 + 100 * from + 2 * at).to_string(),
            Self::Falling => (4000 - 10 * at).to_string(),
            Self::Months => {
                let month = 12 * (2010 + from) + 7 + at;
                format!("{}{:02}", month / 12, 1 + month % 12)
            }
            Self::Years => (1950 + 5 * (from + at)).to_string(),
            Self::Tenths => format!("0.{}", 1 + at),
            Self::None => String::new(),
        };
        (self != Self::None).then(|| (0..count).map(name).collect())
    }
}

/// Numbers of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Body {
    /// With four or five decimals.
    Reals,
    /// Up to 60.
    Counts,
    /// One after the other.
    Mixed,
}

impl Body {
    pub(super) fn draw(dice: &mut Dice) -> Self {
        [Self::Reals, Self::Counts, Self::Mixed][dice.roll(3)]
    }

    /// The cell of a column.
    pub(super) fn cell(self, at: usize, dice: &mut Dice) -> String {
        match self {
            Self::Counts => dice.roll(61).to_string(),
            Self::Mixed if at % 2 == 1 => dice.roll(61).to_string(),
            _ => {
                // The last digit is none that a writer would leave out.
                let last = 1 + dice.roll(9);
                format!("{}{}.{:03}{last}", ["", "-"][dice.roll(2)], dice.roll(4), dice.roll(1000))
            }
        }
    }
}

/// `true` if numbers are in equal steps: a row of them may as well be names.
pub(super) fn may_be_names(row: &[String]) -> bool {
    let numbers: Vec<f64> = row.iter().filter_map(|cell| cell.parse().ok()).collect();
    let steps: Vec<f64> = numbers.windows(2).map(|pair| pair[1] - pair[0]).collect();
    steps.windows(2).all(|pair| pair[0] == pair[1])
        || steps.iter().all(|step| step.signum() == steps[0].signum())
}
