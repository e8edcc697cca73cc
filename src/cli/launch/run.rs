//! `raddle launch`: starts the processes of a run, coordinates them, and starts them again after a loss.

use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use raddle::cluster::{AdminClient, CoordinatorSettings, Ended, RunEvent, Server};
use raddle::command_line_support::{Address, Addresses, lock};
use raddle::has_checkpoint;

use super::away::{Away, SshSettings};
use super::children::{Children, Start};
use super::hosts::Host;
use super::losses::Losses;
use super::metrics;
use super::options::{Launch, check_addresses};
use super::program;
use super::room::{Kept, Room};
use super::token_file::read_token;
use crate::exit::{Error, ExitStatus};
use crate::options::{earlier, was_begun};
use crate::run_folder::folder::Earlier;
use crate::session::NEXT_VERSION;

/// Timeout for processes that are done to end.
const PARTING: Duration = Duration::from_secs(10);
/// Timeout for a process to report why it failed.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// The program that is launched, and the folder that it writes to.
struct LaunchPlan {
    program: PathBuf,
    arguments: Vec<String>,
    out: Option<PathBuf>,
    resume: Option<PathBuf>,
    earlier: Earlier,
}

impl LaunchPlan {
    fn of(options: &Launch) -> Result<Self, Error> {
        let mut line = options.line.clone();
        if let Some(run) = options.resume_or_begin.as_deref()
            && program::value(&line, "--out").is_none()
        {
            line.extend(["--out".to_owned(), run.display().to_string()]);
        }
        if let Some(run) = options.resume.as_deref().or(options.resume_or_begin.as_deref()) {
            if line.is_empty() {
                line.push(program::begun(run)?);
            }
            let given = program::value(&line, "--resume");
            if given.is_some_and(|given| Path::new(given) != run) {
                let why = "give the run to continue once, before the -- or after it";
                return Err(Error::usage(format!("--resume {}: {why}", run.display())));
            }
            // One line starts a run and continues it: if no run was started in the folder, as when a launcher
            // died early, the line starts it.
            let out = program::value(&line, "--out").map(Path::new);
            let begins = !was_begun(run) && out.is_some_and(|out| absolute(out) == absolute(run));
            if given.is_none() && !begins {
                line.extend(["--resume".to_owned(), run.display().to_string()]);
            }
        }
        let (name, arguments) = line.split_first().ok_or_else(|| Error::usage("name a program after --"))?;
        program::check(arguments)?;
        let resume = program::value(arguments, "--resume").map(PathBuf::from);
        let out = program::value(arguments, "--out").map(PathBuf::from).or_else(|| resume.clone());
        if let Some(run) = resume.as_deref().filter(|run| !was_begun(run)) {
            return Err(program::nothing_begun(run));
        }
        let force = arguments.iter().any(|word| word == "--force");
        let earlier = earlier(resume.as_deref(), out.as_deref(), force);
        Ok(Self { program: program::find(name)?, arguments: arguments.to_vec(), out, resume, earlier })
    }

    /// Refuses lines whose run cannot be held.
    fn check_held(&self, processes: usize) -> Result<(), Error> {
        let why = if processes != 1 {
            "a held run is one process, whose workers its holder sets: leave out --processes"
        } else if self.out.is_none() {
            "its holder finds a run by its folder: give PROGRAM --out"
        } else if program::is_given(&self.arguments, "--rescale") {
            "the holder of the run sets its workers: leave out --rescale"
        } else {
            return Ok(());
        };
        Err(Error::usage(format!("--held: {why}")))
    }
}

