//! [`Picture`]: a drawing that a program describes by its numbers, and that `raddle report` draws.

mod description;

pub use self::description::{Axis, Contents, Member, Picture, PictureKind, Scale, Series, Tick};
