from raddle import lasso as lasso

__version__: str
