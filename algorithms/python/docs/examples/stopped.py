"""Stop a fit and go on."""

import numpy as np
from sklearn.datasets import make_classification

from raddle.lasso import Lasso
from raddle.lda import LatentDirichletAllocation
from raddle.linear import LinearSVC

random = np.random.default_rng(0)
counts = random.poisson(0.2, size=(300, 100))
seen = []


def watch(record):
    seen.append(record["epoch"])
    return record["epoch"] < 10


model = LatentDirichletAllocation(5).fit(counts, callback=watch)
print(f"the callback ended the fit after epoch {seen[-1]}: {model.report_['ending']}")
first = model.perplexity(counts)
model.partial_fit(counts)
print(f"a pass more: perplexity {first:.1f}, then {model.perplexity(counts):.1f}")

X, y = make_classification(2000, 200, random_state=0)
svc = LinearSVC(C=10.0, warm_start=True, tol=1e-2).fit(X, y)
print(f"to a gap of {svc.relative_gap_:.1e}; ", end="")
svc.set_params(tol=1e-6).fit(X, y)
print(f"from there to {svc.relative_gap_:.1e}")

lasso = Lasso(alpha=0.01, warm_start=True)
for alpha in (0.1, 0.05, 0.01):
    lasso.set_params(alpha=alpha).fit(X, y)
    print(f"alpha {alpha}: {np.count_nonzero(lasso.coef_)} coefficients, gap {lasso.relative_gap_:.1e}")
shown = [svc]
