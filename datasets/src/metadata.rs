//! [`metadata`]: the fields of a data set that files keep next to its arrays.

/// Declares the metadata of a type: a struct with some of its fields, which is serialized in this order.
macro_rules! metadata {
    ($(#[$about:meta])* $kept:ident of $whole:ident { $($field:ident: $kind:ty),+ $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        pub(crate) struct $kept {
            $(pub(crate) $field: $kind),+
        }

        impl $kept {
            /// Copies the metadata.
            pub(crate) fn of(whole: &$whole) -> Self {
                Self { $($field: whole.$field.clone()),+ }
            }

            /// Returns `whole` with these metadata.
            pub(crate) fn into_whole(self, whole: $whole) -> $whole {
                $whole { $($field: self.$field,)+ ..whole }
            }
        }
    };
}

pub(crate) use metadata;
