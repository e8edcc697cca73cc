//! Determines how a line is split into fields, and which of them are user, item, rating and time.

use std::ops::Range;

use super::header::{are_headers, is_headed};
use crate::bytes::quoting::{Quotes, Quoting};
use crate::dialect::{Beginning, Dialect, Marks, Separator, has_asked, position};

/// Start of a note on the columns that were chosen.
pub(crate) const COLUMNS: &str = "users are in";

/// The form of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) separator: Separator,
    /// Meaning of quotes, if an option gives it.
    pub(super) quotes: Option<Quotes>,
    pub(super) header: bool,
    pub(super) user: usize,
    pub(super) item: usize,
    /// Field of the rating; `None` if there are only pairs.
    pub(super) value: Option<usize>,
    /// Field of the time, if there is one.
    pub(super) time: Option<usize>,
    /// Marks in which ratings are written.
    pub(super) marks: Marks,
    /// `true` if a column is known to hold times, requested or not: by its name in the header, as the fourth
    /// column in options, or as the fourth of a file without names.
    pub(super) dated: bool,
}

/// Names of the column of users, divided by blanks.
const USER: &str = "user userid uid u customer customerid userno reviewer reviewerid visitor visitorid";
/// Names of the column of items, divided by blanks.
const ITEM: &str = "item itemid iid i movie movieid product productid track trackid artist artistid book isbn asin \
    song songid";
/// Names of the column of ratings, divided by blanks.
const VALUE: &str = "rating ratings value score stars r count plays playcount listens overall weight";
/// Names of the column of times, divided by blanks.
const TIME: &str = "timestamp time date datetime ts unixreviewtime ratedat createdat";

impl Separator {
    /// Calls `field` with the number and the range of each field of an unquoted line, until it returns
    /// `false`.
    #[inline(always)]
    pub(super) fn fields(self, line: &[u8], mut field: impl FnMut(usize, Range<usize>) -> bool) {
        let (mut at, mut number) = (0, 0);
        loop {
            let (end, next) = match self {
                Self::Byte(byte) => {
                    let rest = &line[at..];
                    let end = at + rest.iter().position(|&other| other == byte).unwrap_or(rest.len());
                    (end, end + 1)
                }
                Self::Colons => {
                    let rest = &line[at..];
                    let end = at + rest.windows(2).position(|pair| pair == b"::").unwrap_or(rest.len());
                    (end, end + 2)
                }
                Self::Blanks => {
                    at += line[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                    let end = at + line[at..].iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
                    if end == at {
                        return;
                    }
                    (end, end + 1)
                }
            };
            if !field(number, trimmed(line, at..end)) || next > line.len() {
                return;
            }
            (at, number) = (next, number + 1);
        }
    }
}

/// Returns the range without the blanks and quotes around it.
#[inline(always)]
fn trimmed(line: &[u8], mut place: Range<usize>) -> Range<usize> {
    let blank = |at: usize| line[at].is_ascii_whitespace();
    while !place.is_empty() && blank(place.start) {
        place.start += 1;
    }
    while !place.is_empty() && blank(place.end - 1) {
        place.end -= 1;
    }
    if place.len() >= 2 && line[place.start] == b'"' && line[place.end - 1] == b'"' {
        return place.start + 1..place.end - 1;
    }
    place
}

fn is_among(names: &str, name: &str) -> bool {
    names.split(' ').any(|known| known == name)
}

/// Returns a name in the form in which known names are compared.
fn plain(name: &str) -> String {
    name.to_lowercase().replace(['_', ' ', '-', '.'], "")
}

/// Options for the columns.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wanted<'a> {
    /// User, item and, optionally, rating and time: names in the header or numbers from 1.
    pub(super) columns: Option<&'a [String]>,
    pub(super) dialect: Dialect,
    /// `true` if times are requested.
    pub(super) times: bool,
}

impl Layout {
    /// Returns the rules for quoted fields; `None` for `::`.
    pub(super) fn quoting(&self) -> Option<Quoting> {
        self.separator.quoting(self.quotes)
    }

