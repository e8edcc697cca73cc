//! [`Cause`]: the reason that a machine has no process in the run, and whether a retry may help.

/// Exit status of the command on a machine that lacks the folder.
pub(super) const NO_FOLDER: i32 = 125;

/// Reason that a machine has no process in the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cause {
    /// The cause, and what to do about it.
    pub(super) what: &'static str,
    /// `true` if the cause stays until somebody acts.
    pub(super) is_lasting: bool,
}

/// Messages of an ssh that is refused.
const LOCKED: [&str; 4] = [
    "Permission denied",
    "Host key verification failed",
    "Too many authentication failures",
    "REMOTE HOST IDENTIFICATION HAS CHANGED",
];
/// Beginnings of lines by ssh itself, and by its end of a connection.
const BY_SSH: [&str; 6] = ["ssh: ", "ssh_", "kex_exchange", "Connection ", "Timeout, server", "client_loop"];
/// Statuses of a process that was asked to leave.
const ASKED: [i32; 2] = [130, 128 + 15];

/// Returns the cause of an end with this exit status, after these lines on stderr.
pub(super) fn cause(code: i32, said: &[String]) -> Cause {
    let has = |text: &str| said.iter().any(|line| line.contains(text));
    let last = said.iter().rev().map(|line| line.trim_start()).find(|line| !line.is_empty());
    let by_ssh = last.is_some_and(|line| BY_SSH.iter().any(|start| line.starts_with(start)));
    let lasting = |what| Cause { what, is_lasting: true };
    let passing = |what| Cause { what, is_lasting: false };
    match code {
        255 if LOCKED.iter().any(|text| has(text)) => lasting(
            "it asks for a password, or its key is not known: try the same ssh by hand, with a key that \
             needs none",
        ),
        255 if by_ssh => passing("it cannot be reached"),
        255 | 129.. if !ASKED.contains(&code) => {
            passing("its raddle join was killed, or the connection to it broke")
        }
        126 | 127 => lasting("raddle is not there: install the same build at the same path"),
        NO_FOLDER => lasting("it has no such folder: name the one to run in after its workers"),
        2 if has("another build") || has("of the protocol") => {
            lasting("it has another build: install the same one everywhere")
        }
        2 if has("does not hold this token") => {
            lasting("what it reaches at this address is another run: look at --listen and --advertise")
        }
        2 => lasting("raddle join refuses there"),
        code if ASKED.contains(&code) => lasting("its process was asked to leave"),
        _ => passing("raddle join has ended there"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_told_apart() {
        for (code, said, what, is_lasting) in [
            (255, "ssh: connect to host far port 22: No route to host", "cannot be reached", false),
            (
                255,
                "ssh: Could not resolve hostname far: Name or service not known",
                "cannot be reached",
                false,
            ),
            (255, "Connection to far closed by remote host.", "cannot be reached", false),
            (255, "Timeout, server far not responding.", "cannot be reached", false),
            (255, "me@far: Permission denied (publickey,password).", "asks for a password", true),
            (255, "Host key verification failed.", "asks for a password", true),
            // The status of ssh when the command that it runs is killed.
            (255, "epoch 3: perplexity 12.5", "was killed", false),
            (255, "", "was killed", false),
            (137, "", "was killed", false),
            (127, "sh: 1: exec: /opt/raddle: not found", "is not there", true),
            (NO_FOLDER, "sh: 1: cd: can't cd to /nowhere", "no such folder", true),
            (2, "raddle: it is another build of the program", "another build", true),
            (2, "raddle: it speaks version 6 of the protocol, this end 7", "another build", true),
            (2, "raddle: whoever answers there does not hold this token", "another run", true),
            (2, "lda: texts.txt: no such file", "refuses", true),
            (1, "raddle: the launcher has not answered for 10 s", "has ended there", false),
            (130, "", "asked to leave", true),
        ] {
            let found = cause(code, &[said.to_owned(), String::new()]);
            assert!(found.what.contains(what) && found.is_lasting == is_lasting, "{code} {said}: {found:?}");
        }
    }
}
