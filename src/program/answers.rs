//! [`answers!`](crate::program::answers): partials of one kind, or an error that names the other.

use std::fmt::{self, Debug, Write};

/// Takes partials of one kind apart: `answers!(partials, Partial::Moves)` makes a `Vec<(u32, Vec<Move>)>`, by shard, of a
/// `Vec<(u32, Partial)>` whose variants hold one value each.
///
/// A partial of another kind is a mistake of the program. It ends the run with an error that names both kinds and the
/// shard, as every panic in a verb does.
///
/// ```
/// #[derive(Debug)]
/// enum Partial { Moves(Vec<f64>), Share(f64) }
///
/// let partials = vec![(0, Partial::Share(0.5)), (3, Partial::Share(1.0))];
/// assert_eq!(raddle::answers!(partials, Partial::Share), [(0, 0.5), (3, 1.0)]);
/// ```
#[macro_export]
macro_rules! answers {
    ($partials:expr, $($kind:ident)::+) => {
        $crate::answers::take($partials, stringify!($($kind)::+), |partial| match partial {
            $($kind)::+(value) => Ok(value),
            #[allow(unreachable_patterns)]
            other => Err(Box::new(other)),
        })
    };
}

/// Carries [`answers!`](crate::program::answers) out.
#[doc(hidden)]
#[track_caller]
pub fn take<T: Debug, V>(
    partials: Vec<(u32, T)>,
    kind: &str,
    each: impl Fn(T) -> Result<V, Box<T>>,
) -> Vec<(u32, V)> {
    let mut taken = Vec::with_capacity(partials.len());
    for (shard, partial) in partials {
        match each(partial) {
            Ok(value) => taken.push((shard, value)),
            Err(other) => {
                // A path that a macro was given is written with spaces.
                let (other, kind) = (name(&*other), kind.replace(' ', ""));
                panic!("shard {shard} answers `{other}` where `{kind}` is due")
            }
        }
    }
    taken
}

/// The name of a value's variant: where its `Debug` form is not a letter any more, the rest is never written.
fn name(value: &impl Debug) -> String {
    struct Name(String);
    impl Write for Name {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
            self.0.push_str(&text[..end.unwrap_or(text.len())]);
            if end.is_some() { Err(fmt::Error) } else { Ok(()) }
        }
    }
    let mut name = Name(String::new());
    // The error only says that the name is over.
    let _ = write!(name, "{value:?}");
    name.0
}

#[cfg(test)]
mod tests {
    #[derive(Debug)]
    enum Partial {
        Moves(Vec<f64>),
        Nothing,
    }

    #[test]
    #[should_panic(expected = "shard 7 answers `Moves` where `Partial::Share` is due")]
    fn another_kind_is_named() {
        let partials = vec![(3, Partial::Nothing), (7, Partial::Moves(vec![1.0; 1 << 20]))];
        super::take(partials, "Partial::Share", |partial| match partial {
            Partial::Moves(moves) if moves.is_empty() => Ok(0),
            Partial::Nothing => Ok(1),
            other => Err(Box::new(other)),
        });
    }

    #[test]
    fn a_variant_without_a_value_has_a_name() {
        assert_eq!(super::name(&Partial::Nothing), "Nothing");
    }
}
