//! Row names, as R writes them: each row has one cell more than the first line.

use super::marks::is_number;
use super::missing::is_missing;
use super::separator::Separator;

/// A cell, and whether it is quoted.
type Cell = (String, bool);

/// Returns `true` if the first cells of the rows are names, as R's `write.table` writes them: distinct, and
/// quoted, counted from 1, or texts before numbers.
///
/// Without quotes, the additional cell may also come from a text or a number that contains the separator, a
/// comma above all: `1,922` is doubtful.
pub(super) fn are_row_names(separator: Separator, first: &[Cell], rows: &[Vec<Cell>]) -> bool {
    let is_text = |(cell, is_quoted): &Cell| *is_quoted || !is_number(cell);
    let leading: Vec<&Cell> = rows.iter().filter_map(|row| row.first()).collect();
    let mut names: Vec<&str> = leading.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    if rows.is_empty() || names.len() < rows.len() || !first.iter().all(is_text) {
        return false;
    }
    if leading.iter().all(|(_, is_quoted)| *is_quoted) {
        return true;
    }
    let is_comma = separator == Separator::Byte(b',');
    let are_counted =
        leading.iter().zip(1..).all(|((name, _), number): (_, usize)| *name == number.to_string());
    let are_texts = leading.iter().all(|cell| is_text(cell));
    let is_value = |(cell, _): &Cell| is_number(cell) || is_missing(cell.as_bytes());
    let are_numbers = || rows.iter().all(|row| row.iter().skip(1).all(is_value));
    let is_sure = separator == Separator::Byte(b'\t') || !is_comma && are_numbers();
    // A few rows that are separated by commas may each start with a number in thousands.
    let is_thousand = |row: &Vec<Cell>| {
        row.get(1).is_some_and(|(cell, _)| cell.len() == 3 && cell.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let is_doubted = is_comma && rows.len() < 3 && (!are_numbers() || rows.iter().any(is_thousand));
    match first.len() {
        1 => separator == Separator::Byte(b'\t') && are_counted,
        _ => are_counted && !is_doubted || are_texts && is_sure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_more_in_each_row_is_its_name_unless_it_may_be_part_of_a_value() {
        let byte = Separator::Byte;
        for (separator, first, rows, are) in [
            (byte(b','), "a,y", &["1,2,3"][..], true),
            (byte(b','), "a,y", &["1,2,3", "2,1,4"], true),
            (byte(b','), "a,y", &["1,922,3"], false),
            (byte(b','), "a,y", &["1,922,3", "2,500,1", "3,100,2"], true),
            (byte(b','), "a,y", &["u,1,2", "v,3,4"], false),
            (byte(b','), "a,y", &["7,2,3", "9,1,4"], false),
            (byte(b','), "1,y", &["1,2,3"], false),
            (byte(b'\t'), "a,y", &["1,2,3"], true),
            (byte(b'\t'), "a,y", &["Mazda,2,x"], true),
            (byte(b'\t'), "y", &["1,2", "2,5"], true),
            (byte(b';'), "a,y", &["Mazda,2,3"], true),
            (byte(b';'), "a,y", &["Mazda,2,x"], false),
            (Separator::Blanks, "a,y", &["1,2,3"], true),
            (byte(b';'), "a,y", &["u,1,2", "u,3,4"], false),
            (byte(b';'), "a,y", &[], false),
        ] {
            let cells =
                |line: &str| -> Vec<Cell> { line.split(',').map(|cell| (cell.into(), false)).collect() };
            let rows: Vec<Vec<Cell>> = rows.iter().map(|row| cells(row)).collect();
            assert_eq!(are_row_names(separator, &cells(first), &rows), are, "{separator} {first} {rows:?}");
        }
    }
}
