//! Option names of other libraries, and the `lasso` options that replace them.

use raddle_cli::ForeignWords;

/// The names.
pub(super) const FOREIGN: ForeignWords<'static> = ForeignWords {
    options: &[
        (
            "alpha",
            "[lambda] scikit-learn's alpha is --lambda {x} --no-standardize, glmnet's is --l1-ratio {x}",
        ),
        (
            "alpha",
            "[l1-ratio] glmnet's alpha is --l1-ratio {x}; scikit-learn's is a lambda, of which --points and \
             --ratio make many",
        ),
        (
            "lam lambd lambda1 lambda-1 lambda-value l1 l1-reg reg reg-param regularization regularisation \
             strength shrinkage",
            "--lambda",
        ),
        ("C c cost inverse-regularization", C),
        (
            "C c cost Cs cs",
            "[l1-ratio] C is 1 / (n lambda) for n rows: --points and --ratio make many lambdas",
        ),
        ("alphas lambdas lambda-path lambda-grid", "--lambdas"),
        (
            "alphas lambdas lambda-path lambda-grid",
            "[lambda] `lasso path` fits many lambdas, and `lasso cv` chooses one of them",
        ),
        ("n-alphas nlambda n-lambda n-lambdas num-lambdas num-alphas path-length", "--points"),
        (
            "n-alphas nlambda n-lambda n-lambdas num-lambdas num-alphas path-length points",
            "[lambda] `lasso path DATA --points {x}` fits so many lambdas, and `lasso cv` chooses one of \
             them",
        ),
        (
            "eps lambda-min-ratio lambda-ratio min-ratio",
            "[points] --ratio {1/x}, lambda_max over the last lambda",
        ),
        (
            "eps lambda-min-ratio lambda-ratio min-ratio",
            "[lambda] `lasso path DATA --ratio {1/x}` ends at lambda_max / {1/x}",
        ),
        ("cv nfolds n-folds num-folds k kfold k-fold kfolds n-splits fold", "--folds"),
        (
            "cv nfolds n-folds num-folds k kfold k-fold kfolds n-splits fold folds",
            "[tol] `lasso cv DATA --folds {x}` chooses lambda by cross-validation",
        ),
        ("scoring score metric metrics eval-metric type-measure criterion", "--measure"),
        (
            "scoring score metric metrics eval-metric type-measure criterion measure",
            "[tol] `lasso cv --measure NAME` chooses lambda by a measure; a fit reports R2 or the \
             explained deviance, with --test on other rows",
        ),
        ("foldid fold-id fold-ids fold-column group-column", "--fold-by"),
        (
            "one-se 1se se-rule lambda-1se",
            "--rule 1se, the largest lambda within a standard error of the best",
        ),
        (
            "penalty penalties",
            "[l1-ratio] --l1-ratio says it: 1 is the l1 penalty (the default), less an elastic net",
        ),
        (
            "elastic-net elasticnet enet mixing mix l1ratio l1-weight",
            "--l1-ratio A, the share of the l1 norm: an elastic net for 0 < A < 1",
        ),
        ("l1-ratios", "--l1-ratio, to which `lasso cv` takes several: 0.5,0.9,1"),
        (
            "l2 l2-reg lambda2 lambda-2 ridge",
            "[l1-ratio] --l1-ratio A gives |b|^2 / 2 the share 1 - A of lambda, with 0 < A <= 1",
        ),
        (
            "fit-intercept intercept add-intercept bias",
            "[no-intercept] an intercept is fitted by default; --no-intercept leaves it out",
        ),
        ("no-fit-intercept nointercept no-bias", "--no-intercept"),
        (
            "standardize standardise standardization scale scaling scaler standard-scaler normalize \
             normalise normalization",
            "[no-standardize] columns are standardised by default; --no-standardize leaves them as they are",
        ),
        ("no-standardise no-scale no-normalize", "--no-standardize"),
        (
            "family objective distribution link obj",
            "--loss NAME: squared (gaussian), logistic (binomial), multinomial or poisson",
        ),
        ("multi-class multiclass num-class", "--loss multinomial, which finds the classes in the response"),
        ("tolerance thresh threshold gap duality-gap dual-gap epsilon e rtol atol ftol gtol", "--tol"),
        (
            "label labels label-column label-col target target-column target-col response response-column \
             outcome dependent \
             y-column y-col ycol y-name class class-column",
            "--y",
        ),
        ("sample-weight sample-weights weight weight-column weights-column case-weights", "--weights"),
        (
            "class-weight class-weights",
            "[weights] --weights takes a column or a file with a weight for each row; `linear fit \
             --class-weights balanced` \
             weighs classes",
        ),
        ("offset-column base-margin init-score", "--offset"),
        ("exposure", "--offset, which takes the logarithm of an exposure"),
        ("positive non-negative nonneg positivity", "--nonnegative"),
        (
            "penalty-factor penalty-factors penalty-weights feature-weights adaptive",
            "--factors FILE, with lines `name factor`",
        ),
        (
            "lower-limits upper-limits lower-bounds upper-bounds lower upper limits",
            "--bounds FILE, with lines `name lower upper`",
        ),
        (
            "group-lasso grouped group",
            "--groups FILE, with lines `name group`, or --groups columns for the levels of each column",
        ),
        (
            "selection solver algorithm method optimizer optimiser",
            "--schedule NAME: working-set (the default), or rounds of coordinates: priority, shuffled or \
             cyclic",
        ),
        (
            "test-size test-fraction test-split holdout hold-out validation validation-split val-size \
             eval-set",
            "--test",
        ),
        ("train-size train-fraction train-split", "--test {1-x}, the share that is held out"),
        (
            "dfmax pmax max-features max-nonzeros n-nonzero-coefs nonzeros",
            "[tol] `lasso path` shows the number of nonzeros at each lambda; `lasso predict --point K` \
             takes the one with as many \
             as are wanted",
        ),
        (
            "lr learning-rate step step-size stepsize eta eta0 momentum",
            "[tol] there is no step size to choose: steps are exact",
        ),
        (
            "early-stopping patience n-iter-no-change",
            "[tol] a fit ends when its duality gap proves it: --tol says how near",
        ),
        (
            "dual precompute relax type-gaussian type-logistic intercept-scaling keep standardize-response \
             batch-size batch",
            "[tol] there is nothing to choose here: leave it out",
        ),
        (
            "predict-proba proba probability probabilities type prob",
            "[model] predictions of a logistic or multinomial model have their probabilities: leave it out",
        ),
        ("s lambda alpha lam", "--point K, the point of a path; path.tsv in its folder lists them"),
        ("newx new-data newdata", "[model] the data stand behind the model: `lasso predict MODEL {x}`"),
    ],
    verbs: &[
        ("train fitting", "the verb is fit: `lasso fit DATA`"),
        (
            "evaluate eval score test validate",
            "`lasso fit DATA --test 0.2` measures a fit on rows that it has not seen, and `lasso predict \
             MODEL DATA --y NAME` a \
             model on other data",
        ),
        ("transform apply infer inference classify", "the verb is predict: `lasso predict MODEL DATA`"),
        (
            "tune search grid-search gridsearch cross-validate crossval cross-validation cv.glmnet select",
            "the verb is cv: `lasso cv DATA`",
        ),
        ("lasso-path lars glmnet regularization-path", "the verb is path: `lasso path DATA`"),
        ("coef coefs coefficients show", "coef.tsv in the model's folder has the coefficients (--out DIR)"),
    ],
    arguments: &[],
};

const C: &str = "--lambda {1/x}/n for n rows: C weighs the sum of the losses, lambda the penalty beside their mean, C = 1 / (n lambda)";
