//! [`Layout`]: JSON in lines, but for what lies deep in it.

use std::io::{self, Write};

use serde_json::ser::Formatter;

/// Depth down to which each value has a line of its own: that of a table's row, and of a picture's series.
const DEEPEST: usize = 4;

/// JSON with a line for each value near its root, and everything below that in the line: long lists of
/// numbers take no more bytes than they need.
#[derive(Debug, Default)]
pub(super) struct Layout {
    depth: usize,
    /// The container that ends next has values.
    has_values: bool,
}

impl Layout {
    fn begin(&mut self, to: &mut (impl Write + ?Sized), bracket: &[u8]) -> io::Result<()> {
        (self.depth, self.has_values) = (self.depth + 1, false);
        to.write_all(bracket)
    }

    fn value(&mut self, to: &mut (impl Write + ?Sized), is_first: bool) -> io::Result<()> {
        if !is_first {
            to.write_all(b",")?;
        }
        self.line(to)
    }

    fn end(&mut self, to: &mut (impl Write + ?Sized), bracket: &[u8]) -> io::Result<()> {
        if self.has_values && self.depth <= DEEPEST {
            write!(to, "\n{:1$}", "", 2 * (self.depth - 1))?;
        }
        self.depth -= 1;
        to.write_all(bracket)
    }

    fn line(&self, to: &mut (impl Write + ?Sized)) -> io::Result<()> {
        match self.depth <= DEEPEST {
            true => write!(to, "\n{:1$}", "", 2 * self.depth),
            false => Ok(()),
        }
    }
}

impl Formatter for Layout {
    fn begin_array<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.begin(to, b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.end(to, b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, to: &mut W, is_first: bool) -> io::Result<()> {
        self.value(to, is_first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_values = true;
        Ok(())
    }

    fn begin_object<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.begin(to, b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.end(to, b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, to: &mut W, is_first: bool) -> io::Result<()> {
        self.value(to, is_first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        to.write_all(b": ")
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_values = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde::Serialize as _;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn what_lies_deep_is_in_one_line_and_all_is_read_again() {
        let value = json!({
            "empty": [], "none": {}, "tables": [{"columns": ["a", "b"], "rows": [[1, "x, y"], [2.5, null]]}],
        });
        let mut text = Vec::new();
        value.serialize(&mut serde_json::Serializer::with_formatter(&mut text, Layout::default())).unwrap();
        let expected = "{
  \"empty\": [],
  \"none\": {},
  \"tables\": [
    {
      \"columns\": [
        \"a\",
        \"b\"
      ],
      \"rows\": [
        [1,\"x, y\"],
        [2.5,null]
      ]
    }
  ]
}";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
        assert_eq!(serde_json::from_str::<Value>(expected).unwrap(), value);
    }
}
