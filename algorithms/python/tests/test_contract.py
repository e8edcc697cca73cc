"""scikit-learn's contract, by its own checks."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from raddle.lasso import (
    ElasticNet,
    ElasticNetCV,
    Lasso,
    LassoCV,
    LogisticLasso,
    LogisticLassoCV,
    PoissonLasso,
    PoissonLassoCV,
)

pytestmark = pytest.mark.filterwarnings("default")

CV = (ElasticNetCV, LassoCV, LogisticLassoCV, PoissonLassoCV)
REPEATS = "a row that is repeated may be held out apart from its copies, a row with a weight may not"


def expected_failures(estimator):
    if not isinstance(estimator, CV):
        return {}
    names = ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data")
    return dict.fromkeys(names, REPEATS)


@parametrize_with_checks(
    [
        Lasso(),
        ElasticNet(),
        LogisticLasso(),
        PoissonLasso(),
        LassoCV(),
        ElasticNetCV(),
        LogisticLassoCV(),
        PoissonLassoCV(),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)
