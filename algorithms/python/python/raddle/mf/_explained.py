"""Contributions of liked items to a score."""

import numpy as np


def explained(factors, regularization, liked, item, solved, count):
    """Return a score, its largest contributions and the system of the user, which may be given as `solved`.

    `liked` are the items of a user, their weights, and whether each is liked.
    """
    # It takes as long to import as all the rest.
    from scipy.linalg import cho_factor, cho_solve

    items, weights, is_liked = liked
    own = factors[items].astype(float)
    if solved is None:
        system = factors.astype(float).T @ factors + regularization * np.eye(factors.shape[1])
        solved = cho_factor(system + own.T @ (own * (weights - 1)[:, None]))
    parts = own @ cho_solve(solved, factors[item].astype(float)) * weights * is_liked
    liked = np.flatnonzero(is_liked)
    best = liked[np.argsort(-parts[liked], kind="stable")[:count]]
    return float(parts.sum()), [(int(items[at]), float(parts[at])) for at in best], solved
