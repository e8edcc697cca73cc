"""The native half, for the modules of the package alone."""

from collections.abc import Callable, Mapping
from typing import Any

__version__: str

Callback = Callable[[dict[str, Any]], object] | None

def fit_lasso(x: Any, rows: Mapping[str, Any], asked: Mapping[str, Any], callback: Callback) -> dict[str, Any]: ...
def cross_validate_lasso(
    x: Any,
    rows: Mapping[str, Any],
    asked: Mapping[str, Any],
    asked_folds: Mapping[str, Any],
    callback: Callback,
) -> dict[str, Any] | None: ...
def panic_in_a_fit() -> None: ...
