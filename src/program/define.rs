//! [`program!`](crate::program!): the types of a program and the list of its verbs.

/// Names the types of a [`Program`](crate::Program), and the verbs that it has in addition to those of the
/// trait, inside its `impl`: types that are left out are `()`, and a `Change` that is left out is the
/// `Partial`.
///
/// ```
/// use raddle::prelude::*;
///
/// /// The sum of numbers that lie in shards.
/// struct Sum;
///
/// impl Program for Sum {
///     raddle::program!(Shard = Vec<f64>, Replica = f64, Partial = f64; update);
///
///     fn aggregate(&self, at: Aggregate<'_, Self>) -> f64 { at.partials.sum() }
///     fn commit(&self, change: &f64, sum: &mut f64) { *sum = *change; }
///     fn evaluate(&self, _: Evaluate<'_, Self>) -> f64 { 0.0 }
///     fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<f64> {
///         Metric::new("sum", *at.replica, "all numbers").into()
///     }
/// }
///
/// impl Update for Sum {
///     fn update(&self, at: TaskOf<'_, Self>) -> f64 { at.shard.iter().sum() }
/// }
///
/// let parts = Parts::new(vec![vec![1.0, 2.0], vec![4.0]], 0.0);
/// assert_eq!(Engine::new(Sum, EachShard::new(2), parts).epochs(1).run()?.parts.replica, 7.0);
/// # Ok::<(), raddle::EngineError>(())
/// ```
///
/// The list is `update` ([`Update`](crate::Update)), `update_block` ([`UpdateBlock`](crate::UpdateBlock)),
/// `relate` ([`Relate`](crate::Relate)), `fold` ([`Fold`](crate::Fold)), `merge` ([`Merge`](crate::Merge)),
/// `additive` ([`Additive`](crate::Additive)), `enough` ([`Enough`](crate::Enough)) and `restore_by_shard`
/// ([`RestoreByShard`](crate::RestoreByShard)), as far as the program implements them, and may be empty.
/// Instead of the macro the seven types and [`Program::verbs`](crate::Program::verbs) may be written out.
#[macro_export]
macro_rules! program {
    ($($name:ident = $type:ty),* $(,)?; $($verb:ident),* $(,)?) => {
        $($crate::program!(@check $name);)*
        type Shard = $crate::program!(@find Shard [()] $($name = $type,)*);
        type Block = $crate::program!(@find Block [()] $($name = $type,)*);
        type Pinned = $crate::program!(@find Pinned [()] $($name = $type,)*);
        type Replica = $crate::program!(@find Replica [()] $($name = $type,)*);
        type Partial = $crate::program!(@find Partial [()] $($name = $type,)*);
        type Change = $crate::program!(
            @find Change [$crate::program!(@find Partial [()] $($name = $type,)*)] $($name = $type,)*
        );
        type Phase = $crate::program!(@find Phase [()] $($name = $type,)*);

        fn verbs() -> $crate::Verbs<Self> {
            // A type that is named twice is an error that names it.
            #[allow(dead_code)]
            enum Named { $($name),* }
            $crate::Verbs::new()$(.$verb())*
        }
    };

    (@check Shard) => {};
    (@check Block) => {};
    (@check Pinned) => {};
    (@check Replica) => {};
    (@check Partial) => {};
    (@check Change) => {};
    (@check Phase) => {};
    (@check $other:ident) => {
        ::core::compile_error!(concat!(
            "`", stringify!($other),
            "` is no type of a program: these are Shard, Block, Pinned, Replica, Partial, Change and Phase"
        ));
    };

    (@find Shard $or:tt Shard = $type:ty, $($rest:tt)*) => { $type };
    (@find Block $or:tt Block = $type:ty, $($rest:tt)*) => { $type };
    (@find Pinned $or:tt Pinned = $type:ty, $($rest:tt)*) => { $type };
    (@find Replica $or:tt Replica = $type:ty, $($rest:tt)*) => { $type };
    (@find Partial $or:tt Partial = $type:ty, $($rest:tt)*) => { $type };
    (@find Change $or:tt Change = $type:ty, $($rest:tt)*) => { $type };
    (@find Phase $or:tt Phase = $type:ty, $($rest:tt)*) => { $type };
    (@find $which:ident $or:tt $name:ident = $type:ty, $($rest:tt)*) => {
        $crate::program!(@find $which $or $($rest)*)
    };
    (@find $which:ident [$or:ty]) => { $or };

    ($($name:ident = $type:ty),* $(,)?) => {
        ::core::compile_error!(
            "the list of verbs is missing: `program!(Shard = .., Replica = ..; update)`, after a semicolon"
        );
    };
}
