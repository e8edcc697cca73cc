//! [`state!`](crate::state!): implements [`State`](crate::State) by the fields of a struct, or the variants
//! of an enum.

/// Implements [`State`](crate::State) for a struct by its fields, or for an enum by its variants; they are
/// written in the order given.
///
/// ```
/// use raddle::state::{from_bytes, to_bytes};
///
/// struct Users { factors: Vec<f32>, seen: Vec<(u32, u32)>, mean: f64 }
/// raddle::state!(Users { factors, seen, mean });
///
/// struct Pair<A, B>(A, B); // fields of a tuple are given any names
/// raddle::state!(Pair<A, B>(first, second)); // for all A, B: State; or `[A: Bound, B: Bound] Pair<A, B>`
///
/// enum Answer { Nothing, Moves(Vec<(u32, f64)>), Solved { gap: f64 } }
/// raddle::state!(enum Answer { Nothing, Moves(moves), Solved { gap } });
///
/// let users = Users { factors: vec![0.5; 8], seen: vec![(1, 2)], mean: 3.5 };
/// let copy: Users = from_bytes(&to_bytes(&users))?;
/// assert_eq!(copy.factors, users.factors);
/// let pair: Pair<u8, String> = from_bytes(&to_bytes(&Pair(3u8, "three".to_owned())))?;
/// assert_eq!(pair.1, "three");
/// for answer in [Answer::Nothing, Answer::Moves(vec![(3, 0.5)]), Answer::Solved { gap: 1e-9 }] {
///     let copy: Answer = from_bytes(&to_bytes(&answer))?;
///     assert_eq!(std::mem::discriminant(&copy), std::mem::discriminant(&answer));
/// }
/// assert!(from_bytes::<Answer>(&[3]).is_err()); // there are three
/// # Ok::<(), raddle::state::StateError>(())
/// ```
#[macro_export]
macro_rules! state {
    // An enum: a byte says which variant it is.
    ([$($bounds:tt)*] enum $name:ident $(< $($of:ident),+ >)? {
        $($variant:ident $(( $($item:ident),* $(,)? ))? $({ $($field:ident),* $(,)? })?),+ $(,)?
    }) => {
        impl <$($bounds)*> $crate::State for $name $(<$($of),+>)? {
            fn save(&self, out: &mut $crate::state::Writer) {
                enum Tag { $($variant),+ }
                match self {
                    $(Self::$variant $(($($item),*))? $({ $($field),* })? => {
                        $crate::State::save(&(Tag::$variant as u8), out);
                        $($($crate::State::save($item, out);)*)?
                        $($($crate::State::save($field, out);)*)?
                    })+
                }
            }
            fn load(from: &mut $crate::state::Reader<'_>) -> Result<Self, $crate::state::StateError> {
                enum Tag { $($variant),+ }
                let tag: u8 = $crate::State::load(from)?;
                $(if tag == Tag::$variant as u8 {
                    $($(let $item = $crate::State::load(from)?;)*)?
                    $($(let $field = $crate::State::load(from)?;)*)?
                    return Ok(Self::$variant $(($($item),*))? $({ $($field),* })?);
                })+
                Err($crate::state::StateError::new(concat!("a variant of ", stringify!($name))))
            }
        }
    };
    ([$($bounds:tt)*] $name:ident $(< $($of:ident),+ >)?
        $({ $($field:ident),* $(,)? })? $(( $($item:ident),* $(,)? ))?
    ) => {
        impl <$($bounds)*> $crate::State for $name $(<$($of),+>)? {
            fn save(&self, out: &mut $crate::state::Writer) {
                let Self $({ $($field),* })? $(( $($item),* ))? = self;
                $($($crate::State::save($field, out);)*)?
                $($($crate::State::save($item, out);)*)?
                let _ = out;
            }
            fn load(from: &mut $crate::state::Reader<'_>) -> Result<Self, $crate::state::StateError> {
                $($(let $field = $crate::State::load(from)?;)*)?
                $($(let $item = $crate::State::load(from)?;)*)?
                let _ = &from;
                Ok(Self $({ $($field),* })? $(( $($item),* ))?)
            }
        }
    };
    // Every type parameter is a `State`, unless bounds are given.
    (enum $name:ident $(< $($of:ident),+ >)? { $($body:tt)* }) => {
        $crate::state!([$($($of: $crate::State),+)?] enum $name $(<$($of),+>)? { $($body)* });
    };
    ($name:ident $(< $($of:ident),+ >)? { $($body:tt)* }) => {
        $crate::state!([$($($of: $crate::State),+)?] $name $(<$($of),+>)? { $($body)* });
    };
    ($name:ident $(< $($of:ident),+ >)? ( $($body:tt)* )) => {
        $crate::state!([$($($of: $crate::State),+)?] $name $(<$($of),+>)? ( $($body)* ));
    };
}
