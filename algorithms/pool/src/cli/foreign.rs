//! Names of options and verbs in other schedulers, with advice for users who type them.

use raddle_cli::ForeignWords;

/// Names of options and verbs in other schedulers, by the advice that `pool` gives.
pub(super) const FOREIGN: ForeignWords<'static> = ForeignWords {
    options: &[
        ("scheduler schedule scheduling-policy strategy algorithm queueing", "--policy"),
        ("max-jobs max-parallel max-concurrent concurrency parallelism max-running parallel-jobs", "--alive"),
        ("min-workers minimum min-size min-replicas min", "--least"),
        ("max-workers maximum max-size max-replicas max", "--most"),
        ("priority weight utility importance", "--value"),
        ("due by due-date time-limit time", "--deadline"),
        ("dependency depends-on depends dependencies afterok wait-for", "--after"),
        ("job-name jobname id", "--name"),
        ("timeout silence silence-timeout heartbeat", "--patience"),
        (
            "jobs job-file queue trace workload jobs-file",
            "[jobs] the file of jobs has no option: `pool {verb} {x} --out POOL`",
        ),
        ("pool dir directory", "[pool] the folder of the pool has no option: `pool {verb} {x}`"),
    ],
    verbs: &[
        ("submit enqueue sbatch qsub push create", "the verb is add: `pool add POOL -- PROGRAM ..`"),
        ("ls list ps queue squeue qstat jobs show top", "the verb is status: `pool status POOL`"),
        ("kill stop rm remove delete scancel qdel abort", "the verb is cancel: `pool cancel POOL JOB`"),
        ("start serve up begin launch", "the verb is run: `pool run JOBS --out POOL`"),
        ("resume continue restart", "`pool run --out POOL` goes on where the pool in this folder was left"),
        (
            "simulate sim simulation replay",
            "the simulator of policies is a program of its own: `cargo run -p raddle-pool-sim -- SPEC`, in the repository",
        ),
    ],
    arguments: &[("add", "the program and its arguments stand behind --: `pool add POOL -- {x} ..`")],
};
