"""Support vector machines: `LinearSVC`."""

from raddle._common import refuse
from raddle.linear._classifier import Classifier

# As scikit-learn has them, and as the library.
LOSSES = {"squared_hinge": "squared-hinge", "hinge": "hinge"}


class LinearSVC(Classifier):
    """A linear support vector machine.

    Minimises ``|w|^2 / 2 + C * sum max(0, 1 - y x'w)^2``, or with the hinge the same sum without squares, where y is 1
    for rows of the class and -1 for the others.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses, above 0.
    loss : {"squared_hinge", "hinge"}, default="squared_hinge"
        Loss of a row.
    dual : bool or "auto", default="auto"
        Accepted without effect; False with the hinge is refused, as in scikit-learn.
    tol : float, default=1e-4
        Relative duality gap at which the fit ends.
    class_weight : dict or "balanced", default=None
        Factor of C for the rows of each class; "balanced" gives all classes the same total weight.
    fit_intercept : bool, default=True
        Whether to add a constant column, whose coefficient is penalised like the others.
    intercept_scaling : float or None, default=1
        Value of the constant column: the larger it is, the less the intercept is penalised. None leaves it without
        penalty, for the squared hinge.
    standardize : bool, default=False
        Whether to divide each column by its standard deviation before the fit, without centring; coefficients are
        reported for the original columns.
    random_state : int, RandomState, Generator or None, default=42
        Seed for the random orders of rows, or a state to draw it from. None draws another seed each time.
    max_iter : int, default=None
        Limit on the number of epochs, each of which is about a second's work.
    warm_start : bool, default=False
        Whether to start from the previous fit: from its dual values if there are as many rows, else from its
        coefficients.
    n_jobs : int, default=None
        Number of workers, -1 for all cores, which never changes the model.
    verbose : int, default=0
        Whether to print a line per epoch.

    Attributes
    ----------
    coef_ : array of shape (1, p), or (classes, p) for more than two classes
        The coefficients; for more than two classes, one row for each against the rest.
    intercept_ : array of shape (1,), or (classes,)
        The intercepts.
    classes_ : array of shape (classes,)
        The classes, in ascending order: with two classes, scores above 0 stand for the second.
    n_iter_ : int
        Number of epochs.
    relative_gap_ : float
        Relative duality gap (P - D) / P, which bounds the distance of the objective P from its minimum; for more than
        two classes the largest.
    relative_gaps_ : array of shape (1,), or (classes,)
        Relative duality gap of each row of `coef_`.
    dual_ : array of shape (n,), or (classes, n) for more than two classes
        Dual values that prove the gap: their objective is at most `relative_gap_` below that of the coefficients, which
        need not be ``(dual_ * y) @ X``.
    report_ : dict
        Report of the run, with counts and seconds.
    digest_ : str
        SHA-256 of the model, as the program `linear` prints it.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from raddle.linear import LinearSVC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LinearSVC(C=10.0, standardize=True).fit(X, y)
    >>> model.relative_gap_ <= 1e-4, bool(model.score(X, y) > 0.98)
    (True, True)
    """

    def __init__(
        self,
        C=1.0,
        *,
        loss="squared_hinge",
        dual="auto",
        tol=1e-4,
        class_weight=None,
        fit_intercept=True,
        intercept_scaling=1,
        standardize=False,
        random_state=42,
        max_iter=None,
        warm_start=False,
        n_jobs=None,
        verbose=0,
    ):
        super().__init__(
            C,
            tol=tol,
            class_weight=class_weight,
            fit_intercept=fit_intercept,
            intercept_scaling=intercept_scaling,
            standardize=standardize,
            random_state=random_state,
            max_iter=max_iter,
            warm_start=warm_start,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.loss = loss
        self.dual = dual

    def _loss_name(self):
        if not isinstance(self.loss, str) or self.loss not in LOSSES:
            refuse("loss", self.loss, f"it must be one of {', '.join(LOSSES)}")
        if self.loss == "hinge" and self.dual is False:
            raise ValueError("Unsupported set of arguments: penalty='l2', loss='hinge', dual=False: leave dual out")
        if self.loss == "hinge" and self.fit_intercept and self.intercept_scaling is None:
            refuse("intercept_scaling", None, "the hinge needs a number, as its dual values are found one at a time")
        return LOSSES[self.loss]
