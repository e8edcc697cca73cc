//! The public sets have the sizes in the registry, and any number of threads reads the same.

use raddle_datasets::registry::{self, SetKind, verified_sets};
use raddle_datasets::{Matrix, libsvm};

#[test]
fn public_sets_have_the_registered_sizes() {
    for set in verified_sets(SetKind::Table) {
        let Some(table) = registry::real(set.name) else { return };
        let sizes = [table.x.rows(), table.x.cols(), table.x.nonzeros()];
        assert_eq!(
            sizes.map(Some),
            ["rows", "columns", "nonzeros"].map(|noun| set.count(noun)),
            "{}",
            set.name
        );
        assert_eq!((table.y.len(), table.name.as_str()), (sizes[0], set.name));
    }
}

#[test]
fn any_number_of_threads_reads_the_same() {
    let Some(one) = registry::real("farmads") else { return };
    let path = registry::locate("farmads").unwrap();
    for threads in [2, 3, 7] {
        assert!(libsvm::read(&path, threads).unwrap() == one, "{threads} threads");
    }
    let Matrix::Sparse(x) = &one.x else { panic!("libsvm is sparse") };
    assert!(x.outer_iterator().all(|column| column.indices().is_sorted_by(|a, b| a < b)));
}
