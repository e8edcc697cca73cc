//! `raddle launch`: starts the processes of a run, coordinates them, and starts them again after a loss.

use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use raddle::cluster::{AdminClient, CoordinatorSettings, Ended, RunEvent, Server};
use raddle::command_line_support::{Address, Addresses, lock};
use raddle::has_checkpoint;

use super::attempts::Attempts;
use super::away::{Away, SshSettings};
use super::children::{Children, Start};
use super::folder::{Kept, LaunchFolder};
use super::hosts::Host;
use super::lines::note;
use super::losses::Losses;
use super::metrics;
use super::options::{Launch, check_addresses};
use super::parties;
use super::plan::LaunchPlan;
use super::private_file::read_token;
use super::signals::{on_interrupt, on_user_signal};
use crate::exit::{Error, ExitStatus, print_error};
use crate::session::NEXT_VERSION;

/// Timeout for processes that are done to end.
const PARTING: Duration = Duration::from_secs(10);
/// Timeout for a process to report why it failed.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// A run that is launched: its coordinator, and its processes here and on other machines.
struct LaunchedRun<'a> {
    attempts: Attempts,
    losses: Losses,
    /// The processes of other machines; `None` until those here have been started.
    away: Option<Away>,
    children: Arc<Mutex<Children>>,
    /// `true` once a generation of the run has begun.
    has_begun: Arc<AtomicBool>,
    server: Server,
    settings: CoordinatorSettings,
    // Dropped after all that write to it.
    folder: LaunchFolder,
    plan: LaunchPlan,
    options: &'a Launch,
}

/// Starts the processes and coordinates them, again after each loss; returns the exit status of the run.
pub(super) fn launch(options: &Launch) -> Result<u8, Error> {
    let plan = LaunchPlan::of(options)?;
    plan.check(options)?;
    let (listen, advertise) = (Some(options.listen), options.advertise);
    check_addresses(Addresses { listen, advertise, encryption: options.encryption.chosen() })?;
    let hosts = options.hosts.as_deref().map(Host::read).transpose()?.unwrap_or_default();
    let mut run = LaunchedRun::open(options, plan, hosts.len())?;
    run.announce()?;
    let mut hosts = Some(hosts);
    loop {
        run.start()?;
        // After the processes here: if those cannot start, none is started elsewhere.
        if let Some(hosts) = hosts.take() {
            run.away = Some(Away::start(hosts, options.processes, run.ssh(), &run.server.remote())?);
        }
        let ended = run.coordinate();
        if ended.code == NEXT_VERSION && ended.why.is_none() {
            run.take_back()?;
            // The epochs of the run are counted from the start.
            run.losses = Losses::default();
        } else if !ended.lost {
            return Ok(run.end(&ended));
        } else if let Some(code) = run.lose(&ended)? {
            return Ok(code);
        }
        run.server.again()?;
    }
}

impl<'a> LaunchedRun<'a> {
    /// Listens for the processes, of which so many are started on other machines.
    fn open(options: &'a Launch, plan: LaunchPlan, hosts: usize) -> Result<Self, Error> {
        let Launch { processes, workers, listen, encryption, balance, deadline, held, .. } = options;
        let (keyring, schema) = parties::coordinator(options)?.unzip();
        let of_parties = keyring.as_ref().map_or(0, |keyring| keyring.parties() as usize);
        let all = options.wait_for.unwrap_or(if hosts == 0 { of_parties } else { processes + hosts });
        let kept = plan.resume.as_deref().map(Kept::of).unwrap_or_default();
        let token = options.token_file.as_deref().map(read_token).transpose()?.or(kept.token);
        let folder = LaunchFolder::open(plan.out.as_deref(), plan.earlier)?;
        let mut argv = vec![plan.program.display().to_string()];
        argv.extend(plan.arguments.iter().cloned());
        let settings = CoordinatorSettings {
            listen: listen.ip,
            port: listen.port.unwrap_or(0),
            balance: *balance,
            argv,
            folder: folder.path().map(Path::to_owned),
            resume: plan.resume.as_ref().map(|run| run.join("checkpoint")),
            deadline: *deadline,
            wait_for: (all as u32, Duration::try_from_secs_f64(options.wait).unwrap_or(Duration::MAX)),
            token,
            keyring,
            schema: schema.unwrap_or_default(),
            on_leave: options.on_leave,
            encryption: encryption.chosen(),
            held: *held,
            ..CoordinatorSettings::new(*processes as u32, *workers as u32)
        };
        Ok(Self {
            attempts: Attempts::new(folder.path(), plan.earlier),
            losses: Losses::default(),
            away: None,
            children: Arc::default(),
            has_begun: Arc::default(),
            server: open_again(&settings, kept.address)?,
            settings,
            folder,
            plan,
            options,
        })
    }

