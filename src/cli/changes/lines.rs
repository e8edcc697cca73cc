//! Lines of changes, from a file, a stream or the log.

/// Bytes of whole lines that make one version, and the number of the first line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) bytes: Vec<u8>,
    pub(super) first: u64,
}

/// One line that inserts or retracts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeLine {
    /// Line number in the file or stream, from 1.
    pub number: u64,
    /// `true` if it inserts (`+`); else it retracts (`-`).
    pub inserts: bool,
    /// Text after the sign, without blanks around it.
    pub text: String,
}

/// Changes that belong together: one version of the data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// Number of the version, from 1; 0 is the data that the run started with.
    pub number: u64,
    /// Lines of the version, without blank ones and comments.
    pub lines: Vec<ChangeLine>,
    /// Number of the line that ends the version.
    pub(super) end: u64,
    /// `true` if the version was read from the log of the run.
    pub(super) is_logged: bool,
}

impl Version {
    /// Returns the changes that the lines of the version make.
    ///
    /// # Errors
    /// The first line that is no change, counted from 0, and why.
    pub fn changes<C>(
        &self,
        read: impl Fn(&ChangeLine) -> Result<C, String>,
    ) -> Result<Vec<C>, (usize, String)> {
        self.lines.iter().enumerate().map(|(at, line)| read(line).map_err(|why| (at, why))).collect()
    }
}

/// Lines of a text, or the first that is wrong.
#[derive(Debug)]
pub(super) struct Lines {
    pub(super) lines: Vec<ChangeLine>,
    /// The last line.
    pub(super) end: u64,
    pub(super) wrong: Option<(u64, String)>,
}

/// Longest piece of a line that a message repeats.
const SHOWN: usize = 40;

impl Lines {
    /// Parses a text that holds one version, with the line that ends it, if there is one.
    pub(super) fn of(text: &Text) -> Self {
        let (mut lines, mut end) = (Vec::new(), text.first);
        for (number, line) in (text.first..).zip(text.bytes.split_inclusive(|&byte| byte == b'\n')) {
            end = number;
            match parsed(number, line.trim_ascii()) {
                Ok(line) => lines.extend(line),
                Err(why) => return Self { lines: Vec::new(), end, wrong: Some((number, why)) },
            }
        }
        Self { lines, end, wrong: None }
    }
}

/// `true` if a line ends a version; the text after its sign is for the log.
pub(super) fn is_cut(line: &[u8]) -> bool {
    line.trim_ascii_start().first() == Some(&b'=')
}

fn parsed(number: u64, line: &[u8]) -> Result<Option<ChangeLine>, String> {
    let Some((&sign, rest)) = line.split_first() else { return Ok(None) };
    let inserts = match sign {
        b'#' | b'=' => return Ok(None),
        b'+' => true,
        b'-' => false,
        _ => {
            let shown: String = String::from_utf8_lossy(line).chars().take(SHOWN).collect();
            return Err(format!(
                "`{shown}` is no change: a line begins with + or -, with = at the end of a version"
            ));
        }
    };
    let text = std::str::from_utf8(rest).map_err(|_| "the line is not UTF-8".to_owned())?.trim();
    match text.is_empty() {
        true => Err("nothing stands behind the sign".into()),
        false => Ok(Some(ChangeLine { number, inserts, text: text.into() })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(bytes: &[u8]) -> Lines {
        Lines::of(&Text { bytes: bytes.to_vec(), first: 5 })
    }

    #[test]
    fn lines_are_told_by_their_sign_and_numbered_where_they_stand() {
        let found = lines(b"# who\n\n+ anna up 5\r\n-  ben\n= 3 1 1\n");
        let line = |number, inserts, text: &str| ChangeLine { number, inserts, text: text.into() };
        assert_eq!(found.lines, [line(7, true, "anna up 5"), line(8, false, "ben")]);
        assert_eq!((found.end, found.wrong), (9, None));
    }

    #[test]
    fn what_is_no_change_is_told_with_its_line() {
        for (bytes, line, said) in [
            (&b"+ a b 1\nanna up 5\n"[..], 6, "`anna up 5` is no change"),
            (b"+\n", 5, "nothing stands behind the sign"),
            (b"\n- \xff\xfe\n", 6, "not UTF-8"),
        ] {
            let (number, why) = lines(bytes).wrong.unwrap();
            assert!(number == line && why.contains(said), "{number}: {why}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_are_lines_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let found = lines(&bytes);
            prop_assert!(found.wrong.is_none() || found.lines.is_empty());
        }
    }
}