    /// Determines the form from options and the first lines; returns it with a note for users.
    ///
    /// The first line is a header if it has known names, if an option names one of its cells, or if its cells
    /// differ from those below as names do.
    pub(super) fn of(beginning: &Beginning, wanted: Wanted<'_>) -> Result<(Self, Option<String>), String> {
        let (cells, others) = (&beginning.first, &beginning.rows);
        if cells.len() < 2 {
            return Err(format!(
                "{} field: expected user, item and rating, divided by tabs, commas, semicolons, `|`, `::` or \
                 blanks (or as --separator says)",
                cells.len()
            ));
        }
        let mut layout = Self::named(beginning, wanted)?;
        let rows = others.iter().chain(Some(cells).filter(|_| !layout.header));
        let note = match layout.value {
            None => None,
            Some(value) => {
                let ratings =
                    rows.filter_map(|row| row.get(value)).map(|cell| cell.trim().as_bytes()).collect();
                let (marks, note) = Marks::find(&wanted.dialect, &[ratings], Marks::default());
                layout.marks = marks;
                note
            }
        };
        let places =
            [Some(&mut layout.user), Some(&mut layout.item), layout.value.as_mut(), layout.time.as_mut()];
        places.into_iter().flatten().for_each(|place| *place += beginning.lead);
        Ok((layout, note))
    }

    /// Returns the note on the columns that were chosen without an option.
    pub(super) fn said(&self, beginning: &Beginning) -> String {
        let column = |at: usize| {
            let at = at.saturating_sub(beginning.lead);
            match beginning.first.get(at).filter(|_| self.header) {
                Some(name) => format!("column {} ({})", at + 1, name.trim()),
                None => format!("column {}", at + 1),
            }
        };
        let of = beginning.first.len();
        let mut said = format!("{COLUMNS} {} of {of}, items in {}", column(self.user), column(self.item));
        said += &match self.value {
            Some(value) => format!(", ratings in {}", column(value)),
            None => ", no ratings".into(),
        };
        if let Some(time) = self.time {
            said += &format!(", times in {}", column(time));
        }
        said + " (--columns)"
    }

    /// Assigns the fields, not counting row names.
    fn named(beginning: &Beginning, wanted: Wanted<'_>) -> Result<Self, String> {
        let (separator, cells, others) = (beginning.separator, &beginning.first, &beginning.rows);
        let plain: Vec<String> = cells.iter().map(|cell| plain(cell)).collect();
        let named = |names: &str| plain.iter().position(|cell| is_among(names, cell));
        let (user, item, value, clock) = (named(USER), named(ITEM), named(VALUE), named(TIME));
        let below = |at: usize| -> Vec<&str> {
            others.iter().filter_map(|cells| cells.get(at)).map(String::as_str).collect()
        };
        let is_headed = |at: usize| cells.get(at).is_some_and(|cell| is_headed(cell, &below(at)));
        let by_numbers = |columns: &[String]| -> Vec<usize> {
            let numbers = columns.iter().take(3).filter_map(|column| column.parse::<usize>().ok());
            numbers.filter(|&number| (1..=cells.len()).contains(&number)).map(|number| number - 1).collect()
        };
        let used = wanted.columns.map_or_else(|| (0..cells.len().min(3)).collect(), by_numbers);
        let asked: Vec<&str> = wanted.columns.into_iter().flatten().map(String::as_str).collect();
        let shows = || {
            let first: Vec<&str> = used.iter().map(|&at| cells[at].as_str()).collect();
            first.len() > 1 && are_headers(&first, &used.iter().map(|&at| below(at)).collect::<Vec<_>>())
        };
        let header = wanted.dialect.header.unwrap_or_else(|| {
            beginning.is_named
                || has_asked(cells, &asked)
                || (wanted.columns.is_none() && user.is_some() && item.is_some())
                || value == Some(2)
                || shows()
        });
        let position = |at: usize| (at < cells.len()).then_some(at);
        let dated = match wanted.columns {
            Some(columns) => columns.len() == 4 || header && clock.is_some(),
            None if header => clock.is_some(),
            None => cells.len() > 3,
        };
        let time = if wanted.times { clock.filter(|_| header).or_else(|| position(3)) } else { None };
        let (quotes, marks) = (wanted.dialect.quotes, Marks::default());
        let base = Self { separator, quotes, header, user: 0, item: 1, value: None, time, marks, dated };
        match wanted.columns {
            Some(columns) => base.chosen(cells, columns),
            None if header && user.is_some() && item.is_some() => {
                let (user, item) = (user.unwrap_or(0), item.unwrap_or(1));
                // Of three columns the remaining one is the rating, unless its name is that of a time.
                let rest = || (cells.len() == 3).then(|| 3 - user - item);
                let rest = || rest().filter(|&rest| is_headed(rest) && Some(rest) != clock);
                Ok(Self { user, item, value: value.or_else(rest), ..base })
            }
            None => {
                // Users, items and ratings in this order, next to columns whose names say what they are.
                let is_free = |at: &usize| !header || ![clock, value].contains(&Some(*at));
                let mut free = (0..cells.len()).filter(is_free);
                let (user, item) = (free.next().unwrap_or(0), free.next().unwrap_or(1));
                let value = if header { value.or_else(|| free.next()) } else { position(2) };
                Ok(Self { user, item, value, time: time.filter(|&time| Some(time) != value), ..base })
            }
        }
    }

