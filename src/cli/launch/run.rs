//! `raddle launch`.

use std::io::{self, Write as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::children::Children;
use super::room::Room;
use super::{Launch, program};
use crate::cli::exit::{Error, ExitStatus};
use crate::cluster::{CoordinatorSettings, Ended, Server};

/// How long processes that are done may take to end.
const PARTING: Duration = Duration::from_secs(10);
/// How long one may take to say why it failed.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Starts the processes and coordinates them; gives the run's status.
pub(super) fn launch(options: &Launch) -> Result<u8, Error> {
    let Launch { processes, workers, listen, balance, line } = options;
    let (name, arguments) = line.split_first().ok_or_else(|| Error::usage("name a program behind --"))?;
    let path = program::find(name)?;
    program::check(arguments)?;
    if listen.is_unspecified() {
        let why = "name the address by which other machines reach this one";
        return Err(Error::usage(format!("--listen {listen}: {why}")));
    }
    let force = arguments.iter().any(|word| word == "--force");
    let room = Room::open(program::value(arguments, "--out"), force)?;
    let (processes, workers) = (*processes, *workers);
    let settings = CoordinatorSettings {
        listen: *listen,
        balance: *balance,
        line: line.clone(),
        ..CoordinatorSettings::new(processes as u32, workers as u32)
    };
    let server = Server::open(&settings)?;
    let invitation = room.invite(server.invitation())?;
    if !listen.is_loopback()
        && let Some(folder) = room.path()
    {
        let token = folder.join("token");
        note(&format!(
            "listens at {}: raddle join HOST:PORT --token-file {}",
            server.address(),
            token.display()
        ));
    }
    let remote = server.remote();
    let children = Arc::new(Mutex::new(Children::default()));
    on_interrupt(remote.clone(), Arc::clone(&children));
    for _ in 0..processes {
        let mut children = children.lock().unwrap_or_else(PoisonError::into_inner);
        let started = children.start((&path, arguments), &invitation, workers, &remote);
        started.map_err(|why| Error::failed(format!("{}: cannot be started: {why}", path.display())))?;
    }
    let ended = server.run(note);
    let mut children = children.lock().unwrap_or_else(PoisonError::into_inner);
    let status = end(&mut children, &ended);
    drop(room);
    Ok(status)
}

/// Waits for the processes, passes on what the first one said, and says what went wrong.
fn end(children: &mut Children, ended: &Ended) -> u8 {
    let Ended { who, code, why } = ended;
    let patience = if why.is_some() { LAST_WORDS } else { Duration::ZERO };
    // Where the run is interrupted before it has begun, nobody has anything to say.
    if children.wait_for(*who, patience) && why.is_none() {
        children.wait(PARTING);
    }
    let pid = children.pid(*who);
    children.kill();
    let (out, err) = children.said(*who);
    // Nobody is left to tell if they are closed.
    let _ = io::stdout().write_all(&out).and_then(|()| io::stdout().flush());
    let _ = io::stderr().write_all(&err);
    if let Some(why) = why {
        let whose = pid.map_or(String::new(), |pid| format!(" (process {who} was {pid} to the system)"));
        super::super::exit::tell("raddle", &Error::failed(format!("{why}{whose}")));
    }
    u8::try_from(*code).unwrap_or(ExitStatus::Failed.code())
}

fn note(text: &str) {
    // Nobody is left to tell if stderr is closed.
    let _ = writeln!(io::stderr(), "raddle: {text}");
}

/// The first Ctrl-C ends the run after the epoch under way, the second at once.
fn on_interrupt(remote: crate::cluster::Remote, children: Arc<Mutex<Children>>) {
    let mut pressed = false;
    // Where it cannot be installed Ctrl-C does what the system does; the processes notice that the launcher is gone.
    let _ = ctrlc::set_handler(move || {
        if std::mem::replace(&mut pressed, true) {
            note("interrupted again: the run ends at once, and its last epochs are not written");
            if let Ok(children) = children.try_lock() {
                children.kill();
            }
            std::process::exit(ExitStatus::Interrupted.code().into());
        }
        note("interrupted: the run ends after this epoch and writes its model; Ctrl-C again ends it at once");
        remote.stop();
    });
}
