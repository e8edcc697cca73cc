//! [`Dialect`]: how delimited text is written, shared by tables, ratings and tables of texts.
//!
//! Parts that options leave open are found out once, from the beginning of the text: [`beginning`] cuts it
//! into records by the separator that [`division`] finds, [`comments`] passes over what is above them,
//! [`header`] says whether the first of them holds names, and [`marks`] what numbers are written with.

mod beginning;
mod comments;
mod division;
mod hash_lines;
mod head;
mod header;
mod marks;
mod missing;
mod options;
mod row_names;
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
