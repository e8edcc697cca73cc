//! `raddle._raddle`, the native half of the Python package: the conversion of data from Python, fits on their
//! own threads, and a module for each algorithm. The estimators, their parameters and their documentation are
//! in Python (`python/raddle/`).

mod arrays;
mod error;
mod folder;
mod lasso;
mod lda;
mod linear;
mod mf;
mod run;

/// Native functions, called only by the package's own modules.
#[pyo3::pymodule]
mod _raddle {
    #[pymodule_export]
    use crate::folder::program_of;
    #[pymodule_export]
    use crate::lasso::{cross_validate_lasso, fit_lasso, open_lasso, save_lasso};
    #[pymodule_export]
    use crate::lda::{
        coherence_lda, digest_lda, fit_lda, infer_lda, load_lda, probabilities_lda, save_lda, score_lda,
        top_words_lda,
    };
    #[pymodule_export]
    use crate::linear::{cross_validate_linear, fit_linear, open_linear, save_linear};
    #[pymodule_export]
    use crate::mf::{Factorization, fit_mf, number_ids, open_mf, save_mf};
    #[pymodule_export]
    use crate::run::panic_in_a_fit;

    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "Python's name for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
