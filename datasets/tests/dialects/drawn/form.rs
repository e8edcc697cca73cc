//! [`Form`]: how the cells of a table are written as bytes.

use std::io::Write as _;

use flate2::{Compression, write::GzEncoder};
use raddle_datasets::{Dialect, Quotes, Separator};

use super::super::dice::Dice;

/// Cells that are quoted: those that must be, texts, or all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Quoted {
    Needed,
    Texts,
    All,
}

/// A form in which a table is written.
#[derive(Debug)]
pub(super) struct Form {
    pub(super) separator: u8,
    end: &'static str,
    quoted: Quoted,
    has_mark: bool,
    is_utf_16: bool,
    packing: usize,
    says_separator: bool,
    comments: usize,
    /// `true` if each row starts with a name that the first line lacks.
    has_corner: bool,
    /// A separator at the end of each row, or of each line.
    trail: Option<bool>,
    pub(super) has_comma: bool,
    is_said: bool,
}

impl Form {
    /// A form of a table whose first line, if it has one, is texts or numbers.
    pub(super) fn draw(dice: &mut Dice, has_texts_above: bool, has_header: bool) -> Self {
        let separator = b",;\t| ~"[dice.roll(6)];
        let is_plain = !b" ~".contains(&separator);
        let has_corner = has_texts_above && separator != b'~' && dice.roll(8) == 0;
        let behind_rows = [Some(false), Some(true)][dice.roll(2)].filter(|rows| has_header || !rows);
        Self {
            separator,
            end: ["\n", "\r\n", "\r"][dice.roll(3)],
            quoted: [Quoted::Needed, Quoted::Texts, Quoted::All][dice.roll(3)],
            has_mark: dice.roll(6) == 0,
            is_utf_16: dice.roll(10) == 0,
            packing: dice.roll(8),
            says_separator: is_plain && dice.roll(10) == 0,
            comments: if dice.roll(6) == 0 { 1 + dice.roll(3) } else { 0 },
            has_corner,
            trail: behind_rows.filter(|_| is_plain && has_texts_above && !has_corner && dice.roll(10) == 0),
            has_comma: b";|\t".contains(&separator) && dice.roll(4) == 0,
            is_said: separator == b'~' || dice.roll(8) == 0,
        }
    }

    /// Returns the options that a reader needs.
    pub(super) fn dialect(&self, header: Option<bool>) -> Dialect {
        let separator =
            if self.separator == b' ' { Separator::Blanks } else { Separator::Byte(self.separator) };
        let decimal = (self.has_comma && self.is_said).then_some(',');
        let quotes = self.is_said.then_some(Quotes::Double);
        Dialect {
            separator: self.is_said.then_some(separator),
            decimal,
            header,
            quotes,
            ..Dialect::default()
        }
    }

    fn cell(&self, cell: &str) -> String {
        let is_special = |byte: u8| byte == self.separator || b"\"\r\n".contains(&byte);
        let is_needed = cell.bytes().any(is_special)
            || cell.trim() != cell
            || self.separator == b' ' && (cell.is_empty() || cell.contains('\t'));
        let is_number = cell.parse::<f64>().is_ok();
        let is_quoted = match self.quoted {
            Quoted::Needed => is_needed,
            Quoted::Texts => is_needed || !is_number && !cell.is_empty(),
            Quoted::All => true,
        };
        if is_quoted { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_owned() }
    }

    /// The table as text.
    pub(super) fn text(&self, header: Option<&[String]>, rows: &[Vec<String>]) -> String {
        let separator = char::from(self.separator).to_string();
        let mut text = String::new();
        if self.has_mark && !self.is_utf_16 {
            text.push('\u{feff}');
        }
        if self.says_separator {
            text += &format!("sep={separator}{}", self.end);
        }
        for number in 0..self.comments {
            let said = [
                "made by hand on a monday in the month of may",
                "it's \"so",
                "in a hurry and twice as nobody had said before",
            ][number];
            text += &format!("# {said}{}", self.end);
        }
        let line =
            |cells: &[String]| cells.iter().map(|cell| self.cell(cell)).collect::<Vec<_>>().join(&separator);
        if let Some(header) = header {
            text += &line(header);
            if self.trail == Some(true) {
                text += &separator;
            }
            text += self.end;
        }
        for (row, number) in rows.iter().zip(1..) {
            if self.has_corner {
                text += &format!("\"{number}\"{separator}");
            }
            text += &line(row);
            if self.trail.is_some() {
                text += &separator;
            }
            text += self.end;
        }
        text
    }

    /// The bytes of a text.
    pub(super) fn packed(&self, text: &str) -> Vec<u8> {
        let bytes = match self.is_utf_16 {
            true => [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect(),
            false => text.as_bytes().to_vec(),
        };
        match self.packing {
            0 => {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
                encoder.write_all(&bytes).unwrap();
                encoder.finish().unwrap()
            }
            1 => zstd(&bytes),
            _ => bytes,
        }
    }
}

/// A frame of zstd that is not compressed.
pub(in super::super) fn zstd(bytes: &[u8]) -> Vec<u8> {
    let size = u32::try_from(bytes.len()).unwrap();
    let mut frame = [&b"\x28\xb5\x2f\xfd\xa0"[..], &size.to_le_bytes()].concat();
    let blocks = bytes.chunks(1 << 16);
    let last = blocks.len() - 1;
    for (number, block) in blocks.enumerate() {
        let head = (block.len() as u32) << 3 | u32::from(number == last);
        frame.extend_from_slice(&head.to_le_bytes()[..3]);
        frame.extend_from_slice(block);
    }
    frame
}