    /// Listens to signals, and says where processes and requests for metrics are to come.
    fn announce(&self) -> Result<(), Error> {
        on_interrupt(self.server.remote(), Arc::clone(&self.children), Arc::clone(&self.has_begun));
        on_user_signal(self.server.remote(), self.folder.path());
        if let Some(at) = self.options.metrics {
            let at = metrics::serve(at, AdminClient::new(self.server.invitation().clone()))?;
            note(&format!("serves metrics at http://{at}/metrics"));
        }
        let address = self.address();
        if self.settings.keyring.is_some() {
            let party = "--parties FILE --as NAME --key NAME.key --data DATA";
            note(&format!("listens at {address}: raddle join {address} {party}"));
        } else if let Some(folder) = self.folder.path().filter(|_| !address.ip().is_loopback()) {
            let token = folder.join("token");
            note(&format!("listens at {address}: raddle join HOST:PORT --token-file {}", token.display()));
        }
        self.folder.watch(self.server.remote());
        Ok(())
    }

    /// The address at which other machines find the run.
    fn address(&self) -> SocketAddr {
        self.options.advertise.unwrap_or(self.options.listen).or_port(self.server.address().port())
    }

    /// Settings for the processes of other machines.
    fn ssh(&self) -> SshSettings {
        SshSettings {
            ssh: self.options.way(),
            arguments: self.options.of_joiners(),
            address: self.address().to_string(),
            token: self.server.invitation().token,
            wait: self.settings.wait_for.1,
            deadline: self.options.deadline,
            needed: self.settings.wait_for.0 as usize,
        }
    }

    /// Starts the processes of an attempt here.
    fn start(&self) -> Result<(), Error> {
        let server = &self.server;
        let file = self.folder.invite(server.invitation(), server.proof())?;
        let remote = server.remote();
        let Launch { listen, advertise, encryption, .. } = self.options;
        // Only the coordinator has a port that is named; processes started here listen at its address.
        let everywhere = Some(listen.without_port()).filter(|address| address.ip.is_unspecified());
        let advertise = advertise.map(Address::without_port);
        let addresses = Addresses { listen: everywhere, advertise, encryption: encryption.chosen() };
        for _ in 0..server.processes() {
            let start = Start {
                program: &self.plan.program,
                arguments: &self.plan.arguments,
                invitation: server.invitation(),
                file: &file,
                workers: self.options.workers as u32,
                again: server.has_begun(),
                alone: server.processes() == 1,
                addresses,
            };
            let started = lock(&self.children).start(&start, &remote);
            let tied = started
                .and_then(|parent_link| parent_link.map_or(Ok(()), |parent_link| server.take(parent_link)));
            tied.map_err(|why| {
                Error::failed(format!("{}: cannot be started: {why}", self.plan.program.display()))
            })?;
        }
        Ok(())
    }

    /// Coordinates the processes until the attempt ends.
    fn coordinate(&mut self) -> Ended {
        let Self { server, has_begun, losses, attempts, .. } = self;
        server.run(|event| match event {
            RunEvent::Note(text) => note(text),
            RunEvent::Placed(generations) => attempts.placed(generations),
            RunEvent::Begun(generation) => {
                has_begun.store(true, Ordering::Release);
                losses.begun(generation).iter().for_each(|text| note(text));
            }
        })
    }

    /// Ends the processes of an attempt, so that the next one finds the folder as it was left.
    fn take_back(&self) -> Result<(), Error> {
        *lock(&self.children) = Children::default();
        self.folder.recover()
    }

    /// Ends the processes at the end of the run; returns its exit status.
    fn end(&mut self, ended: &Ended) -> u8 {
        let code = end(&mut lock(&self.children), ended);
        // If nothing has started, there is nothing to end.
        if ended.why.is_none() && self.has_begun.load(Ordering::Acquire) {
            self.away.iter_mut().for_each(|away| away.end(PARTING));
        }
        if [ExitStatus::Failed, ExitStatus::Interrupted].iter().all(|status| status.code() != code) {
            self.folder.is_done();
        }
        if code == ExitStatus::Failed.code()
            && let Some(run) = self.folder.path().filter(|run| has_checkpoint(run.join("checkpoint")))
        {
            let go_on = format!("continue with raddle launch --resume {}", run.display());
            note(&format!("the run is kept as of its last checkpoint: when the cause is gone, {go_on}"));
        }
        code
    }

    /// Counts a loss, and says how the run goes on; returns the exit status if it does not.
    fn lose(&mut self, ended: &Ended) -> Result<Option<u8>, Error> {
        let lost = Instant::now();
        let why = said_by(&mut lock(&self.children), ended);
        self.take_back()?;
        if ended.left {
            note(&format!("{why}: the run begins with the others"));
        } else if self.losses.count(&why, self.server.epoch(), lost).is_some()
            || self.settings.keyring.is_some()
        {
            // Parties begin again from the start: their epochs do not tell how far the run has come.
            note(&format!("{why}: {}", self.losses.what_next(&self.settings)));
            std::thread::sleep(self.losses.pause());
        } else {
            let why = self.losses.too_many(self.folder.path());
            print_error("raddle", &Error::failed(why));
            return Ok(Some(ExitStatus::Failed.code()));
        }
        Ok(None)
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
        print_error("raddle", &Error::failed(format!("{why}{whose}")));
    }
    u8::try_from(*code).unwrap_or(ExitStatus::Failed.code())
}
