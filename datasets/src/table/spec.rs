//! Parses `synth:` specifications of tables.

use crate::bytes::memory::room;
use crate::error::SpecError;

/// A checked specification.
pub(super) struct Spec {
    pub(super) kind: Kind,
    /// Number of rows, 1 to 2^32 - 1.
    pub(super) rows: usize,
    /// Number of columns, 1 or more.
    pub(super) cols: usize,
    /// How many times a feature gets a coefficient.
    pub(super) truth: usize,
    /// Standard deviation of the signal divided by that of the noise, above 0.
    pub(super) snr: f64,
    pub(super) seed: u64,
}

/// The kind of the columns, with its parameters.
pub(super) enum Kind {
    /// Entries that are drawn per column, and the probability that a column starts a new chain.
    Strads { entries: usize, new: f64 },
    /// Correlation of neighbouring columns.
    Ar1 { rho: f64 },
    /// Columns per group, and their correlation.
    Groups { size: usize, share: f64 },
}

/// Whole numbers up to this one are exact in a double.
pub(crate) const WHOLE: f64 = (1_u64 << 53) as f64;
/// Limit on the values of a matrix, 1 TiB of doubles: a larger parameter is a mistake.
const VALUES: f64 = (1_u64 << 37) as f64;

impl Spec {
    pub(super) fn parse(text: &str) -> Result<Self, SpecError> {
        checked(text).map_err(|message| SpecError { spec: text.into(), message })
    }

    /// Returns the most values that a column may have.
    fn of_a_column(&self) -> usize {
        match self.kind {
            Kind::Strads { entries, .. } => entries,
            _ => self.rows,
        }
    }

    /// Returns the approximate size of the table in bytes.
    pub(super) fn bytes(&self) -> usize {
        let each = if matches!(self.kind, Kind::Strads { .. }) { 12 } else { 8 };
        // No overflow, as at most a tebibyte of values was checked.
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
    // Memory for the response and its parts, whatever happens to the columns.
    room::<[f64; 4]>(spec.rows, "so many rows")?;
    Ok(spec)
}

/// Parameters `name=value`, each name known and given once.
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

    /// Returns a number from `least` to `most`; a parameter without a default must be given.
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

    /// Returns a whole number.
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
