"""Predict ratings, and take in users that the fit has not seen.

Ratings are drawn here; the last 20 of 300 users come after the fit.
"""

import numpy as np

from raddle.mf import MatrixFactorization
from raddle.mf.model_selection import leave_one_out

random = np.random.default_rng(0)
users, items = np.divmod(random.choice(300 * 80, 9000, replace=False), 80)
tastes = random.normal(size=(300, 3)) @ random.normal(size=(3, 80))
ratings = np.clip(np.round(3.5 + tastes[users, items] + 0.3 * random.normal(size=9000)), 1, 5)
names = np.array([f"film {item}" for item in range(80)])

is_known = users < 280
model = MatrixFactorization(rank=4, solver="als", epochs=15)
model.fit(users[is_known], names[items[is_known]], ratings[is_known])
print(f"error on held-out ratings: {model.validation_error_:.2f} stars")

cold = np.flatnonzero(~is_known)
kept, held = (cold[part] for part in leave_one_out(users[cold], random_state=0))
before = model.predict(users[held], names[items[held]])
model.partial_fit_users(users[kept], names[items[kept]], ratings[kept])
after = model.predict(users[held], names[items[held]])
error = lambda found: np.sqrt(np.mean((found - ratings[held]) ** 2))
print(f"new users: {error(before):.2f} stars before they are folded in, {error(after):.2f} after")
print("for the first of them:", ", ".join(model.recommend(users[held][0], N=3)[0]))
shown = [model]
