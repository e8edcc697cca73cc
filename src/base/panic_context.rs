//! [`PanicContext`]: the verb that a thread is running for a program, so that an error can say where it
//! happened.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Once;

use crate::cancel::is_cancellation;

/// The verb that a thread is running, for the message of a panic in it.
#[derive(Debug, Clone, Copy, Default)]
pub struct PanicContext {
    verb: &'static str,
    /// The object of the verb, such as shard 3.
    of: Option<(&'static str, u32)>,
    epoch: Option<u64>,
    round: Option<u64>,
}

thread_local! {
    static CURRENT: Cell<PanicContext> = const { Cell::new(PanicContext { verb: "", of: None, epoch: None, round: None }) };
    static MESSAGES: Cell<bool> = const { Cell::new(false) };
    /// Location at which the last panic of this thread began.
    static LAST_PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

impl PanicContext {
    /// Makes the context of a verb, without an object.
    pub fn verb(verb: &'static str) -> Self {
        Self { verb, ..Self::default() }
    }

    /// Returns the context of the next verb, on the same object.
    pub fn then(self, verb: &'static str) -> Self {
        Self { verb, ..self }
    }

    /// Sets the object, by its number.
    pub fn of(self, what: &'static str, number: u32) -> Self {
        Self { of: Some((what, number)), ..self }
    }

    /// Sets the epoch.
    pub fn epoch(self, epoch: u64) -> Self {
        Self { epoch: Some(epoch), ..self }
    }

    /// Sets the round.
    pub fn round(self, round: u64) -> Self {
        Self { round: Some(round), ..self }
    }

    /// Makes this the current verb of this thread.
    pub fn enter(self) {
        CURRENT.set(self);
    }
}

impl fmt::Display for PanicContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.verb)?;
        self.of.map_or(Ok(()), |(what, number)| write!(f, " of {what} {number}"))?;
        self.epoch.map_or(Ok(()), |epoch| write!(f, ", epoch {epoch}"))?;
        self.round.map_or(Ok(()), |round| write!(f, ", round {round}"))
    }
}

/// Notes that messages have arrived at this thread.
pub fn note_messages() {
    MESSAGES.set(true);
}

/// `true` if messages have arrived at this thread since the last call.
pub fn take_messages() -> bool {
    MESSAGES.replace(false)
}

/// Does work that may call a program or a schedule. A panic in it becomes an error with the current verb, the
/// place where the panic began, and its message.
pub fn guarded<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    watch_panics();
    CURRENT.set(PanicContext::default());
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| match is_cancellation(&*panic) {
        // A cancellation unwinds further, to the caller that expects it.
        true => resume_unwind(panic),
        false => Err(explain(&*panic)),
    })
}

/// Returns the text of a panic that was caught on this thread: its message, the place where it began, and the
/// current verb.
pub fn explain(panic: &(dyn Any + Send)) -> String {
    let said = panic.downcast_ref::<&str>().map(ToString::to_string);
    let said = said.or_else(|| panic.downcast_ref::<String>().cloned());
    let said = said.unwrap_or_else(|| "a panic without a message".into());
    let panic_context = CURRENT.get();
    let place = take_location().map_or(String::new(), |place| format!(" at {place}"));
    match panic_context.verb {
        "" => format!("a panic{place}: {said}"),
        _ => format!("{panic_context} panicked{place}: {said}"),
    }
}

/// Takes the location at which the last panic of this thread began, if it is known.
pub fn take_location() -> Option<String> {
    LAST_PANIC.take()
}

/// Records where a panic of another thread began, which continues in this one.
pub fn set_location(place: Option<String>) {
    LAST_PANIC.set(place);
}

/// Installs a panic hook that records where a panic began, as the payload does not contain that. The hook
/// that was there before is still called.
pub fn watch_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            // A thread that is ending cannot record it any more.
            let _ = LAST_PANIC.try_with(|last| last.replace(panic.location().map(ToString::to_string)));
            before(panic);
        }));
    });
}
