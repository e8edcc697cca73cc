//! Options and verbs of other libraries, and the hints that `linear` gives for them.

use raddle_cli::ForeignWords;

/// The table of foreign words.
pub(super) const FOREIGN: ForeignWords<'static> = ForeignWords {
    options: &[
        ("c cost inverse-regularization penalty-parameter", "--C"),
        (
            "alpha l2-reg reg reg-param regularization regularisation lam lambd lambda2 strength \
             weight-decay l2",
            "--lambda",
        ),
        (
            "alpha l2-reg reg reg-param regularization regularisation lam lambd lambda2 strength \
             weight-decay l2 lambda",
            "[folds] C is 1 / (n lambda) for n rows: --C takes a range of values, 0.01:100, or a list",
        ),
        (
            "cs c-range c-grid c-values alphas lambdas",
            "[folds] --C takes a range of values, 0.01:100, or a list, 0.1,1,10",
        ),
        (
            "cs c-range c-grid c-values alphas lambdas",
            "[C] `linear cv DATA --C 0.01:100` chooses C by cross-validation",
        ),
        ("n-alphas n-cs nlambda n-lambdas num-lambdas", "--points"),
        (
            "n-alphas n-cs nlambda n-lambdas num-lambdas points",
            "[C] `linear cv DATA --C 0.01:100 --points {x}` tries so many values of C",
        ),
        ("cv nfolds n-folds num-folds k kfold k-fold kfolds n-splits fold v", "--folds"),
        (
            "cv nfolds n-folds num-folds k kfold k-fold kfolds n-splits fold v folds",
            "[C] `linear cv DATA --folds {x}` chooses C by cross-validation",
        ),
        ("scoring score metric metrics eval-metric criterion", "--measure"),
        (
            "scoring score metric metrics eval-metric criterion measure",
            "[C] `linear cv --measure NAME` chooses C by a measure; a fit says its accuracy and its duality \
             gap",
        ),
        ("group group-column group-by fold-by foldid", "--groups"),
        (
            "solver s",
            "[loss] --loss and the data say it: of LIBLINEAR's -s, 0 and 7 are --loss logistic, 1 and 2 \
             squared-hinge, 3 hinge; 5 and 6, with the l1 penalty, are `lasso fit --loss logistic`",
        ),
        (
            "family objective distribution obj type",
            "--loss NAME: squared-hinge (the default), hinge or logistic",
        ),
        (
            "penalty l1 l1-ratio elastic-net elasticnet",
            "[C] the penalty is |w|^2 / 2 (l2); `lasso fit --loss logistic --l1-ratio A` has the l1 penalty \
             and the elastic net",
        ),
        ("kernel gamma degree coef0", "[C] the classifiers are linear: there is no kernel"),
        (
            "dual shrinking selection algorithm method optimizer",
            "[C] solvers take turns by counted progress: leave it out",
        ),
        (
            "multi-class multiclass ovr one-vs-rest decision-function-shape num-class M",
            "[C] of more than two classes each is fitted against the rest: leave it out",
        ),
        (
            "fit-intercept intercept add-intercept",
            "[bias] a constant column is on by default; --bias 0 leaves it out",
        ),
        ("no-intercept no-fit-intercept no-bias R", "--bias 0"),
        ("intercept-scaling B", "--bias"),
        ("b", "[model] predictions of a logistic model have their probability: leave it out"),
        ("b", "--bias"),
        ("class-weight classweight wi", "--class-weights"),
        ("sample-weight sample-weights weight weight-column case-weights W", "--weights"),
        (
            "standardize standardise standardization scaling scaler standard-scaler normalize normalise \
             normalization",
            "--scale",
        ),
        ("no-standardize no-scale no-normalize", "[scale] columns are not scaled unless --scale is given"),
        (
            "tolerance thresh threshold gap duality-gap dual-gap epsilon eps e rtol atol ftol gtol stop-thr",
            "--tol",
        ),
        (
            "label labels label-column label-col target target-column target-col response response-column \
             outcome dependent y-column y-col ycol y-name class class-column",
            "--y",
        ),
        ("n m", "--workers"),
        (
            "test test-size test-fraction test-split holdout hold-out validation validation-split val-size \
             train-size",
            "[C] `linear cv` measures on rows that are held out, and `linear predict MODEL DATA --y NAME` on \
             other data",
        ),
        (
            "probability predict-proba proba probabilities prob",
            "[C] predictions of a model by --loss logistic have their probability",
        ),
        (
            "predict-proba proba probability probabilities prob",
            "[model] predictions of a logistic model have their probability: leave it out",
        ),
        ("p svr regression", "[C] classes alone are fitted; `lasso` fits numbers"),
        (
            "lr learning-rate step step-size stepsize eta eta0 momentum power-t",
            "[C] there is no step size to choose: steps are exact",
        ),
        (
            "early-stopping patience n-iter-no-change",
            "[C] a fit ends when its duality gap proves it: --tol says how near",
        ),
        ("shuffle average batch-size batch", "[C] there is nothing to choose here: leave it out"),
    ],
    verbs: &[
        ("train fitting", "the verb is fit: `linear fit DATA`"),
        (
            "evaluate eval score test validate",
            "`linear predict MODEL DATA --y NAME` measures a model on data, and `linear cv` on rows that are \
             held out",
        ),
        ("transform apply infer inference classify", "the verb is predict: `linear predict MODEL DATA`"),
        (
            "tune search grid-search gridsearch cross-validate crossval cross-validation select path",
            "the verb is cv: `linear cv DATA --C 0.01:100` tries a range of C",
        ),
        ("coef coefs coefficients show", "coef.tsv in the model's folder has the coefficients (--out DIR)"),
    ],
    arguments: &[],
};
