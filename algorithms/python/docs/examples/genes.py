"""Find genes: many more columns than rows.

Expressions of 2,000 genes in 70 samples, of which ten make the response. The data are drawn here.
"""

import numpy as np

from raddle.lasso import LassoCV, lasso_path

random = np.random.default_rng(1)
X = random.normal(size=(70, 2000)) + random.normal(size=(70, 1))
effect = np.zeros(2000)
effect[:10] = 1.0
y = X @ effect + random.normal(size=70)

model = LassoCV(rule="1se", standardize=True, n_jobs=2).fit(X, y)
found = np.flatnonzero(model.coef_)
print(f"alpha {model.alpha_:.3f}: {len(found)} genes, among them {np.sum(found < 10)} of the ten")
print(f"every point of every fold is certified: the worst gap is {model.worst_gap_:.1e}")
path = lasso_path(X, y, alphas=30, standardize=True)
print("genes along the path:", (path.coefs != 0).sum(axis=0).tolist())
shown = [model]
