//! Formats that are not read: recognised by their content, with a hint on how to convert them.

/// Magic numbers, each with a message.
const MAGICS: [(&[u8], &str); 17] = [
    (b"PAR1", "this is Parquet"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "this is an Excel workbook (xls): save it as CSV"),
    (b"BZh", "this is compressed by bzip2: unpack it with bunzip2, or compress it with gzip or zstd"),
    (b"\xfd7zXZ\0", "this is compressed by xz: unpack it with unxz, or compress it with gzip or zstd"),
    (
        b"\x04\x22\x4d\x18",
        "this is compressed by lz4: unpack it with unlz4, or compress it with gzip or zstd",
    ),
    (b"7z\xbc\xaf\x27\x1c", "this is a 7z archive: unpack it, or compress the file with gzip or zstd"),
    (b"Rar!", "this is a rar archive: unpack it, or compress the file with gzip or zstd"),
    (b"\x89HDF", "this is HDF5: write the table as CSV or npz, with pandas.read_hdf(...).to_csv(...)"),
    (b"$FL2", "this is an SPSS file (sav): save it as CSV"),
    (b"<stata_dta>", "this is a Stata file (dta): write it by export delimited"),
    (b"SQLite format 3\0", "this is an SQLite database: write the table as CSV"),
    (
        b"ARROW1",
        "this is an Arrow file: write it as CSV or Parquet, with pandas.read_feather(...).to_csv(...)",
    ),
    (b"%PDF", "this is a PDF: give the data themselves"),
    (b"\x7fELF", "this is a program: give the data themselves"),
    (b"\x89PNG", "this is a picture, and its format is not recognised: give the data themselves"),
    (b"RDX", "this is R's own format: write the table with write.csv"),
    (b"\x80\x04\x95", "this is a pickle of Python: write the data as CSV or npz"),
];

/// Names the foreign format of a file from its first bytes, with a hint; for readers of text.
pub(crate) fn foreign(beginning: &[u8]) -> Option<String> {
    if let Some((_, what)) = MAGICS.iter().find(|(magic, _)| beginning.starts_with(magic)) {
        return Some(match beginning.starts_with(b"PAR1") {
            true if cfg!(feature = "parquet") => "this is Parquet: name no other format".into(),
            true => {
                format!("{what}, which this build does not read: build with --features parquet, or write CSV")
            }
            false => (*what).into(),
        });
    }
    if beginning.starts_with(b"PK\x03\x04") {
        let holds = |name: &[u8]| memchr::memmem::find(beginning, name).is_some();
        return Some(if holds(b"xl/") || holds(b"[Content_Types].xml") {
            "this is an Excel workbook (xlsx): save it as CSV".into()
        } else {
            "this is a zip archive: unpack it, or compress the file with gzip or zstd".into()
        });
    }
    if beginning.get(257..262) == Some(b"ustar") {
        return Some("this is a tar archive: unpack it".into());
    }
    if beginning.contains(&0) {
        return Some(binary(beginning).into());
    }
    let text = beginning.trim_ascii_start();
    let lower = text[..text.len().min(16)].to_ascii_lowercase();
    let is_arff = || {
        let mut lines = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
        let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"%"));
        first.is_some_and(|line| line.len() >= 9 && line[..9].eq_ignore_ascii_case(b"@relation"))
    };
    if is_markup(&lower) {
        Some("this is a web page or XML: was a page saved in place of the data?".into())
    } else if is_arff() {
        Some("this is ARFF (Weka): save it as CSV".into())
    } else {
        None
    }
}

/// Names a text that shows a table on a screen or contains commands, with a hint.
pub(crate) fn printed(beginning: &[u8]) -> Option<&'static str> {
    let lines = beginning.split(|&byte| matches!(byte, b'\n' | b'\r'));
    let mut lines = lines.map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let (first, second) = (lines.next()?, lines.next().unwrap_or_default());
    let is_rule = |line: &[u8]| {
        line.contains(&b'-') && line.contains(&b'+') && line.iter().all(|byte| b"+-".contains(byte))
    };
    let lower = first[..first.len().min(40)].to_ascii_lowercase();
    let begins = |words: &[u8]| lower.starts_with(words);
    match () {
        () if is_rule(first) => Some(
            "this is a table as mysql prints it: write it by mysql --batch, which puts tabs between cells",
        ),
        () if is_rule(second) && first.contains(&b'|') => Some(
            "this is a table as psql prints it: write CSV by psql --csv, or by \\copy ... to ... csv header",
        ),
        () if begins(b"-- mysql dump")
            || begins(b"-- postgresql database dump")
            || begins(b"insert into ")
            || begins(b"create table ")
            || begins(b"drop table ") =>
        {
            Some("this is SQL: load it into a database, and write the table as CSV")
        }
        () => None,
    }
}

