"""Matrix factorization: factors of users and items from ratings or clicks, and recommendations.

============================= ==========================================================================
`MatrixFactorization`         explicit ratings: three columns, with ids of any kind
`ImplicitALS`                 implicit feedback: a sparse matrix of counts; weight and penalty are chosen
`AlternatingLeastSquares`     the same with the names, weights and defaults of implicit 0.7
`raddle.mf.metrics`           precision, recall, NDCG, MAP, MRR, AUC and coverage of lists
`raddle.mf.model_selection`   splits at random, by time, and one item left out per user
============================= ==========================================================================

A model is the same, bit for bit, for any number of workers (`n_jobs`), and when the program `mf` fits it.
"""

from raddle.mf._implicit import AlternatingLeastSquares, ImplicitALS
from raddle.mf._ratings import MatrixFactorization
from raddle.mf._saved import load as load

__all__ = ["AlternatingLeastSquares", "ImplicitALS", "MatrixFactorization"]
