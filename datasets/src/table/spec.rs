//! Specifications of `synth:` texts.

use crate::bytes::memory::room;
use crate::error::SpecError;

/// A specification, checked.
pub(super) struct Spec {
    pub(super) kind: Kind,
    /// Rows, 1 to 2^32 - 1.
    pub(super) rows: usize,
    /// Columns, 1 or more.
    pub(super) cols: usize,
    /// How many times a feature is given a coefficient.
    pub(super) truth: usize,
    /// Standard deviation of the signal over that of the noise, above 0.
    pub(super) snr: f64,
    pub(super) seed: u64,
}

/// The columns' kind with its own parameters.
pub(super) enum Kind {
    /// Entries drawn a column, and the probability that a column continues the one before.
    Strads { entries: usize, new: f64 },
    /// Correlation of neighbours.
    Ar1 { rho: f64 },
    /// Columns a group, and their correlation.
    Groups { size: usize, share: f64 },
}

/// Whole numbers up to here pass through a double unharmed.
pub(crate) const WHOLE: f64 = (1_u64 << 53) as f64;
/// Values of a matrix: 1 TiB of doubles. Beyond it a parameter is a mistake.
const VALUES: f64 = (1_u64 << 37) as f64;

impl Spec {
    pub(super) fn parse(text: &str) -> Result<Self, SpecError> {
        checked(text).map_err(|message| SpecError { spec: text.into(), message })
    }

    /// How many values a column has at most.
    fn of_a_column(&self) -> usize {
        match self.kind {
            Kind::Strads { entries, .. } => entries,
            _ => self.rows,
        }
    }

    /// About how many bytes the table takes.
    pub(super) fn bytes(&self) -> usize {
        let each = if matches!(self.kind, Kind::Strads { .. }) { 12 } else { 8 };
        // Within a tebibyte of values, as was checked.
        self.of_a_column() * self.cols * each + 8 * (self.rows + self.cols)
    }
}

fn checked(text: &str) -> Result<Spec, String> {
    const FORM: &str = "expected synth:KIND:n=500,p=5000,s=50,... with KIND strads, ar1 or groups";
    let (kind, list) = text.strip_prefix("synth:").and_then(|rest| rest.split_once(':')).ok_or(FORM)?;
    let own: &[&str] = match kind {
        "strads" => &["k", "c"],
        "ar1" => &["rho"],
        "groups" => &["g", "r"],
        _ => return Err(format!("`{kind}` is no kind: {FORM}")),
    };
    let given = Parameters::parse(list, &[&["n", "p", "s", "snr", "seed"], own].concat())?;
    let spec = Spec {
        kind: match kind {
            "strads" => Kind::Strads {
                entries: given.number("k", Some(25.0), 1.0, f64::from(u32::MAX))? as usize,
                new: given.real("c", Some(0.1), 0.0, 1.0)?,
            },
            "ar1" => Kind::Ar1 { rho: given.real("rho", None, -1.0, 1.0)? },
            _ => Kind::Groups {
                size: given.number("g", Some(20.0), 1.0, WHOLE)? as usize,
                share: given.real("r", Some(0.9), 0.0, 1.0)?,
            },
        },
        rows: given.number("n", None, 1.0, f64::from(u32::MAX))? as usize,
        cols: given.number("p", None, 1.0, WHOLE)? as usize,
        truth: given.number("s", None, 0.0, WHOLE)? as usize,
        snr: given.real("snr", Some(5.0), f64::MIN_POSITIVE, f64::MAX)?,
        seed: given.number("seed", Some(1.0), 0.0, WHOLE)? as u64,
    };
    if spec.of_a_column() as f64 * spec.cols as f64 > VALUES {
        return Err("more than a tebibyte of values: choose a smaller n, p or k".into());
    }
    // The response and its parts, whatever is kept of the columns.
    room::<[f64; 4]>(spec.rows, "so many rows")?;
    Ok(spec)
}

/// `name=value` pairs, each name known and given once.
pub(crate) struct Parameters<'a>(Vec<(&'a str, f64)>);

impl<'a> Parameters<'a> {
    pub(crate) fn parse(list: &'a str, known: &[&str]) -> Result<Self, String> {
        let mut pairs: Vec<(&str, f64)> = Vec::new();
        for pair in list.split(',') {
            let (name, value) = pair.split_once('=').ok_or_else(|| format!("`{pair}`: write name=value"))?;
            if !known.contains(&name) {
                return Err(format!("`{name}` is no parameter here: known are {}", known.join(", ")));
            }
            if pairs.iter().any(|&(before, _)| before == name) {
                return Err(format!("`{name}` is given twice: keep one"));
            }
            pairs.push((name, value.parse().map_err(|_| format!("`{pair}`: `{value}` is not a number"))?));
        }
        Ok(Self(pairs))
    }

    /// A number from `least` to `most`; without a default the parameter must be given.
    pub(crate) fn real(
        &self,
        name: &str,
        default: Option<f64>,
        least: f64,
        most: f64,
    ) -> Result<f64, String> {
        let given = self.0.iter().find(|&&(given, _)| given == name).map(|&(_, value)| value);
        let value = given.or(default).ok_or_else(|| format!("`{name}` is missing: add {name}=..."))?;
        match (least..=most).contains(&value) {
            true => Ok(value),
            false => Err(format!("{name}={value}: choose a number from {least} to {most}")),
        }
    }

    /// Whole number of a parameter.
    pub(crate) fn number(
        &self,
        name: &str,
        default: Option<f64>,
        least: f64,
        most: f64,
    ) -> Result<f64, String> {
        let value = self.real(name, default, least, most)?;
        match value.fract() == 0.0 {
            true => Ok(value),
            false => Err(format!("{name}={value}: choose a whole number")),
        }
    }
}
