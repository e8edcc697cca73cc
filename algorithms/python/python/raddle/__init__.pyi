from raddle import lasso as lasso
from raddle import lda as lda

__version__: str
