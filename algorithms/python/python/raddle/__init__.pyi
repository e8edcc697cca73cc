from raddle import lasso as lasso
from raddle import mf as mf

__version__: str
