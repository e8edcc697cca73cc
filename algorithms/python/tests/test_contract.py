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
from raddle.linear import LinearSVC, LogisticRegression

pytestmark = pytest.mark.filterwarnings("default")


@parametrize_with_checks(
    [
        Lasso(),
        ElasticNet(),
        LogisticLasso(),
        PoissonLasso(),
        LassoCV(),
        ElasticNetCV(),
        # Weighted rows and repeated ones are compared to seven digits.
        LogisticLassoCV(tol=1e-11),
        PoissonLassoCV(),
        # The same: a gap of so much leaves seven digits of small coefficients.
        LinearSVC(0.001, tol=1e-14),
        LogisticRegression(0.001, tol=1e-14),
    ]
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)
