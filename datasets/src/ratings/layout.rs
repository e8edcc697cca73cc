//! How a line of text is divided into fields, and which of them are user, item and rating.

use std::ops::Range;

/// What stands between two fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separator {
    /// One byte: a tab, `,` or `;`. Fields may be empty, and may stand in double quotes.
    Byte(u8),
    /// `::`, as in MovieLens.
    Colons,
    /// Any number of blanks and tabs, as in LIBMF.
    Blank,
}

/// A line's form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) separator: Separator,
    pub(super) header: bool,
    pub(super) user: usize,
    pub(super) item: usize,
    /// `None` where there are pairs alone.
    pub(super) value: Option<usize>,
}

const USER: [&str; 7] = ["user", "userid", "uid", "u", "customer", "customerid", "userno"];
const ITEM: [&str; 13] = [
    "item",
    "itemid",
    "iid",
    "i",
    "movie",
    "movieid",
    "product",
    "productid",
    "track",
    "artist",
    "book",
    "isbn",
    "asin",
];
const VALUE: [&str; 9] = ["rating", "ratings", "value", "score", "stars", "r", "count", "plays", "weight"];

impl Separator {
    /// What divides this line: `::`, else of tab, `;` and `,` the one it has most of, else blanks.
    pub(super) fn of(line: &[u8]) -> Self {
        if line.windows(2).any(|pair| pair == b"::") {
            return Self::Colons;
        }
        let count = |byte: u8| line.iter().filter(|&&other| other == byte).count();
        let best = b"\t;,".iter().copied().max_by_key(|&byte| count(byte)).filter(|&byte| count(byte) > 0);
        best.map_or(Self::Blank, Self::Byte)
    }

    /// Calls `field` with the number and the place of each field, until it says that it has seen enough.
    #[inline(always)]
    pub(super) fn fields(self, line: &[u8], mut field: impl FnMut(usize, Range<usize>) -> bool) {
        let (mut at, mut number) = (0, 0);
        loop {
            let (end, next) = match self {
                Self::Byte(byte) => {
                    let end = end_of_cell(line, at, byte);
                    (end, end + 1)
                }
                Self::Colons => {
                    let rest = &line[at..];
                    let end = at + rest.windows(2).position(|pair| pair == b"::").unwrap_or(rest.len());
                    (end, end + 2)
                }
                Self::Blank => {
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

/// Where the cell that begins at `at` ends; a cell in quotes may hold the separator.
#[inline(always)]
fn end_of_cell(line: &[u8], at: usize, byte: u8) -> usize {
    let mut quoted = false;
    for (end, &other) in line.iter().enumerate().skip(at) {
        match other {
            b'"' => quoted = !quoted,
            _ if other == byte && !quoted => return end,
            _ => {}
        }
    }
    line.len()
}

/// The place without blanks around, and without quotes.
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

impl Layout {
    /// The form that the first line shows, or that `columns` (user, item and, if there is one, rating; names of the
    /// header or numbers from 1) asks for.
    pub(super) fn of(line: &[u8], columns: Option<&[String]>) -> Result<Self, String> {
        let separator = Separator::of(line);
        let mut cells: Vec<String> = Vec::new();
        separator.fields(line, |_, place| {
            cells.push(String::from_utf8_lossy(&line[place]).into_owned());
            true
        });
        if cells.len() < 2 {
            return Err(format!(
                "{} field: expected user, item and rating, divided by tabs, commas, semicolons, `::` or blanks",
                cells.len()
            ));
        }
        let plain: Vec<String> =
            cells.iter().map(|cell| cell.to_lowercase().replace(['_', ' ', '-', '.'], "")).collect();
        let named = |names: &[&str]| plain.iter().position(|cell| names.contains(&cell.as_str()));
        let (user, item, value) = (named(&USER), named(&ITEM), named(&VALUE));
        let is_number = |at: usize| cells.get(at).is_some_and(|cell| cell.parse::<f64>().is_ok());
        let header = match columns {
            // A number is a place, even where the first line has the same number in it.
            Some(columns)
                if columns.iter().any(|name| name.parse::<usize>().is_err() && cells.contains(name)) =>
            {
                true
            }
            _ => (user.is_some() && item.is_some()) || (cells.len() > 2 && !is_number(2) && value == Some(2)),
        };
        let layout = match columns {
            Some(columns) => Self::chosen(separator, header, &cells, columns)?,
            None if header && user.is_some() && item.is_some() => {
                let (user, item) = (user.unwrap_or(0), item.unwrap_or(1));
                Self { separator, header, user, item, value }
            }
            None => Self { separator, header, user: 0, item: 1, value: (cells.len() > 2).then_some(2) },
        };
        Ok(layout)
    }

    fn chosen(
        separator: Separator,
        header: bool,
        cells: &[String],
        columns: &[String],
    ) -> Result<Self, String> {
        let place = |column: &String| {
            let named = cells.iter().position(|cell| header && cell == column);
            let numbered =
                || column.parse().ok().filter(|&at: &usize| (1..=cells.len()).contains(&at)).map(|at| at - 1);
            named.or_else(numbered).ok_or_else(|| {
                format!("there is no column `{column}`: the first line is {}", cells.join(", "))
            })
        };
        match columns {
            [user, item] => {
                Ok(Self { separator, header, user: place(user)?, item: place(item)?, value: None })
            }
            [user, item, value] => Ok(Self {
                separator,
                header,
                user: place(user)?,
                item: place(item)?,
                value: Some(place(value)?),
            }),
            _ => Err("name two or three columns: user, item and, if there is one, rating".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(line: &str) -> (Separator, bool, usize, usize, Option<usize>) {
        let Layout { separator, header, user, item, value } = Layout::of(line.as_bytes(), None).unwrap();
        (separator, header, user, item, value)
    }

    #[test]
    fn the_first_line_shows_the_form() {
        assert_eq!(form("1\t2\t3.5\t9"), (Separator::Byte(b'\t'), false, 0, 1, Some(2)));
        assert_eq!(form("1::2::5::978300760"), (Separator::Colons, false, 0, 1, Some(2)));
        assert_eq!(form("0 7 3"), (Separator::Blank, false, 0, 1, Some(2)));
        assert_eq!(form("anna,\"Up, and away\",4"), (Separator::Byte(b','), false, 0, 1, Some(2)));
        assert_eq!(form("userId,movieId,rating,timestamp"), (Separator::Byte(b','), true, 0, 1, Some(2)));
        assert_eq!(form("rating;item_id;user_id"), (Separator::Byte(b';'), true, 2, 1, Some(0)));
        assert_eq!(form("user item"), (Separator::Blank, true, 0, 1, None));
        assert_eq!(form("3,4"), (Separator::Byte(b','), false, 0, 1, None));
    }

    #[test]
    fn columns_may_be_chosen() {
        let chosen = |line: &str, columns: &[&str]| {
            let columns: Vec<String> = columns.iter().map(|&name| name.to_owned()).collect();
            Layout::of(line.as_bytes(), Some(&columns))
        };
        let layout = chosen("when,who,what,how", &["who", "what", "how"]).unwrap();
        assert_eq!((layout.header, layout.user, layout.item, layout.value), (true, 1, 2, Some(3)));
        let layout = chosen("9,1,2,5", &["2", "3"]).unwrap();
        assert_eq!((layout.header, layout.user, layout.item, layout.value), (false, 1, 2, None));
        assert!(chosen("1,2,3", &["who", "2"]).unwrap_err().contains("no column `who`"));
        assert!(chosen("1,2,3", &["1"]).unwrap_err().contains("two or three"));
    }
}
