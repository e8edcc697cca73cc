"""Two peers next to each other: what a certificate is worth."""

import warnings

import numpy as np
import sklearn.linear_model
from sklearn.datasets import load_diabetes
from sklearn.preprocessing import PolynomialFeatures

import raddle.lasso

X, y = load_diabetes(return_X_y=True)
X = PolynomialFeatures(2, include_bias=False).fit_transform(X)


def objective(model, alpha):
    errors = y - model.predict(X)
    return (errors @ errors) / (2 * len(y)) + alpha * np.abs(model.coef_).sum()


print("alpha      raddle        scikit-learn  difference")
for alpha in (1.0, 0.1, 0.01, 0.001):
    ours = raddle.lasso.Lasso(alpha=alpha, tol=1e-9).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = sklearn.linear_model.Lasso(alpha=alpha).fit(X, y)
    values = objective(ours, alpha), objective(theirs, alpha)
    print(f"{alpha:<10g} {values[0]:<13.6f} {values[1]:<13.6f} {values[1] - values[0]:.2e}")
print(f"proved: no coefficients have an objective below the last of raddle by more than {ours.dual_gap_:.1e}")
shown = [ours]
