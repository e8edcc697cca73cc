//! Quotes are followed through blocks wherever these are cut.

use super::*;
use crate::bytes::blocks::Records;
use proptest::prelude::*;

fn read(text: &[u8], quoting: Quoting) -> Result<Vec<Vec<String>>, String> {
    let texts = |record| {
        let mut cells = Vec::new();
        quoting.each(record, |_, cell| {
            cells.push(String::from_utf8_lossy(&cell.text()).into_owned());
            Ok(true)
        })?;
        Ok(cells)
    };
    Records::new(text, quoting).map(|(_, record)| texts(record)).collect()
}

#[test]
fn quotes_hold_separators_line_ends_and_quotes() {
    let comma = Quoting::byte(b',');
    let text = b"a, \"b, c\" ,d\r\n\"x\ny\",\"say \"\"hi\"\"\",5\" pipe\n\n#1,\"\",\n";
    let expected = [["a", "b, c", "d"], ["x\ny", "say \"hi\"", "5\" pipe"], ["#1", "", ""]];
    assert_eq!(read(text, comma), Ok(expected.map(|row| row.map(str::to_owned).to_vec()).to_vec()));
    let lines: Vec<usize> = Records::new(text, comma).map(|(line, _)| line).collect();
    assert_eq!(lines, [0, 1, 4]);
    assert!(read(b"a,\"b\n1,2\n", comma).unwrap_err().contains("not closed"));
    assert!(read(b"\"a\"b,c\n", comma).unwrap_err().contains("follows a closing quote"));
    let tab = Quoting::byte(b'\t');
    let empty = ["", "", ""].map(str::to_owned).to_vec();
    assert_eq!(read(b"a\t\t\n \n\t\t\n", tab), Ok(vec![["a", "", ""].map(str::to_owned).to_vec(), empty]));
    assert!(read(b"\"a \\\"b\\\"\",c\n", comma).unwrap_err().contains("as Spark and MySQL do"));
}

#[test]
fn blanks_divide_in_runs() {
    let text = b"  18.0   8\t\"chevrolet \"\"x\"\"\" \r\n\t\n1 2\t3\n\"\"  a\"b \"c d\"\n";
    let expected = [["18.0", "8", "chevrolet \"x\""], ["1", "2", "3"], ["", "a\"b", "c d"]];
    let expected = expected.map(|row| row.map(str::to_owned).to_vec()).to_vec();
    assert_eq!(read(text, Quoting::BLANKS), Ok(expected));
}

proptest! {
    /// Records that the `csv` crate writes are read back, whatever the cells contain.
    #[test]
    fn what_the_csv_crate_writes_is_read(
        rows in proptest::collection::vec(proptest::collection::vec("[a\",\n #;é]{0,5}", 3), 1..8),
    ) {
        let trimmed = |rows: &[Vec<String>]| -> Vec<Vec<String>> {
            rows.iter().map(|row| row.iter().map(|cell| cell.trim().to_owned()).collect()).collect()
        };
        let mut out = csv::WriterBuilder::new().quote_style(csv::QuoteStyle::Always).from_writer(Vec::new());
        rows.iter().for_each(|row| out.write_record(row).unwrap());
        let text = out.into_inner().unwrap();
        prop_assert_eq!(&read(&text, Quoting::byte(b',')).unwrap(), &rows);
        // Quoted only where needed: then blanks around cells are dropped.
        let mut out = csv::WriterBuilder::new().from_writer(Vec::new());
        rows.iter().for_each(|row| out.write_record(row).unwrap());
        let text = out.into_inner().unwrap();
        let read = read(&text, Quoting::byte(b',')).unwrap();
        prop_assert_eq!(trimmed(&read), trimmed(&rows));
    }
}
