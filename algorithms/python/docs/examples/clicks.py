"""Recommend by clicks, measure the lists, and say why.

Clicks of 600 people in three groups are drawn here.
"""

import numpy as np
from scipy import sparse

from raddle.mf import AlternatingLeastSquares, ImplicitALS
from raddle.mf.metrics import ranking_metrics_at_k
from raddle.mf.model_selection import leave_k_out_split

random = np.random.default_rng(0)
group, kind = random.integers(0, 3, 600), random.integers(0, 3, 200)
chance = np.where(group[:, np.newaxis] == kind, 0.12, 0.01) * random.uniform(0.3, 1.7, 200)
clicks = sparse.csr_matrix(random.poisson(chance))
train, test = leave_k_out_split(clicks, random_state=0)

shown = [AlternatingLeastSquares(factors=8), ImplicitALS(factors=8)]
for model in shown:
    model.fit(train)
    found = ranking_metrics_at_k(model, train, test, K=10)
    print(type(model).__name__, {name: round(value, 3) for name, value in found.items()})
user = int(test.nonzero()[0][0])
ids, _ = shown[0].recommend(user, train[user], N=1, recalculate_user=True)
total, because, _ = shown[0].explain(user, train, ids[0], N=3)
print(f"user {user} gets item {ids[0]}, with score {total:.2f}, because of", because)
