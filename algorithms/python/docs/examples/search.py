"""Search parameters with scikit-learn, for linear models and for recommenders."""

import numpy as np
from scipy import sparse
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from raddle.linear import LogisticRegression, LogisticRegressionCV
from raddle.mf import AlternatingLeastSquares

X, y = load_breast_cancer(return_X_y=True)
pipeline = make_pipeline(StandardScaler(), LogisticRegression())
search = GridSearchCV(pipeline, {"logisticregression__C": [0.01, 0.1, 1.0]}, scoring="neg_log_loss").fit(X, y)
print(search.best_params_, round(search.best_score_, 4))
chosen = LogisticRegressionCV(Cs=[0.01, 0.1, 1.0], measure="log-loss", standardize=True, n_jobs=2).fit(X, y)
print(f"LogisticRegressionCV: C = {chosen.C_:g}, log loss {chosen.mean_path_.min():.4f}")

random = np.random.default_rng(0)
clicks = sparse.csr_matrix(random.poisson(random.random((150, 2)) @ random.random((2, 60)) * 0.4))
grid = {"factors": [2, 8], "alpha": [1.0, 5.0], "regularization": [1.0]}
# Rows are users: those of a fold are folded in, and a fifth of their items is to be found.
search = GridSearchCV(AlternatingLeastSquares(iterations=5), grid, cv=KFold(3)).fit(clicks)
print(search.best_params_, "NDCG@10", round(search.best_score_, 3))
shown = [chosen, search.best_estimator_]
