from os import PathLike
from typing import Any

from raddle import lasso as lasso
from raddle import lda as lda
from raddle import linear as linear
from raddle import mf as mf

__version__: str

def load(path: str | PathLike[str], *, point: int | None = None) -> Any: ...
