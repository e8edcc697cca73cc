//! Files of the Netflix Prize: lines of `user,rating,date` below a line such as `7:`, which names their item.

use crate::bytes::source::Source;
use crate::dialect::{Dialect, Marks, Separator};
use crate::error::ReadError;
use crate::ratings::ids::{Column, IdForm};
use crate::ratings::layout::Layout;
use crate::ratings::{RatingsOptions, time};

/// Returns the id that a heading names: a whole number before a colon.
#[inline(always)]
pub(super) fn heading(line: &[u8]) -> Option<&[u8]> {
    let id = line.trim_ascii().strip_suffix(b":")?;
    (!id.is_empty() && id.iter().all(u8::is_ascii_digit)).then_some(id)
}

/// Returns the layout of a text whose first line is a heading, with a note; `None` if it is not, or options
/// contradict that. The lines below a heading have a user, a rating and a date, a user and one of these, or
/// only a user.
pub(super) fn layout(
    source: &Source,
    options: &RatingsOptions,
) -> Result<Option<(Layout, String)>, ReadError> {
    let dialect = &options.dialect;
    if options.columns.is_some() || dialect.separator.is_some_and(|separator| separator != COMMA) {
        return Ok(None);
    }
    let text = source.beginning(1 << 16)?;
    let mut lines =
        text.split(|&byte| byte == b'\n' || byte == b'\r').filter(|line| !line.trim_ascii().is_empty());
    if lines.next().and_then(heading).is_none() {
        return Ok(None);
    }
    let Some(first) = lines.find(|line| heading(line).is_none()) else { return Ok(None) };
    refuse_idle(dialect).map_err(|why| ReadError::file(&source.path, why))?;
    let cells: Vec<&[u8]> = first.split(|&byte| byte == b',').map(<[u8]>::trim_ascii).collect();
    let is_date = |cell: &[u8]| time::parse(cell).is_ok_and(|(_, clock)| clock == time::Clock::Date);
    let (value, time) = match cells[..] {
        [_] => (None, None),
        [_, second] if is_date(second) => (None, Some(1)),
        [_, _] => (Some(1), None),
        [_, _, third] if is_date(third) => (Some(1), Some(2)),
        _ => return Ok(None),
    };
    let names = ["users", "ratings", "dates"];
    let there = [true, value.is_some(), time.is_some()];
    let named: Vec<&str> =
        names.into_iter().zip(there).filter(|(_, is_there)| *is_there).map(|(name, _)| name).collect();
    let note =
        format!("lines such as `7:` name the item of the {} below them (Netflix Prize)", named.join(", "));
    let layout = Layout {
        separator: COMMA,
        quotes: None,
        header: false,
        user: 0,
        // No field has the item.
        item: 0,
        value,
        time: time.filter(|_| options.times),
        marks: Marks::default(),
        dated: time.is_some(),
    };
    Ok(Some((layout, note)))
}

/// Refuses options that have no effect on such lines: they have no column names, and their cells are ids,
/// plain numbers and dates between commas.
fn refuse_idle(dialect: &Dialect) -> Result<(), String> {
    let has_effect = ["--separator", "--no-header", "--encoding"];
    let idle = dialect.given().into_iter().find(|(name, is_given)| *is_given && !has_effect.contains(name));
    match idle {
        Some((option, _)) => Err(format!(
            "lines such as `7:` name the item of those below them (Netflix Prize), where {option} has no \
             effect: leave it out"
        )),
        None => Ok(()),
    }
}

const COMMA: Separator = Separator::Byte(b',');

/// The item of lines in a block where headings name it.
pub(super) struct Heading {
    /// The latest heading; empty before the first.
    pub(super) id: Column,
    /// Number of lines before the first heading, whose item an earlier block names.
    pub(super) open: usize,
}

impl Heading {
    pub(super) fn new(form: IdForm) -> Self {
        Self { id: Column::new(form, 0), open: 0 }
    }

    /// Handles a heading; returns `false` if its id is not a whole number although ids were taken for such.
    pub(super) fn take(&mut self, id: &[u8]) -> Result<bool, String> {
        match &mut self.id {
            Column::Integers(ids) => ids.clear(),
            Column::Names(ids) => ids.clear(),
        }
        self.id.push(id)
    }

    /// Adds the item of one more line.
    #[inline(always)]
    pub(super) fn name(&mut self, items: &mut Column) {
        match (&self.id, items) {
            (Column::Integers(id), Column::Integers(items)) => {
                items.push(id.first().copied().unwrap_or_default());
                self.open += usize::from(id.is_empty());
            }
            (Column::Names(id), Column::Names(items)) => {
                items.push(id.first().cloned().unwrap_or_default());
                self.open += usize::from(id.is_empty());
            }
            // Both columns are of the same kind.
            _ => {}
        }
    }
}
