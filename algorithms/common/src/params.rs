//! [`params!`](crate::params!): the parameters of an algorithm, each named once.

/// Defines a struct of parameters with its defaults (`params`), and a function for each that sets it. A
/// parameter without a default is an `Option`, `None` unless it is set. Fields after the parameters have no
/// such function.
///
/// ```
/// raddle_common::params! {
///     /// The parameters of a sum.
///     pub struct Sum {
///         /// Sets the number of terms.
///         terms(number: usize) = 3;
///         /// Sets the largest term.
///         largest(term: f64);
///     }
///     cache: Vec<f64> = Vec::new();
/// }
/// let sum = Sum::params().terms(5).largest(0.5);
/// assert_eq!((sum.terms, sum.largest, sum.cache.len()), (5, Some(0.5), 0));
/// assert_eq!(Sum::params().given(None, Sum::largest).largest, None);
/// ```
#[macro_export]
macro_rules! params {
    (@type $type:ty = $default:expr) => { $type };
    (@type $type:ty) => { Option<$type> };
    (@default $default:expr) => { $default };
    (@default) => { None };
    (@value $given:ident = $default:expr) => { $given };
    (@value $given:ident) => { Some($given) };
    (
        $(#[$about:meta])*
        pub struct $name:ident {
            $($(#[$doc:meta])* $field:ident($given:ident: $type:ty) $(= $default:expr)?;)*
        }
        $($(#[$inner_doc:meta])* $inner:ident: $inner_type:ty = $inner_default:expr;)*
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone)]
        pub struct $name {
            $(pub(crate) $field: $crate::params!(@type $type $(= $default)?),)*
            $($(#[$inner_doc])* pub(crate) $inner: $inner_type,)*
        }

        impl $name {
            /// Returns the defaults.
            pub fn params() -> Self {
                Self {
                    $($field: $crate::params!(@default $($default)?),)*
                    $($inner: $inner_default,)*
                }
            }

            /// Sets a parameter by `set`, if there is a value.
            pub fn given<T>(self, value: Option<T>, set: impl FnOnce(Self, T) -> Self) -> Self {
                match value {
                    Some(value) => set(self, value),
                    None => self,
                }
            }

            $(
                $(#[$doc])*
                pub fn $field(mut self, $given: $type) -> Self {
                    self.$field = $crate::params!(@value $given $(= $default)?);
                    self
                }
            )*
        }
    };
}
