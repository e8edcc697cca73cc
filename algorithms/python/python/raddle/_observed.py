"""Who watches a fit: its callback, lines of `verbose`, and the callbacks of scikit-learn 1.9."""

import contextlib
import sys

try:
    from sklearn.callback import CallbackSupportMixin as Callbacks
    from sklearn.callback._callback_support import callback_management_context as _managed
except ImportError:  # Before scikit-learn 1.9.
    _managed = contextlib.nullcontext

    class Callbacks:
        """No callbacks."""


@contextlib.contextmanager
def observed(estimator, X, y, callback):
    """Yield the callback of a fit, or None if nobody watches.

    With `verbose`, a line per epoch is printed. Callbacks of `set_callbacks` hear of each epoch.
    """
    calls = [] if callback is None else [callback]
    if getattr(estimator, "verbose", 0):
        calls.append(lambda record: record["epoch"] and print(_line(estimator, record), file=sys.stdout, flush=True) or None)
    with contextlib.ExitStack() as stack:
        if getattr(estimator, "_skl_callbacks", None):
            stack.enter_context(_managed(estimator))
            context = estimator._init_callback_context(max_subtasks=None)
            context.call_on_fit_task_begin(estimator=estimator, X=X, y=y)

            def tell(record):
                epoch = context.subcontext(task_name="epoch")
                epoch.call_on_fit_task_begin(estimator=estimator, X=X, y=y)
                # True asks for the end of the fit.
                return not epoch.call_on_fit_task_end(estimator=estimator, X=X, y=y)

            calls.append(tell)
            stack.callback(context.call_on_fit_task_end, estimator=estimator, X=X, y=y)
        if len(calls) < 2:
            yield calls[0] if calls else None
        else:
            # All are asked, whatever the others answer.
            yield lambda record: all([answer is None or bool(answer) for answer in [call(record) for call in calls]])


def _line(estimator, record):
    numbers = {name: record.get(name) for name in ("objective", "metric") if record.get(name) is not None}
    metric = numbers.get("metric")
    if isinstance(metric, dict):
        numbers.pop("metric")
        # The last epoch is measured in any case.
        every = getattr(estimator, "evaluate_every", None)
        if every is None or every > 0 and record["epoch"] % every == 0:
            numbers[metric["name"]] = metric["value"]
    said = "".join(f", {name} {value:.6g}" for name, value in numbers.items() if isinstance(value, (int, float)))
    return f"{type(estimator).__name__}: epoch {record['epoch']}{said}"
