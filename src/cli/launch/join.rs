//! `raddle join`: one more process of a run, and its supervisor.

use std::fs;
use std::io::Write as _;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::path::Path;
use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use raddle::cluster::{AdminClient, Invitation, JoinGrant, Token};
use raddle::command_line_support::{Addresses, FILE, LOST, attach, lock};

use super::children::ended;
use super::folder::private_folder;
use super::options::{Join, check_addresses};
use super::parties::{Party, agree};
use super::private_file::read_token;
use super::program;
use super::surroundings;
use crate::environment::{BEGINS, PARTIES};
use crate::exit::{Error, ExitStatus};
use crate::session::SHARED;

/// Interval at which the process is polled for its end, and the launcher for being alive.
const POLL: Duration = Duration::from_millis(20);
const STATUS_EVERY: Duration = Duration::from_secs(1);
/// Limit of the time that counts between two polls.
const ABSENCE: Duration = Duration::from_millis(500);
/// A process that repeatedly ends sooner than this does not fit the run.
const SHORT: Duration = Duration::from_secs(5);
const MOST: usize = 3;

/// Asks for a place in the run, and starts its program as one more process; starts it again, in a new place,
/// if a loss has ended it.
pub(super) fn join(options: &Join) -> Result<u8, Error> {
    let Join { token_file, listen, advertise, encryption, .. } = options;
    let address = &surroundings::address(options.address.as_deref())?;
    let addresses = Addresses { listen: *listen, advertise: *advertise, encryption: encryption.chosen() };
    check_addresses(addresses)?;
    let mut party = Party::read(options)?;
    let by_input = token_file.as_ref().is_some_and(|file| file.as_os_str() == "-");
    let token = if by_input { Some(token_from_input()?) } else { None };
    let token_file = token_file.as_deref().filter(|_| !by_input);
    await_launcher(address, token_file, options.wait);
    let (token, address) = (token_file.map(read_token).transpose()?.or(token), resolve(address)?);
    let invitation = match (&party, token) {
        (Some((party, _)), _) => Invitation::to_party(address, party.keyring.clone()),
        (None, Some(token)) => Ok(Invitation::new(address, token, 0)),
        (None, None) => return Err(Error::usage("give --token-file, or --parties")),
    };
    let invitation = invitation.map_err(|why| Error::failed(format!("no random bytes: {why}")))?;
    let admin = AdminClient::new(invitation).encryption(addresses.encryption);
    if let Some((party, file)) = &mut party {
        party.accepted = admin.offer()?;
        agree(options, file, &party.accepted)?;
    }
    // Ctrl-C and SIGTERM are for the program, which leaves at the next boundary, even if they reach only this
    // process.
    let parent_link = ParentLink::default();
    let held = Arc::clone(&parent_link);
    let _ = ctrlc::set_handler(move || drop(lock(&held).take()));
    if by_input {
        leave_with_input(&parent_link)?;
    }
    let folder = private_folder()
        .map_err(|why| Error::failed(format!("no folder for what its process makes of the data: {why}")))?;
    let asks = Asks {
        admin: &admin,
        workers: options.workers.map(|workers| workers as u32),
        rank: surroundings::rank(),
        data: options.data.as_deref(),
        party: party.map(|(party, _)| party),
    };
    let status = take_part(&asks, &parent_link, options.deadline, &folder, addresses);
    // Best effort: the run has gone on without the file long ago.
    let _ = fs::remove_file(folder.join(FILE));
    let _ = fs::remove_dir_all(folder.join(SHARED));
    let _ = fs::remove_dir(&folder);
    status
}

/// Waits until a launcher listens at the address and its token file exists, at most this number of seconds.
/// What is missing then is reported by the caller, which needs both.
fn await_launcher(address: &str, token_file: Option<&Path>, seconds: f64) {
    let began = Instant::now();
    let is_there = || {
        let found = address.to_socket_addrs().ok().and_then(|mut found| found.next());
        token_file.is_none_or(Path::exists)
            && found.is_some_and(|at| TcpStream::connect_timeout(&at, STATUS_EVERY).is_ok())
    };
    while began.elapsed().as_secs_f64() < seconds && !is_there() {
        thread::sleep(POLL);
    }
}

/// The supervisor's end of the parent link to the process that it supervises. Once this end is closed, as at
/// the end of the supervisor, that process leaves the run.
type ParentLink = Arc<Mutex<Option<TcpStream>>>;

/// Reads the token from the first line of stdin.
fn token_from_input() -> Result<Token, Error> {
    let refuse = |why: &dyn std::fmt::Display| Error::usage(format!("--token-file -: {why}"));
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).map_err(|why| refuse(&why))?;
    Token::parse(line.trim()).ok_or_else(|| refuse(&"the standard input begins with no token of a run"))
}

/// Ends this process and the one that it supervises when stdin ends: the launcher that started this process
/// on this machine is gone, or the connection to it.
fn leave_with_input(parent_link: &ParentLink) -> Result<(), Error> {
    let held = Arc::clone(parent_link);
    let waiting = move || {
        let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
        INPUT_IS_OVER.store(true, Ordering::Release);
        drop(lock(&held).take());
    };
    let waits = thread::Builder::new().name("raddle:input".into()).spawn(waiting);
    waits.map(drop).map_err(|why| Error::failed(format!("no thread for the standard input: {why}")))
}

/// `true` once the stdin that brought the token has ended.
static INPUT_IS_OVER: AtomicBool = AtomicBool::new(false);

