"""Converts models to scikit-learn's own classes."""

import numpy as np
from sklearn.utils.validation import check_is_fitted


class Exported:
    """A model for which scikit-learn has a class."""

    def to_sklearn(self):
        """Return an estimator of scikit-learn with these coefficients, for tools that support no other class.

        Returns
        -------
        `sklearn.svm.LinearSVC` or `sklearn.linear_model.LogisticRegression`; for `multi_class="ovr"` and more than two
        classes, one per class in a `sklearn.multiclass.OneVsRestClassifier`

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from raddle.linear import LinearSVC
        >>> X, y = load_iris(return_X_y=True)
        >>> LinearSVC(C=0.1).fit(X, y).to_sklearn()
        LinearSVC(C=0.1)
        """
        check_is_fitted(self, "coef_")
        if not hasattr(self, "predict_proba"):
            from sklearn.svm import LinearSVC

            model = LinearSVC(loss=self.loss, **self._common())
            return self._fitted(model, self.coef_, self.intercept_, self.classes_)
        if "_lasso" in self.__dict__:
            from raddle.linear._sparse import given

            return given(self).to_sklearn().set_params(C=self._about["c"])
        return self._logistic()

    def _common(self):
        common = {"C": self._about["c"], "fit_intercept": self.fit_intercept}
        # Theirs is a number, also where it means nothing.
        return {**common, "intercept_scaling": 1 if self._scaling() is None else self._scaling()}

    def _logistic(self):
        from sklearn.linear_model import LogisticRegression
        from sklearn.multiclass import OneVsRestClassifier
        from sklearn.preprocessing import LabelBinarizer

        def model():
            is_free = self._scaling() is None or not self.fit_intercept
            return LogisticRegression(solver="lbfgs" if is_free else "liblinear", **self._common())

        if self.multi_class != "ovr" and len(self.classes_) > 2:
            several = LogisticRegression(C=self._about["c"], fit_intercept=self.fit_intercept)
            return self._fitted(several, self.coef_, self.intercept_, self.classes_)
        if len(self.classes_) == 2:
            return self._fitted(model(), self.coef_, self.intercept_, self.classes_)
        several = OneVsRestClassifier(model())
        several.label_binarizer_ = LabelBinarizer(sparse_output=True).fit(self.classes_)
        # Older versions have it from the binarizer.
        if not hasattr(OneVsRestClassifier, "classes_"):
            several.classes_ = self.classes_
        several.estimators_ = [
            self._fitted(model(), coef[np.newaxis], np.array([intercept]), [0, 1])
            for coef, intercept in zip(self.coef_, self.intercept_)
        ]
        return self._named(several)

    def _fitted(self, model, coef, intercept, classes):
        model.coef_, model.intercept_, model.classes_ = coef, intercept, np.asarray(classes)
        model.n_iter_ = self.n_iter_
        return self._named(model)

    def _named(self, model):
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                setattr(model, name, getattr(self, name))
        return model
