from os import PathLike
from typing import Any

from raddle import lasso as lasso
from raddle import mf as mf
from raddle import lda as lda

__version__: str

def load(path: str | PathLike[str], *, point: int | None = None) -> Any: ...
