//! Options and verbs of other launchers, and the answers of `raddle` to them.

use crate::options::foreign::ForeignWords;

/// The words of other launchers, and the answers.
pub(super) const FOREIGN: ForeignWords<'static> = ForeignWords {
    options: &[
        (
            "np n nproc nprocs nproc-per-node num-processes num-procs ranks ntasks tasks world-size replicas \
             c",
            "--processes",
        ),
        ("hostfile machinefile host-file machine-file nodefile nodes machines host H nodelist", "--hosts"),
        (
            "address addr host coordinator master connect server master-addr scheduler",
            "[address] the address has no option: `raddle join {x} --token-file FILE`",
        ),
        (
            "bind address addr host ip port master-addr master-port rdzv-endpoint coordinator-address \
             interface",
            "--listen ADDR[:PORT]",
        ),
        ("token secret authkey", "--token-file"),
        ("tls ssl secure encryption", "--encrypt"),
        ("insecure no-encrypt no-encryption no-tls unencrypted", "--plain"),
        ("rsh rsh-command ssh-command rsh-agent remote-shell", "--ssh"),
        ("min-processes min-nodes", "--wait-for"),
        ("heartbeat heartbeat-timeout monitor-timeout timeout", "--deadline"),
        ("wait-timeout start-timeout connect-timeout retry retries", "--wait"),
        (
            "max-restarts restarts auto-restart restart elastic",
            "[resume-or-begin] --resume-or-begin RUN continues a run, or starts it",
        ),
        ("metrics-port prometheus metrics-addr", "--metrics"),
        ("follow f watch-interval refresh", "--watch"),
        ("output o html file page", "--out"),
        ("out output o", "[processes] --out is an option of PROGRAM, after --"),
        ("run run-dir dir", "[run] the folder of the run has no option: `raddle {verb} {x}`"),
    ],
    verbs: &[
        (
            "exec start spawn mpirun mpiexec srun torchrun train submit",
            "the verb is launch: `raddle launch --processes 2 -- PROGRAM ..`",
        ),
        ("ps ls show info watch top stat inspect state", "the verb is status: `raddle status RUN`"),
        (
            "plot html page view dashboard compare",
            "the verb is report: `raddle report RUN.. --out page.html`",
        ),
        ("scale resize workers grow shrink", "the verb is rescale: `raddle rescale RUN WORKERS`"),
        ("connect attach worker agent", "the verb is join: `raddle join HOST:PORT --token-file FILE`"),
        ("keygen genkey keypair", "the verb is key: `raddle key NAME.key`"),
        ("dot graphviz draw topology", "the verb is graph: `raddle graph RUN`"),
        (
            "kill stop end quit abort",
            "Ctrl-C in its terminal or SIGTERM to the launcher ends a run, which keeps its model",
        ),
        (
            "resume continue restart",
            "`raddle launch --resume RUN` continues a launched run, `PROGRAM --resume RUN` any other",
        ),
        (
            "man completions completion complete",
            "the verb is generate: `raddle generate man|bash|fish|powershell|zsh DIR`",
        ),
    ],
    arguments: &[(
        "launch",
        "the program and its arguments stand behind --: `raddle launch --processes 2 -- {x} ..`",
    )],
};
