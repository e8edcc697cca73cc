"""Converts models to scikit-learn's own classes."""

import inspect


class Exported:
    """A model for which scikit-learn has a class."""

    def to_sklearn(self):
        """Return an estimator of scikit-learn with these coefficients, for tools that support no other class.

        Returns
        -------
        `sklearn.linear_model.Lasso`, `ElasticNet`, `LogisticRegression` or `PoissonRegressor`

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from raddle.lasso import Lasso
        >>> X, y = load_diabetes(return_X_y=True)
        >>> Lasso(alpha=1.0).fit(X, y).to_sklearn()
        Lasso()
        """
        from sklearn import linear_model
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self, "coef_")
        alpha = getattr(self, "alpha_", None) or self.alpha
        ratio = getattr(self, "l1_ratio_", getattr(self, "l1_ratio", 1.0))
        common = {"fit_intercept": self.fit_intercept}
        if self._loss == "poisson":
            model = linear_model.PoissonRegressor(alpha=alpha, **common)
            # Its fit would set it.
            model._base_loss = model._get_loss()
        elif self._loss == "logistic":
            # A point of a path that was read has no dual point, which would tell the rows.
            model = _logistic(1.0 / (alpha * max(1, len(self.dual_))), ratio, common)
            model.classes_ = self.classes_
        elif ratio == 1.0:
            model = linear_model.Lasso(alpha=alpha, **common)
            model.dual_gap_ = self.relative_gap_
        else:
            model = linear_model.ElasticNet(alpha=alpha, l1_ratio=ratio, **common)
            model.dual_gap_ = self.relative_gap_
        for name in ("coef_", "intercept_", "n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                setattr(model, name, getattr(self, name))
        model.n_iter_ = self.n_iter_
        return model


def _logistic(C, ratio, common):
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=C, l1_ratio=ratio, solver="saga", **common)
    # Newer versions tell the penalty from l1_ratio alone.
    if inspect.signature(LogisticRegression).parameters["penalty"].default == "l2":
        model.set_params(penalty="elasticnet")
    return model