/// Requests of a process that joins a run (workers, rank), and settings of its own (the path of its data).
struct Asks<'a> {
    admin: &'a AdminClient,
    workers: Option<u32>,
    rank: Option<u32>,
    /// Path of the data on this machine.
    data: Option<&'a str>,
    /// The party that joins, if the run has parties.
    party: Option<Party>,
}

impl Asks<'_> {
    /// Asks for a place in the run, and returns it with the command line of a process here.
    fn join(&self) -> Result<JoinGrant, Error> {
        let mut place = self.admin.join(self.workers, self.rank)?;
        if let (Some(party), Some(data)) = (&self.party, self.data) {
            place.argv = party.line(&place.argv, data)?;
        } else if let Some(data) = self.data {
            match place.argv.get_mut(2).filter(|word| !word.starts_with('-')) {
                Some(word) => data.clone_into(word),
                None => {
                    let why = "the launcher's line has no DATA after its verb: start it as PROGRAM fit DATA";
                    return Err(Error::usage(format!("--data {data}: {why}")));
                }
            }
        }
        Ok(place)
    }
}

fn take_part(
    asks: &Asks<'_>,
    parent_link: &ParentLink,
    deadline: Duration,
    folder: &Path,
    addresses: Addresses,
) -> Result<u8, Error> {
    let (mut place, mut short) = (asks.join()?, 0);
    loop {
        let began = Instant::now();
        let (child, tied) = start(&place, asks.party.as_ref(), &folder.join(FILE), addresses)?;
        *lock(parent_link) = tied;
        let (code, crashed, how) = watch(child, asks.admin, deadline)?;
        // Best effort: a run that is over does not answer.
        let _ = asks.admin.exited(&place, code, crashed, &how);
        // A process that has lost the launcher or another process is not to blame.
        short = if began.elapsed() < SHORT && code != LOST { short + 1 } else { 0 };
        if !crashed || short == MOST || INPUT_IS_OVER.load(Ordering::Acquire) {
            return Ok(u8::try_from(code).unwrap_or(ExitStatus::Failed.code()));
        }
        // No reader is left if stderr is closed.
        let _ = writeln!(std::io::stderr(), "raddle: the process {how}, and joins again");
        place = join_again(asks, deadline)?;
    }
}

/// Joins again; the launcher may be busy ending the generation before.
fn join_again(asks: &Asks<'_>, deadline: Duration) -> Result<JoinGrant, Error> {
    let until = Instant::now() + deadline;
    loop {
        match asks.join() {
            Ok(place) => return Ok(place),
            Err(why) if Instant::now() >= until || INPUT_IS_OVER.load(Ordering::Acquire) => {
                return Err(Error::failed(why));
            }
            Err(_) => thread::sleep(POLL),
        }
    }
}

fn start(
    place: &JoinGrant,
    party: Option<&Party>,
    file: &Path,
    addresses: Addresses,
) -> Result<(Child, Option<TcpStream>), Error> {
    let JoinGrant { argv: line, index, workers, invitation, begins } = place;
    let (name, arguments) = line.split_first().ok_or_else(|| Error::failed("the run has no program"))?;
    let name = Path::new(name).file_name().unwrap_or_default().to_string_lossy();
    let path = program::find(&name)?;
    let refuse = |why| Error::failed(format!("{}: cannot be started: {why}", path.display()));
    let mut command = program::command(&path, arguments, file, *index, *workers, addresses);
    if *begins {
        command.env(BEGINS, "1");
    }
    if let Some(Party { file, .. }) = party {
        command.env(PARTIES, file);
    }
    let parent_link = attach(&mut command, invitation, file, false).map_err(refuse)?;
    let child = command.spawn().map_err(refuse)?;
    Ok((child, parent_link))
}

/// Waits for the process to end; ends it if the launcher does not answer for the deadline.
fn watch(mut child: Child, admin: &AdminClient, deadline: Duration) -> Result<(i32, bool, String), Error> {
    let (answered, over) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let (asker, heard, done) = (admin.clone(), Arc::clone(&answered), Arc::clone(&over));
    let asking = thread::spawn(move || {
        while !done.load(Ordering::Acquire) {
            if asker.status().is_ok() {
                heard.store(true, Ordering::Release);
            }
            thread::park_timeout(STATUS_EVERY);
        }
    });
    let (mut looked, mut unanswered) = (Instant::now(), Duration::ZERO);
    let ended = loop {
        // Time in which this process was itself stopped, as when its machine slept, does not count.
        let since = looked.elapsed().min(ABSENCE);
        looked = Instant::now();
        unanswered = if answered.swap(false, Ordering::AcqRel) { Duration::ZERO } else { unanswered + since };
        match child.try_wait() {
            Ok(Some(status)) => break Ok(ended(status)),
            Ok(None) if unanswered > deadline => {
                let _ = child.kill();
                let _ = child.wait();
                let why = format!("the launcher has not answered for {} s", deadline.as_secs_f64());
                break Err(Error::failed(why));
            }
            Ok(None) => thread::sleep(POLL),
            Err(why) => break Err(Error::failed(format!("the process cannot be waited for: {why}"))),
        }
    };
    over.store(true, Ordering::Release);
    asking.thread().unpark();
    ended
}

fn resolve(address: &str) -> Result<SocketAddr, Error> {
    let refuse = |why: &dyn std::fmt::Display| {
        Error::usage(format!("{address}: {why}; give the address that the launcher said, as HOST:PORT"))
    };
    let mut found = address.to_socket_addrs().map_err(|why| refuse(&why))?;
    found.next().ok_or_else(|| refuse(&"it names no machine"))
}
