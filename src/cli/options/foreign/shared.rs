//! Options of other libraries that mean the same in every program here.

use super::answer::Answers;

/// Names of scikit-learn, glmnet, LIBLINEAR, implicit, LIBMF, gensim, tomotopy, pandas and MPI, and of
/// command lines in general.
pub(super) const OPTIONS: Answers<'static> = &[
    (
        "iter iters iterations max-iter max-iters maxit maxiter max-iterations n-iter num-iter \
         num-iterations niter epoch n-epochs num-epochs max-epochs nr-epochs num-train-epochs passes \
         num-passes steps num-steps max-steps",
        "--epochs",
    ),
    ("random-state random-seed rng rng-seed set-seed seed-value randomseed", "--seed"),
    (
        "n-jobs njobs jobs j num-threads n-threads nthreads nthread threads thread num-workers n-workers \
         cores num-cores n-cores cpus ncpus parallel n-procs thread-count",
        "--workers",
    ),
    (
        "verbose v vv verbosity verb progress progress-bar progressbar show-progress trace-it debug log \
         loglevel log-level logging",
        "[quiet] progress is shown unless --quiet is given, and the report has the figures (--json)",
    ),
    ("silent no-progress no-verbose noverbose quietly", "--quiet"),
    (
        "data d input i in infile input-file input-data file f filename dataset data-file data-path datafile \
         train training train-file train-data train-set trainset training-data training-file training-set \
         corpus x",
        "[model] the model stands first, then the data, without options: `{program} {verb} MODEL {x}`\n\
         [data] the data follow the verb, without an option: `{program} {verb} {x}`",
    ),
    (
        "model m model-file model-path load load-model run pretrained",
        "[model] the model stands first, without an option: `{program} {verb} {x}`",
    ),
    (
        "model m model-file model-path load load-model pretrained warm-start warmstart start-from initial \
         init-model input-model",
        "[init] --init MODEL starts from the model of an earlier run, and --out DIR writes the new one",
    ),
    (
        "output out-dir outdir output-dir output-file outfile output-path output-folder output-model save \
         save-model save-dir save-path save-to model-dir model-out export write dest destination folder",
        "--out",
    ),
    ("resume-from resume-from-checkpoint continue restart restore", "--resume"),
    ("overwrite yes clobber", "--force"),
    (
        "checkpoint checkpoints checkpoint-interval checkpoint-freq save-every save-steps snapshot \
         snapshot-every",
        "--checkpoint-every",
    ),
    (
        "config configuration config-file params",
        "[init] options are given on the line; --resume RUN continues a run with its own options",
    ),
    (
        "gpu gpus cuda device use-gpu use-cuda accelerator",
        "[workers] everything is computed on the processor's cores: --workers N says on how many",
    ),
    ("time max-time timeout time-budget max-seconds max-runtime max-train-time", "--time-limit"),
    ("delimiter delim sep field-separator column-separator t", "--separator"),
    ("quotechar quote quote-char quoting", "--quotes"),
    ("dec decimal-mark", "--decimal"),
    ("thousands-separator", "--thousands"),
    ("charset", "--encoding"),
    ("noheader", "--no-header"),
    ("file-format filetype file-type input-format data-format", "--format"),
    (
        "na na-values na-string na-strings nan null-values missing-values handle-missing impute imputer \
         fillna fill-na na-action na-omit dropna",
        "--missing",
    ),
    ("use-cols usecols feature-columns features feature-names predictors x-columns", "--columns"),
    ("exclude ignore ignore-columns drop-columns drop-cols exclude-columns index-col", "--drop"),
    (
        "cat-features categorical-features categorical-columns categories one-hot dummies enum-columns",
        "--categorical",
    ),
    ("partitions num-partitions n-partitions num-shards n-shards", "--shards"),
    (
        "distributed cluster",
        "[init] several processes carry out one run by `raddle launch --processes P -- {program} {verb} ..`",
    ),
    ("dtype precision copy-x copy", "[data] there is nothing to choose here: leave it out"),
];
