//! Runs a fit on its own thread, while the calling thread waits without the interpreter's lock, checks for
//! signals and runs the callback.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use raddle::{Engine, EpochRecord, Program, RunReport, Stop};
use serde::Serialize;

use crate::error::panicked;

/// Longest time until a signal, such as Ctrl-C, is noticed.
const SIGNALS: Duration = Duration::from_millis(50);

/// A function that passes a record to the calling thread and returns its answer: `false` ends the fit.
type Ask = Arc<dyn Fn(&EpochRecord) -> bool + Send + Sync>;

/// The fit's connection to its caller.
pub(crate) struct Watch {
    stop: Stop,
    ask: Option<Ask>,
}

/// A message from the fit to the calling thread.
enum Message<T> {
    /// A record, with the channel for the answer.
    Record(Box<EpochRecord>, SyncSender<bool>),
    /// The result; an error if the fit panicked.
    Done(thread::Result<PyResult<T>>),
}

impl Watch {
    /// Lets the caller observe and end an engine. Each record waits for its answer, so that a fit that the
    /// callback ends always ends at that boundary.
    pub(crate) fn over<P: Program>(&self, engine: Engine<P>) -> Engine<P> {
        let engine = engine.stop(self.stop.clone());
        match &self.ask {
            None => engine,
            Some(ask) => {
                let (ask, stop) = (Arc::clone(ask), self.stop.clone());
                engine.observe(move |record| {
                    if !ask(record) {
                        stop.request();
                    }
                })
            }
        }
    }
}

/// Does `work` on its own thread. An exception of Ctrl-C or the callback is raised once the fit has ended: at
/// the next boundary or, if that is far, within the epoch. A callback that returns a false value other than
/// `None` ends the fit there without an exception.
///
/// # Errors
/// The errors of `work`, of signals and of the callback; `RuntimeError` if `work` panics.
pub(crate) fn carry_out<T: Send + 'static>(
    py: Python<'_>,
    callback: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Watch) -> PyResult<T> + Send,
) -> PyResult<T> {
    let (send, mut messages) = channel::<Message<T>>();
    let ask = callback.map(|_| asking(send.clone()));
    let watch = Watch { stop: Stop::default(), ask };
    let stop = watch.stop.clone();
    thread::scope(|scope| {
        let fit = move || {
            let done = catch_unwind(AssertUnwindSafe(|| work(&watch)));
            // The caller always waits for this message.
            let _ = send.send(Message::Done(done));
        };
        let thread = thread::Builder::new().name("raddle".into());
        thread.spawn_scoped(scope, fit).map_err(|why| {
            PyRuntimeError::new_err(format!("the thread of the fit cannot be started: {why}"))
        })?;
        let mut raised = None;
        loop {
            let (receiver, message) = py.detach(move || next(messages));
            messages = receiver;
            match message {
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(PyRuntimeError::new_err("the thread of the fit is gone"));
                }
                Ok(Message::Done(done)) => {
                    let done = done.unwrap_or_else(|panic| Err(panicked(&*panic)));
                    return raised.map_or(done, Err);
                }
                Ok(Message::Record(record, answer)) => {
                    let goes_on = match callback.filter(|_| raised.is_none()) {
                        Some(callback) => goes_on(callback, &record),
                        None => Ok(false),
                    };
                    // The fit waits for the answer.
                    let _ = answer.send(*goes_on.as_ref().unwrap_or(&false));
                    raised = raised.or(goes_on.err());
                }
            }
            if let Err(signal) = py.check_signals() {
                // A second signal makes the fit give up the current epoch at once.
                if raised.is_some() {
                    stop.request_now()
                } else {
                    stop.request()
                }
                raised = raised.or(Some(signal));
            }
        }
    })
}

/// Waits for the next message, at most [`SIGNALS`] long.
fn next<T>(messages: Receiver<T>) -> (Receiver<T>, Result<T, RecvTimeoutError>) {
    let message = messages.recv_timeout(SIGNALS);
    (messages, message)
}

/// Returns a function that asks the caller; the answer is `false` if the caller is gone.
fn asking<T: Send + 'static>(send: Sender<Message<T>>) -> Ask {
    Arc::new(move |record| {
        let (answer, answered) = sync_channel(1);
        let message = Message::Record(Box::new(record.clone()), answer);
        send.send(message).is_ok() && answered.recv().unwrap_or(false)
    })
}

/// Returns the callback's answer to a record.
fn goes_on(callback: &Bound<'_, PyAny>, record: &EpochRecord) -> PyResult<bool> {
    let answer = callback.call1((as_dict(callback.py(), record)?,))?;
    // By Python's truth value, as a comparison in numpy returns its own type of bool.
    Ok(answer.is_none() || answer.is_truthy()?)
}

/// Seconds of a fit: to copy the data, to prepare them, and to fit the model.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Seconds {
    pub(crate) read: f64,
    pub(crate) prepare: f64,
    pub(crate) fit: f64,
}

/// Returns the report of a fit as a dict, with `seconds` split as in the programs' reports.
pub(crate) fn report_as_dict<'py>(
    py: Python<'py>,
    report: &RunReport,
    seconds: Seconds,
) -> PyResult<Bound<'py, PyAny>> {
    let (report, apart) = (as_dict(py, report)?, PyDict::new(py));
    apart.set_item("read", seconds.read)?;
    apart.set_item("prepare", seconds.prepare)?;
    apart.set_item("fit", seconds.fit)?;
    report.set_item("seconds", apart)?;
    Ok(report)
}

/// Returns a record or a report as a dict with the names of the programs' files; a number that is not finite
/// becomes `None`.
pub(crate) fn as_dict<'py>(py: Python<'py>, record: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(record).map_err(|why| PyRuntimeError::new_err(why.to_string()))?;
    py.import("json")?.call_method1("loads", (text,))
}

/// Panics in a fit, for tests.
#[pyfunction]
pub(crate) fn panic_in_a_fit(py: Python<'_>) -> PyResult<()> {
    carry_out(py, None, |_| panic!("as it was told to"))
}
