//! [`Dialect`]: how delimited text is written; shared by tables, ratings and tables of texts.
//!
//! What options leave open is determined once, from the first records: [`beginning`] splits them by the
//! separator that [`division`] finds, [`comments`] skips the lines above them, [`header`] decides whether the
//! first one holds names, and [`marks`] determines how numbers are written.

mod beginning;
mod comments;
mod division;
mod hash_lines;
mod head;
mod header;
mod marks;
mod missing;
mod options;
mod separator;
mod series;

pub(crate) use beginning::{Beginning, is_tabs};
pub(crate) use division::{Purpose, divided_by};
pub(crate) use head::{DATA, HEADER, Head, Known, is_of_names, unnamed};
pub(crate) use header::{are_names, has_asked, position};
pub use marks::Marks;
pub(crate) use marks::is_number;
pub(crate) use missing::is_missing;
pub use options::Dialect;
pub use separator::Separator;
