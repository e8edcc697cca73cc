"""Matrix factorization: factors of users and items from ratings or clicks, and recommendations.

============================= ==========================================================================
`MatrixFactorization`         explicit ratings: three columns, with ids of any kind
`AlternatingLeastSquares`     implicit feedback: a sparse matrix of counts, by the names of implicit 0.7
============================= ==========================================================================

`load` reads what the program `mf` has written, and it reads what `save` writes. A model is the same, bit for bit, for any number of workers (`n_jobs`), and as the program `mf` makes it.
"""

from raddle.mf._files import load
from raddle.mf._implicit import AlternatingLeastSquares
from raddle.mf._ratings import MatrixFactorization

__all__ = ["AlternatingLeastSquares", "MatrixFactorization", "load"]
