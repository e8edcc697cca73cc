//! Names that most programs need: `use raddle::prelude::*`.

pub use crate::random::Stream;
pub use crate::schedule::{
    Cyclic, Dependencies, EachShard, Grid, Priority, PrioritySettings, Rotation, Round, Schedule, Shuffled,
    Variables,
};
pub use crate::{
    Additive, Aggregate, BlockTaskOf, Boundary, Conclude, Engine, EngineError, Enough, Evaluate, Fold, Merge,
    Metric, Partials, Parts, Program, Relate, Status, Task, TaskOf, Update, UpdateBlock, Verdict, Visibility,
    replay,
};
