//! [`Dialect`]: how delimited text is written, shared by tables, ratings and tables of texts.
//!
//! Parts that options leave open are found out once, from the beginning of the text: [`beginning`] cuts it
//! into records by the separator that [`division`] finds, [`head`] says whether the first of them holds
//! names, and [`marks`] what numbers are written with.

mod beginning;
mod division;
mod head;
mod marks;
mod missing;
mod options;
mod separator;

pub(crate) use beginning::{Beginning, is_tabs};
pub(crate) use division::{Purpose, divided_by};
pub(crate) use head::{HEADER, Head, Known, is_of_names, position, unnamed};
pub use marks::Marks;
pub(crate) use marks::is_number;
pub(crate) use missing::is_missing;
pub use options::Dialect;
pub use separator::Separator;