/// Returns a form of a path that is equal for two paths to the same place, even if nothing is there yet.
fn absolute(path: &Path) -> PathBuf {
    // A path that has no absolute form is compared as it is.
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Starts the processes and coordinates them, again after each loss; returns the exit status of the run.
pub(super) fn launch(options: &Launch) -> Result<u8, Error> {
    let Launch { processes, workers, listen, advertise, encryption, balance, deadline, held, .. } = options;
    let encryption = encryption.chosen();
    let plan = LaunchPlan::of(options)?;
    if *held {
        plan.check_held(*processes)?;
    }
    if *processes == 0 && program::is_given(&plan.arguments, "--changes") {
        let why = "versions of the data need processes of the launcher's own: give --processes 1, or more";
        return Err(Error::usage(format!("--processes 0: {why}")));
    }
    check_addresses(Addresses { listen: Some(*listen), advertise: *advertise, encryption })?;
    let hosts = options.hosts.as_deref().map(Host::read).transpose()?.unwrap_or_default();
    let all = options.wait_for.unwrap_or(if hosts.is_empty() { 0 } else { processes + hosts.len() });
    let kept = plan.resume.as_deref().map(Kept::of).unwrap_or_default();
    let token = options.token_file.as_deref().map(read_token).transpose()?.or(kept.token);
    let mut room = Room::open(plan.out.as_deref(), plan.earlier)?;
    let mut line = vec![plan.program.display().to_string()];
    line.extend(plan.arguments.iter().cloned());
    let settings = CoordinatorSettings {
        listen: listen.ip,
        port: listen.port.unwrap_or(0),
        balance: *balance,
        argv: line,
        folder: room.path().map(Path::to_owned),
        resume: plan.resume.as_ref().map(|run| run.join("checkpoint")),
        deadline: *deadline,
        wait_for: (all as u32, Duration::try_from_secs_f64(options.wait).unwrap_or(Duration::MAX)),
        token,
        encryption,
        held: *held,
        ..CoordinatorSettings::new(*processes as u32, *workers as u32)
    };
    let mut server = open_again(&settings, kept.address)?;
    let children = Arc::new(Mutex::new(Children::default()));
    let begun = Arc::new(AtomicBool::new(false));
    on_interrupt(server.remote(), Arc::clone(&children), Arc::clone(&begun));
    on_user_signal(server.remote(), room.path().is_some());
    if let Some(at) = options.metrics {
        let at = metrics::serve(at, AdminClient::new(server.invitation().clone()))?;
        note(&format!("serves metrics at http://{at}/metrics"));
    }
    let told = advertise.unwrap_or(*listen).or_port(server.address().port());
    if let Some(folder) = room.path().filter(|_| !told.ip().is_loopback()) {
        let (address, token) = (told, folder.join("token"));
        note(&format!("listens at {address}: raddle join HOST:PORT --token-file {}", token.display()));
    }
    // Only the coordinator has a port that is named; processes started here listen at its address.
    let everywhere = Some(listen.without_port()).filter(|address| address.ip.is_unspecified());
    let addresses =
        Addresses { listen: everywhere, advertise: advertise.map(Address::without_port), encryption };
    room.watch(server.remote());
    let way = SshSettings {
        ssh: options.way(),
        arguments: options.of_joiners(),
        address: told.to_string(),
        token: server.invitation().token,
        wait: settings.wait_for.1,
        deadline: *deadline,
        needed: all,
    };
    // After the processes here: if those cannot start, none is started elsewhere.
    let (mut waiting, mut away) = (Some((hosts, way)), None);
    let mut losses = Losses::default();
    loop {
        start(&plan, &room, &server, &children, (*workers as u32, addresses))?;
        if let Some((hosts, way)) = waiting.take() {
            away = Some(Away::start(hosts, *processes, way, &server.remote())?);
        }
        let ended = server.run(|event| match event {
            RunEvent::Note(text) => note(text),
            RunEvent::Begun(generation) => {
                begun.store(true, Ordering::Release);
                losses.begun(generation).iter().for_each(|text| note(text));
            }
        });
        if ended.code == NEXT_VERSION && ended.why.is_none() {
            *lock(&children) = Children::default();
            room.recover()?;
            // The epochs of the run are counted from the start.
            losses = Losses::default();
            server.again()?;
            continue;
        }
        if !ended.lost {
            let code = end(&mut lock(&children), &ended);
            // If nothing has started, there is nothing to end.
            if ended.why.is_none() && begun.load(Ordering::Acquire) {
                away.iter_mut().for_each(|away| away.end(PARTING));
            }
            if [ExitStatus::Failed, ExitStatus::Interrupted].iter().all(|status| status.code() != code) {
                room.is_done();
            }
            if code == ExitStatus::Failed.code()
                && let Some(run) = room.path().filter(|run| has_checkpoint(run.join("checkpoint")))
            {
                let go_on = format!("continue with raddle launch --resume {}", run.display());
                note(&format!("the run is kept as of its last checkpoint: when the cause is gone, {go_on}"));
            }
            return Ok(code);
        }
        let lost = Instant::now();
        let why = said_by(&mut lock(&children), &ended);
        *lock(&children) = Children::default();
        room.recover()?;
        if ended.left {
            note(&format!("{why}: the run begins with the others"));
        } else if losses.count(&why, server.epoch(), lost).is_some() {
            note(&format!("{why}: {}", losses.what_next(&settings)));
            std::thread::sleep(losses.pause());
        } else {
            let why = losses.too_many(room.path());
            super::super::exit::print_error("raddle", &Error::failed(why));
            return Ok(ExitStatus::Failed.code());
        }
        server.again()?;
    }
}

/// Opens the server of a run. If no port is given, that of an earlier launcher is used if it is free, as
/// processes on other machines look for the run there.
fn open_again(settings: &CoordinatorSettings, before: Option<SocketAddr>) -> Result<Server, Error> {
    let is_here = |ip| ip == settings.listen || settings.listen.is_unspecified();
    let same = before.filter(|before| settings.port == 0 && is_here(before.ip()));
    let same = same.and_then(|before| {
        Server::open(&CoordinatorSettings { port: before.port(), ..settings.clone() }).ok()
    });
    same.map_or_else(|| Ok(Server::open(settings)?), Ok)
}

/// Starts the processes of an attempt.
fn start(
    plan: &LaunchPlan,
    room: &Room,
    server: &Server,
    children: &Mutex<Children>,
    (workers, addresses): (u32, Addresses),
) -> Result<(), Error> {
    let file = room.invite(server.invitation(), server.proof())?;
    let remote = server.remote();
    for _ in 0..server.processes() {
        let start = Start {
            program: &plan.program,
            arguments: &plan.arguments,
            invitation: server.invitation(),
            file: &file,
            workers,
            again: server.has_begun(),
            alone: server.processes() == 1,
            addresses,
        };
        let started = lock(children).start(&start, &remote);
        let tied = started
            .and_then(|parent_link| parent_link.map_or(Ok(()), |parent_link| server.take(parent_link)));
        tied.map_err(|why| Error::failed(format!("{}: cannot be started: {why}", plan.program.display())))?;
    }
    Ok(())
}

/// Ends the processes, and returns which one was lost and why; the messages of that one go to the screen.
fn said_by(children: &mut Children, Ended { who, why, .. }: &Ended) -> String {
    let whose = whose(children, *who);
    children.kill();
    let (_, err) = children.output(*who);
    // No reader is left if stderr is closed.
    let _ = io::stderr().write_all(&err);
    format!("{}{whose}", why.as_deref().unwrap_or("a process is lost"))
}

/// Returns the process id of a process, as a remark.
fn whose(children: &Children, who: u32) -> String {
    children.pid(who).map_or(String::new(), |pid| format!(" (process {who} was {pid} to the system)"))
}

/// Waits for the processes, passes on the output of the first one, and reports the failure, if there was one.
fn end(children: &mut Children, ended: &Ended) -> u8 {
    let Ended { who, code, why, .. } = ended;
    let timeout = if why.is_some() { LAST_WORDS } else { Duration::ZERO };
    // If the run is interrupted before it has started, no process has a message.
    if children.wait_for(*who, timeout) && why.is_none() {
        children.wait(PARTING);
    }
    let whose = whose(children, *who);
    children.kill();
    let (out, err) = children.output(*who);
    // No reader is left if they are closed.
    let _ = io::stdout().write_all(&out).and_then(|()| io::stdout().flush());
    let _ = io::stderr().write_all(&err);
    if let Some(why) = why {
        super::super::exit::print_error("raddle", &Error::failed(format!("{why}{whose}")));
    }
    u8::try_from(*code).unwrap_or(ExitStatus::Failed.code())
}

fn note(text: &str) {
    // No reader is left if stderr is closed.
    let _ = writeln!(io::stderr(), "raddle: {text}");
}

/// Handles Ctrl-C. The first one ends the run at its next boundary, or at the last one if the next is far.
/// The second one ends the run at once, and so does the first one before the run has started.
fn on_interrupt(remote: raddle::cluster::Remote, children: Arc<Mutex<Children>>, begun: Arc<AtomicBool>) {
    let mut pressed = false;
    // If the handler cannot be installed, Ctrl-C kills the launcher, and the processes notice that it is
    // gone.
    let _ = ctrlc::set_handler(move || {
        if std::mem::replace(&mut pressed, true) {
            note("interrupted again: the run ends at once, and its last epochs are not written");
            if let Ok(children) = children.try_lock() {
                children.kill();
            }
            std::process::exit(ExitStatus::Interrupted.code().into());
        }
        note(match begun.load(Ordering::Acquire) {
            true => {
                "interrupted: the run ends after this epoch, or cancels it if it takes long, and writes its \
                 model; Ctrl-C again ends the process at once"
            }
            false => "interrupted: the run has not started, and ends at once",
        });
        remote.stop();
    });
}

/// Handles SIGUSR1, which asks for a checkpoint of the next boundary, as a job scheduler does before it takes
/// a machine back.
#[cfg(unix)]
fn on_user_signal(remote: raddle::cluster::Remote, has_folder: bool) {
    use signal_hook::consts::SIGUSR1;
    use signal_hook::iterator::Signals;

    // If the handler cannot be installed, the signal has the system's effect.
    let Ok(mut signals) = Signals::new([SIGUSR1]) else { return };
    let hear = move || {
        for _ in signals.forever() {
            if has_folder {
                note("asked for a checkpoint: it is written after this epoch");
                remote.checkpoint();
            } else {
                note("asked for a checkpoint, and the run has no folder for it: give PROGRAM --out");
            }
        }
    };
    // Without a thread for it, the signal has no effect.
    let _ = std::thread::Builder::new().name("raddle:signals".into()).spawn(hear);
}

#[cfg(not(unix))]
fn on_user_signal(_: raddle::cluster::Remote, _: bool) {}
