"""Linear classifiers with a certificate, as estimators of scikit-learn.

Each minimises ``|w|^2 / 2 + C * sum of the rows' losses`` and ends when the relative duality gap, which bounds the
distance of the objective from its minimum, is at most `tol`. The intercept of `LinearSVC` is the coefficient of a
constant column and penalised like the others, that of `LogisticRegression` is not penalised, both as in scikit-learn
(`intercept_scaling`).

====================== ==========================================================================
`LinearSVC`            the squared hinge, or the hinge: a support vector machine
`LogisticRegression`   the logistic loss, or softmax of all classes, with probabilities
`LinearSVCCV`          the machine with C chosen by cross-validation
`LogisticRegressionCV` the regression with C chosen by cross-validation
====================== ==========================================================================

`LinearSVC` fits more than two classes one against the rest, each with its own gap. X may be dense or sparse; sparse data stay
sparse. `n_jobs` is the number of workers and never changes the model.
"""

from raddle._common import requires_sklearn as _requires_sklearn

_requires_sklearn("raddle.linear")

from raddle.linear._cv import LinearSVCCV, LogisticRegressionCV
from raddle.linear._logistic import LogisticRegression
from raddle.linear._saved import load as load
from raddle.linear._svc import LinearSVC

__all__ = ["LinearSVC", "LinearSVCCV", "LogisticRegression", "LogisticRegressionCV"]
