//! Options of other libraries that mean the same in every program here.

use super::answer::Answers;

/// Names of scikit-learn, glmnet, LIBLINEAR, implicit, LIBMF, gensim, tomotopy, pandas and MPI, and of
/// command lines in general.
pub(super) const OPTIONS: Answers<'static> = &crate::table!("shared.tsv");
