//! Option names of other libraries, and the `mf` options that replace them.

use raddle_cli::ForeignWords;

/// The names.
pub(super) const FOREIGN: ForeignWords<'static> = ForeignWords {
    options: &[
        (
            "factors n-factors num-factors nfactors components n-components no-components k f dim dims \
             dimension dimensions latent latent-factors latent-dim embedding-dim embedding-size",
            "--rank",
        ),
        (
            "regularization regularisation reg-all reg-param l2 l2-reg lambda lam lambd weight-decay damping \
             lambda-p lambda-q reg-pu reg-qi user-reg item-reg",
            "--reg",
        ),
        (
            "alpha confidence",
            "--implicit {x}: an observed pair has weight 1 + {x} |value|, any other weight 1 (of implicit's \
             own alpha it is {x} |value|)",
        ),
        ("implicit-prefs implicit-feedback clicks binary", "--implicit"),
        ("learning-rate lr lr-all lrate eta eta0 step-size stepsize r", "--step"),
        ("algorithm algo method optimizer optimiser model-type", "--solver NAME: sgd, als or ccd"),
        ("als use-als", "--solver als"),
        ("sgd use-sgd", "--solver sgd"),
        (
            "bpr warp loss objective criterion",
            "[solver] the squared error is minimised, of clicks with confidences (--implicit): there is no \
             loss to choose",
        ),
        ("positive non-negative nonneg nmf", "--nonnegative"),
        ("use-cg cg cg-iterations cg-iters", "--cg-steps"),
        (
            "bias biased use-bias biases with-bias with-biases global-bias global-mean",
            "[no-biases] biases are fitted by default; --no-biases leaves them out",
        ),
        ("unbiased no-bias", "--no-biases"),
        ("init-std init-std-dev init-stdev init-sd init-scale-factor", "--init-scale"),
        ("num-blocks n-blocks num-item-blocks", "--blocks"),
        (
            "test-size test-fraction test-split holdout hold-out val-size validation-split \
             validation-fraction eval-set",
            "[validation] --validation {x} holds ratings out to end the fit, and --test (split, last:X, a \
             file) to measure it",
        ),
        (
            "early-stopping patience n-iter-no-change convergence",
            "[validation] the error of held-out ratings ends a fit by default (--validation)",
        ),
        (
            "tol tolerance epsilon eps stop-tol",
            "[target] the error of held-out ratings ends a fit (--validation); --target RMSE ends it where \
             it is reached",
        ),
        (
            "metric metrics scoring score eval-metric evaluate precision-at ndcg map",
            "[ranking] a fit says the RMSE of --validation and --test; --ranking K measures the lists, too",
        ),
        ("rmse target-rmse", "--target"),
        (
            "calculate-training-loss compute-loss training-loss",
            "[validation] trace.jsonl of --out DIR has each epoch's error",
        ),
        (
            "min-ratings min-interactions min-rating-count min-support min-user-count min-item-count kcore \
             k-core",
            "--min-count",
        ),
        (
            "user-col user-column item-col item-column rating-col rating-column timestamp-col time-column \
             userid-column label target-column y response rating-name user-item-columns names",
            "--columns user,item,rating,time, by name or by number",
        ),
        ("cv nfolds n-folds num-folds kfold k-fold kfolds n-splits fold", "--folds"),
        (
            "cv nfolds n-folds num-folds kfold k-fold kfolds n-splits fold folds",
            "[solver] `mf cv DATA --folds {x}` chooses rank and regularisation by cross-validation",
        ),
        (
            "param-grid grid search ranks regs",
            "[solver] `mf cv DATA --ranks 16,32 --regs 0.03,0.05` tries each of them",
        ),
        ("user userid user-id uid user-ids userids u", "--users {x}"),
        (
            "item itemid item-id iid item-ids itemids",
            "[items] the items stand behind the model: `mf similar MODEL {x}`",
        ),
        (
            "item itemid item-id iid item-ids itemids items candidates allow allow-items whitelist",
            "--only {x}, the items to choose among",
        ),
        ("filter-items exclude-items block-items blacklist remove-items", "--without"),
        (
            "filter-already-liked-items filter-seen exclude-seen remove-seen filter-viewed exclude-rated \
             seen",
            "[with-seen] what users have rated is left out by default; --with-seen lists it",
        ),
        (
            "filter-already-liked-items filter-seen exclude-seen remove-seen filter-viewed exclude-rated \
             seen train data",
            "--exclude DATA, to leave out what users have rated there",
        ),
        (
            "n topn top-n topk top-k k N num num-items n-items num-recommendations n-recommendations limit \
             count",
            "--top",
        ),
        (
            "recalculate-user recalculate-item user-items",
            "[model] `mf fold-in MODEL RATINGS` finds the factors of new users",
        ),
        ("skiprows skip-header use-native random", "[data] there is nothing to choose here: leave it out"),
    ],
    verbs: &[
        ("train fitting factorize factorise", "the verb is fit: `mf fit DATA`"),
        (
            "evaluate eval score test validate rmse",
            "`mf fit DATA --test split` measures a fit on ratings that it has not seen, with --ranking K its \
             lists, too; `mf predict MODEL DATA` says the error of a model on other ratings",
        ),
        (
            "tune search grid-search gridsearch cross-validate crossval cross-validation",
            "the verb is cv: `mf cv DATA`",
        ),
        (
            "recommend-all recommendations top topn rank top-n",
            "the verb is recommend: `mf recommend MODEL --top 10`",
        ),
        (
            "neighbors neighbours nearest similar-items similar-users most-similar knn",
            "the verb is similar: `mf similar MODEL ITEMS`",
        ),
        ("update partial-fit add add-users foldin fold", "the verb is fold-in: `mf fold-in MODEL RATINGS`"),
        ("transform apply infer", "`mf fold-in MODEL RATINGS` finds the factors of new users and items"),
    ],
    arguments: &[("recommend", "users are named by an option: --users {x}")],
};
