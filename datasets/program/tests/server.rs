//! A server on loopback that does what a test says.

// Plays another machine; no data are parsed here.
#![allow(clippy::disallowed_methods)]

use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};

use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) path: String,
    /// First byte that is requested.
    pub(crate) from: u64,
    /// Tag that the file must still have.
    pub(crate) tag: Option<String>,
}

/// An answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reply {
    /// Status line and headers, without the empty line; empty for silence.
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
    /// `true` to hold the connection after the answer until the server is dropped or released.
    pub(crate) holds: bool,
}

impl Reply {
    pub(crate) fn status(status: &str) -> Self {
        Self { head: format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n"), ..Self::default() }
    }

    pub(crate) fn moved(to: &str) -> Self {
        Self {
            head: format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\n"),
            ..Self::default()
        }
    }

    /// Answers with a file and its tag, up to byte `sent`.
    pub(crate) fn file(request: &Request, bytes: &[u8], tag: &str, sent: usize) -> Self {
        let total = bytes.len();
        let from = match &request.tag {
            Some(asked) if asked == tag => request.from as usize,
            _ => 0,
        };
        let status = if from > 0 { "206 Partial Content" } else { "200 OK" };
        let length = total - from;
        let mut head = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nETag: {tag}\r\n");
        if from > 0 {
            head.push_str(&format!("Content-Range: bytes {from}-{}/{total}\r\n", total - 1));
        }
        Self { head, body: bytes[from..sent.max(from)].to_vec(), holds: false }
    }
}

type Answer = dyn Fn(&Request, usize) -> Reply + Send + Sync;

struct State {
    answer: Mutex<Arc<Answer>>,
    asked: Mutex<Vec<Request>>,
    has_asked: Condvar,
    released: Mutex<bool>,
    has_released: Condvar,
    sent: Mutex<usize>,
    is_over: AtomicBool,
    tls: Option<Arc<ServerConfig>>,
}

/// The server; it is stopped when it is dropped.
pub(crate) struct Server {
    port: u16,
    state: Arc<State>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts a server that answers request `n`, from 0, with `answer(request, n)`.
    pub(crate) fn new(answer: impl Fn(&Request, usize) -> Reply + Send + Sync + 'static) -> Self {
        Self::with(None, answer)
    }

    /// A server of https with this certificate.
    pub(crate) fn secure(
        certificate: &'static [u8],
        answer: impl Fn(&Request, usize) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let key = PrivateKeyDer::try_from(include_bytes!("certificates/key.der").as_slice()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config =
            ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        let config = config.with_no_client_auth();
        let config = config.with_single_cert(vec![CertificateDer::from(certificate)], key).unwrap();
        Self::with(Some(Arc::new(config)), answer)
    }

    /// Starts a server that has this file, complete.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let bytes = bytes.to_vec();
        Self::new(move |request, _| Reply::file(request, &bytes, "\"a\"", bytes.len()))
    }

    fn with(
        tls: Option<Arc<ServerConfig>>,
        answer: impl Fn(&Request, usize) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(State {
            answer: Mutex::new(Arc::new(answer)),
            asked: Mutex::default(),
            has_asked: Condvar::new(),
            released: Mutex::new(false),
            has_released: Condvar::new(),
            sent: Mutex::new(0),
            is_over: AtomicBool::new(false),
            tls,
        });
        let of_thread = Arc::clone(&state);
        let thread = thread::spawn(move || {
            let mut connections = Vec::new();
            for stream in listener.incoming() {
                if of_thread.is_over.load(Ordering::SeqCst) {
                    break;
                }
                let (stream, state) = (stream.unwrap(), Arc::clone(&of_thread));
                connections.push(thread::spawn(move || state.connection(stream)));
            }
            connections.into_iter().for_each(|connection| connection.join().unwrap());
        });
        Self { port, state, thread: Some(thread) }
    }

    /// The address of a file.
    pub(crate) fn address(&self, path: &str) -> String {
        let scheme = if self.state.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://127.0.0.1:{}/{path}", self.port)
    }

    /// Changes the answer from now on.
    pub(crate) fn now(&self, answer: impl Fn(&Request, usize) -> Reply + Send + Sync + 'static) {
        *self.state.answer.lock().unwrap() = Arc::new(answer);
    }

    /// Returns the requests so far.
    pub(crate) fn asked(&self) -> Vec<Request> {
        self.state.asked.lock().unwrap().clone()
    }

    /// Returns the bytes of bodies that were sent so far.
    pub(crate) fn sent(&self) -> usize {
        *self.state.sent.lock().unwrap()
    }

    /// Waits until this many requests have arrived.
    pub(crate) fn wait_for(&self, count: usize) {
        let asked = self.state.asked.lock().unwrap();
        drop(self.state.has_asked.wait_while(asked, |asked| asked.len() < count).unwrap());
    }

    /// Closes the connections that are held.
    pub(crate) fn release(&self) {
        *self.state.released.lock().unwrap() = true;
        self.state.has_released.notify_all();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.state.is_over.store(true, Ordering::SeqCst);
        self.release();
        drop(TcpStream::connect(("127.0.0.1", self.port)));
        let ended = self.thread.take().unwrap().join();
        assert!(ended.is_ok() || thread::panicking(), "the server of a test failed");
    }
}

impl State {
    fn connection(&self, stream: TcpStream) {
        // A client that closes the connection or does not trust the certificate is no failure of the server.
        let _ = match &self.tls {
            None => self.requests(stream),
            Some(config) => {
                self.requests(StreamOwned::new(ServerConnection::new(Arc::clone(config)).unwrap(), stream))
            }
        };
    }

    /// Answers one request, and ends the connection.
    fn requests(&self, stream: impl Read + Write) -> std::io::Result<()> {
        let mut stream = BufReader::new(stream);
        let mut request = Request { path: String::new(), from: 0, tag: None };
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line)? == 0 {
                return Ok(());
            }
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            if let Some(rest) = line.strip_prefix("GET ") {
                request.path = rest.split(' ').next().unwrap().trim_start_matches('/').into();
            }
            if let Some((name, value)) = line.split_once(": ") {
                match name.to_lowercase().as_str() {
                    "range" => {
                        let range = value.strip_prefix("bytes=").unwrap();
                        request.from = range.trim_end_matches('-').parse().unwrap();
                    }
                    "if-range" => request.tag = Some(value.into()),
                    _ => {}
                }
            }
        }
        let count = {
            let mut asked = self.asked.lock().unwrap();
            asked.push(request.clone());
            self.has_asked.notify_all();
            asked.len() - 1
        };
        let answer = Arc::clone(&self.answer.lock().unwrap());
        let reply = answer(&request, count);
        if !reply.head.is_empty() {
            let head = format!("{}Connection: close\r\n\r\n", reply.head);
            stream.get_mut().write_all(head.as_bytes())?;
            stream.get_mut().write_all(&reply.body)?;
            stream.get_mut().flush()?;
            *self.sent.lock().unwrap() += reply.body.len();
        }
        if reply.holds {
            let released = self.released.lock().unwrap();
            drop(self.has_released.wait_while(released, |released| !*released).unwrap());
        }
        Ok(())
    }
}