    /// Assigns the fields that options name.
    fn chosen(self, cells: &[String], columns: &[String]) -> Result<Self, String> {
        let place = |column: &String| {
            let named = if self.header { position(cells, column) } else { None };
            let numbered =
                || column.parse().ok().filter(|&at: &usize| (1..=cells.len()).contains(&at)).map(|at| at - 1);
            named.or_else(numbered).ok_or_else(|| {
                format!("there is no column `{column}`: the first line is {}", cells.join(", "))
            })
        };
        let places = columns.iter().map(place).collect::<Result<Vec<usize>, String>>()?;
        if let Some(twice) = (1..places.len()).find(|&at| places[..at].contains(&places[at])) {
            return Err(format!(
                "`{}` is named twice among the columns {}: user, item, rating and time are columns of their \
                 own",
                columns[twice],
                columns.join(",")
            ));
        }
        let (user, item, value, time) = match places[..] {
            [user, item] => (user, item, None, self.time),
            [user, item, value] => (user, item, Some(value), self.time),
            [user, item, value, time] => (user, item, Some(value), Some(time)),
            _ => return Err("name two to four columns: user, item and, if there are, rating and time".into()),
        };
        Ok(Self { user, item, value, time, ..self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Purpose;

    fn of(text: &str, wanted: Wanted<'_>) -> Result<Layout, String> {
        let source = crate::bytes::source::Source::embedded("ratings", text.as_bytes());
        let beginning = Beginning::of(&source, &wanted.dialect, Purpose::Ratings).unwrap();
        Layout::of(&beginning, wanted).map(|(layout, _)| layout)
    }

    fn form(line: &str) -> (Separator, bool, usize, usize, Option<usize>) {
        let layout = of(line, Wanted::default()).unwrap();
        let Layout { separator, header, user, item, value, .. } = layout;
        (separator, header, user, item, value)
    }

    #[test]
    fn the_first_line_shows_the_form() {
        assert_eq!(form("1\t2\t3.5\t9"), (Separator::Byte(b'\t'), false, 0, 1, Some(2)));
        assert_eq!(form("1::2::5::978300760"), (Separator::Colons, false, 0, 1, Some(2)));
        assert_eq!(form("0 7 3"), (Separator::Blanks, false, 0, 1, Some(2)));
        assert_eq!(form("anna,\"Up, and away\",4"), (Separator::Byte(b','), false, 0, 1, Some(2)));
        assert_eq!(form("userId,movieId,rating,timestamp"), (Separator::Byte(b','), true, 0, 1, Some(2)));
        assert_eq!(form("rating;item_id;user_id"), (Separator::Byte(b';'), true, 2, 1, Some(0)));
        assert_eq!(form("user item"), (Separator::Blanks, true, 0, 1, None));
        assert_eq!(form("3,4"), (Separator::Byte(b','), false, 0, 1, None));
    }

    #[test]
    fn columns_may_be_chosen() {
        let chosen = |line: &str, columns: &[&str]| {
            let columns: Vec<String> = columns.iter().map(|&name| name.to_owned()).collect();
            of(line, Wanted { columns: Some(&columns), ..Wanted::default() })
        };
        let layout = chosen("when,who,what,how", &["who", "what", "how"]).unwrap();
        assert_eq!((layout.header, layout.user, layout.item, layout.value), (true, 1, 2, Some(3)));
        let layout = chosen("9,1,2,5", &["2", "3"]).unwrap();
        assert_eq!((layout.header, layout.user, layout.item, layout.value), (false, 1, 2, None));
        assert!(chosen("1,2,3", &["who", "2"]).unwrap_err().contains("no column `who`"));
        assert!(chosen("1,2,3", &["1"]).unwrap_err().contains("two to four"));
    }

    #[test]
    fn a_text_above_numbers_is_a_header() {
        let form =
            |lines: [&str; 3]| of(&lines.join("\n"), Wanted { times: true, ..Wanted::default() }).unwrap();
        let headed = form(["foo,bar", "1,10", "2,10"]);
        assert!(headed.header && (headed.user, headed.item, headed.value) == (0, 1, None));
        assert!(!form(["anna,alien", "ben,up", "ben,alien"]).header);
        assert!(!form(["anna,10,4", "7,11,3", "8,10,3"]).header);
        let plays = form(["listener,tune,how_often", "a,b,3", "a,c,4"]);
        assert!(plays.header && plays.value == Some(2));
        let turned = form(["play_count,song_id,user_id", "3,b,a", "4,c,a"]);
        assert_eq!((turned.user, turned.item, turned.value), (2, 1, Some(0)));
        let timed = form(["user,item,date,stars", "a,b,2024-01-02,3", "a,c,2024-01-03,4"]);
        assert_eq!((timed.value, timed.time), (Some(3), Some(2)));
        assert_eq!(form(["1\t2\t3\t4", "1\t3\t3\t5", "2\t2\t3\t4"]).time, Some(3));
    }

    #[test]
    fn a_column_that_is_named_as_a_time_has_no_ratings() {
        for name in ["timestamp", "Time", "date", "ts", "Unix_Review_Time", "created-at"] {
            for (users, items) in [("user", "item"), ("visitor_no", "thing_no")] {
                for times in [false, true] {
                    let form = |lines: &str| of(lines, Wanted { times, ..Wanted::default() }).unwrap();
                    let time = |at: usize| times.then_some(at);
                    let pairs = form(&format!("{users},{items},{name}\n1,10,978300760\n2,10,978302109\n"));
                    assert_eq!((pairs.value, pairs.time, pairs.dated), (None, time(2), true), "{name}");
                    let last =
                        form(&format!("{users},{items},{name},grade\n1,10,978300760,3\n2,10,978302109,4\n"));
                    // Next to known names a fourth column is a rating by its name alone.
                    let graded = if users == "user" { None } else { Some(3) };
                    assert_eq!((last.value, last.time), (graded, time(2)), "{name}");
                    let rated =
                        form(&format!("{users},{items},{name},stars\n1,10,978300760,3\n2,10,978302109,4\n"));
                    assert_eq!((rated.value, rated.time), (Some(3), time(2)), "{name}");
                }
            }
        }
        // Users and items are the first of the other columns.
        let timed = Wanted { times: true, ..Wanted::default() };
        let first = of("timestamp,visitor_no,thing_no\n978300760,1,10\n978302109,2,10\n", timed).unwrap();
        assert_eq!((first.user, first.item, first.value, first.time), (1, 2, None, Some(0)));
        let rated = of("stars,visitor_no,thing_no\n4,1,10\n3,2,10\n", Wanted::default()).unwrap();
        assert_eq!((rated.user, rated.item, rated.value), (1, 2, Some(0)));
        // Where options name it, it is what they say; without a header there are no names.
        let columns = ["user", "item", "timestamp"].map(str::to_owned);
        let named = Wanted { columns: Some(&columns), ..Wanted::default() };
        assert_eq!(of("user,item,timestamp\n1,10,4\n", named).unwrap().value, Some(2));
        assert_eq!(form("1,10,978300760").4, Some(2));
    }
}
