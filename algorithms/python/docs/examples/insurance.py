"""Model claims of an insurance: counts with exposures as offsets.

Policies run for a part of a year; the logarithm of that part is an offset of the score. The data are drawn here.
"""

import numpy as np

from raddle.lasso import PoissonLassoCV

random = np.random.default_rng(0)
n = 3000
age, power, region = random.uniform(18, 80, n), random.integers(4, 13, n), random.integers(0, 8, n)
exposure = random.uniform(0.1, 1.0, n)
X = np.column_stack([age < 25, age > 70, power / 10, *(region == each for each in range(8))]).astype(float)
rate = np.exp(-2.0 + 0.8 * X[:, 0] + 0.3 * X[:, 1] + 0.5 * X[:, 2] + 0.4 * X[:, 5])
claims = random.poisson(rate * exposure)

model = PoissonLassoCV(alphas=30, cv=3, n_jobs=2).fit(X, claims, offset=np.log(exposure))
for name, value in zip(["young", "old", "power", *(f"region {each}" for each in range(8))], model.coef_):
    print(f"{name:10} {np.exp(value):5.2f} times the claims")
expected = model.predict(X, offset=np.log(exposure)).sum()
print(f"{claims.sum()} claims, {expected:.0f} by the model; D^2 {model.score(X, claims, offset=np.log(exposure)):.3f}")
shown = [model]
