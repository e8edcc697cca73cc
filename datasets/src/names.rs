//! [`named`]: the names of an enum's variants, by which options choose them.

/// Gives an enum the names of its variants: `name`, `Display`, and `FromStr`, whose error `wrong` makes of a
/// text that is no name. A variant that is listed several times has its first name.
macro_rules! named {
    ($visibility:vis $kind:ident { $($variant:ident = $name:literal),+ $(,)? } $wrong:expr) => {
        impl $kind {
            const ALL: &'static [(&'static str, Self)] = &[$(($name, Self::$variant)),+];

            /// Returns the name that [`FromStr`](std::str::FromStr) parses.
            $visibility fn name(self) -> &'static str {
                Self::ALL.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
            }
        }

        impl std::fmt::Display for $kind {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl std::str::FromStr for $kind {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                let found = Self::ALL.iter().find(|(name, _)| *name == text);
                found.map(|&(_, known)| known).ok_or_else(|| $wrong(text))
            }
        }
    };
}

pub(crate) use named;