fn binary(beginning: &[u8]) -> &'static str {
    let zeros =
        |odd: usize| beginning.iter().skip(odd).step_by(2).take(64).filter(|&&byte| byte == 0).count();
    match (zeros(0), zeros(1)) {
        (0, more) if more > 8 => "this is UTF-16 without a mark: name it by --encoding utf-16le",
        (more, 0) if more > 8 => "this is UTF-16 without a mark: name it by --encoding utf-16be",
        _ => "the format is not recognised: this is no text",
    }
}

/// Returns `true` if a text is JSON: an array, or one object per line.
pub(crate) fn is_json(beginning: &[u8]) -> bool {
    let text = beginning.trim_ascii_start();
    let next = |text: &[u8]| text.get(1..).and_then(|rest| rest.trim_ascii_start().first().copied());
    match text.first() {
        Some(b'{') => matches!(next(text), Some(b'"' | b'}')),
        Some(b'[') => matches!(next(text), Some(b'{' | b'[' | b'"' | b'-' | b'0'..=b'9')),
        _ => false,
    }
}

/// Message about JSON in place of `what`, a table or ratings.
pub(crate) fn json(what: &str, beginning: &[u8]) -> String {
    match beginning.trim_ascii_start().starts_with(b"{") {
        true => format!(
            "this is JSON, an object a line: write the {what} as CSV, with pandas.read_json(..., \
             lines=True).to_csv(..., index=False)"
        ),
        false => format!(
            "this is JSON: write the {what} as CSV, with pandas.read_json(...).to_csv(..., index=False)"
        ),
    }
}

/// Tags with which an HTML page, a part of one, or other XML starts.
const MARKUP: [&[u8]; 10] =
    [b"!doctype", b"!--", b"html", b"head", b"body", b"meta", b"table", b"?xml", b"svg", b"rss"];

/// Returns `true` if a text in lower case starts with a tag of HTML or XML.
fn is_markup(lower: &[u8]) -> bool {
    let Some(text) = lower.strip_prefix(b"<") else { return false };
    MARKUP.iter().any(|name| {
        let behind = text.strip_prefix(*name);
        behind.is_some_and(|rest| rest.first().is_none_or(|byte| !byte.is_ascii_alphanumeric()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_others_are_named() {
        let utf16: Vec<u8> = "a table of text".encode_utf16().flat_map(u16::to_le_bytes).collect();
        for (bytes, name) in [
            (&b"PAR1\x15"[..], "Parquet"),
            (b"PK\x03\x04....[Content_Types].xml", "xlsx"),
            (b"PK\x03\x04....a.csv", "zip"),
            (b"BZh9", "bunzip2"),
            (b"\n<!DOCTYPE html>", "web page"),
            (b"<table class=\"data\"><tr><td>1</td>", "web page"),
            (b"<!-- saved from url=(0014)about:internet -->\n<HTML>", "web page"),
            (b"% a note\n@RELATION iris\n", "ARFF"),
            (&utf16, "--encoding utf-16le"),
            (b"\0\0\0\0", "not recognised"),
        ] {
            let said = foreign(bytes).unwrap_or_default();
            assert!(said.contains(name), "{name}: {said}");
        }
        assert_eq!(
            (foreign(b"a,b\n1,2\n"), foreign(b"<NA>,b\n1,2\n"), foreign(b"<pad> x\n")),
            (None, None, None)
        );
        assert!(
            json("table", b"{\"a\": 1}\n").contains("lines=True")
                && !json("table", b"[").contains("lines=True")
        );
        assert!(is_json(b" [{\"a\": 1}]") && is_json(b"{\"a\": 1}\n") && !is_json(b"{a}"));
    }
}
