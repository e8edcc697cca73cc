//! The page that `raddle launch --metrics ADDR` serves: the status of the run in the text format of
//! Prometheus.
//!
//! Every request gets the same page, and its connection is closed afterwards: this is no general HTTP server.
//! A few clients are answered at the same time, each within a few seconds. A request whose `Host` names
//! another machine, as one sent by a page in a browser may do, is refused.

use std::fmt::Write as _;
use std::io::{self, Read as _, Write as _};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use raddle::cluster::{AdminClient, MemberStatus, RunStatus};

use crate::exit::Error;

/// Time that a client may take for its request and for reading the answer, in all.
const LONGEST: Duration = Duration::from_secs(5);
/// Limit of clients at the same time; others are closed at once.
const MOST_CLIENTS: usize = 16;
/// Pause after a connection could not be accepted.
const AGAIN: Duration = Duration::from_millis(10);
/// Size limit of a request, in bytes.
const MOST: usize = 8 << 10;

/// Serves the page at this address as long as the process runs; returns the address with its port.
///
/// # Errors
/// If the address is not one of loopback, as anybody who reaches it may read the page, or is taken.
pub(super) fn serve(at: SocketAddr, client: AdminClient) -> Result<SocketAddr, Error> {
    let refuse = |why: &dyn std::fmt::Display| Error::usage(format!("--metrics {at}: {why}"));
    if !at.ip().to_canonical().is_loopback() {
        return Err(refuse(&"everybody could read it: give an address of loopback, as 127.0.0.1:9400"));
    }
    let listener = TcpListener::bind(at).map_err(|why| refuse(&why))?;
    let address = listener.local_addr().map_err(|why| refuse(&why))?;
    let serving = thread::Builder::new().name("raddle:metrics".into()).spawn(move || {
        let clients = Arc::new(());
        for socket in listener.incoming() {
            // Such as no free file descriptor: some are freed within a moment.
            let Ok(socket) = socket else {
                thread::sleep(AGAIN);
                continue;
            };
            if Arc::strong_count(&clients) > MOST_CLIENTS {
                continue;
            }
            let (one, client) = (Arc::clone(&clients), client.clone());
            let answering = move || {
                // The client may be gone.
                let _ = answer(&socket, &client);
                drop(one);
            };
            // Without a thread for it the client gets no answer.
            let _ = thread::Builder::new().name("raddle:metrics".into()).spawn(answering);
        }
    });
    serving.map(|_| address).map_err(|why| refuse(&why))
}

/// Returns the time that is left to a client, for its next read or write.
fn left(until: Instant) -> io::Result<Option<Duration>> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(Some(left)) }
}

fn answer(mut socket: &TcpStream, client: &AdminClient) -> io::Result<()> {
    let until = Instant::now() + LONGEST;
    let (mut asked, mut some) = (Vec::new(), [0; 1024]);
    while !asked.windows(4).any(|end| end == b"\r\n\r\n") && asked.len() < MOST {
        socket.set_read_timeout(left(until)?)?;
        match socket.read(&mut some)? {
            0 => break,
            count => asked.extend_from_slice(&some[..count]),
        }
    }
    let (code, text) = if is_for_this_machine(&asked) {
        match client.status() {
            Ok(status) => ("200 OK", page(&status)),
            Err(why) => ("503 Service Unavailable", format!("# {why}\n")),
        }
    } else {
        let why = "# ask by an address of loopback or as localhost: this name is of another machine\n";
        ("421 Misdirected Request", why.to_owned())
    };
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    let length = text.len();
    let head = format!(
        "HTTP/1.1 {code}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    socket.set_write_timeout(left(until)?)?;
    socket.write_all((head + &text).as_bytes())
}

/// `true` if the request has one header `Host`, which names this machine, with or without a port.
fn is_for_this_machine(asked: &[u8]) -> bool {
    let text = String::from_utf8_lossy(asked);
    let mut hosts = text.lines().skip(1).take_while(|line| !line.is_empty()).filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("host").then(|| value.trim())
    });
    let (Some(host), None) = (hosts.next(), hosts.next()) else { return false };
    let is_port = |port: &str| port.parse::<u16>().is_ok();
    let name = match host.rsplit_once(':') {
        Some((name, port)) if is_port(port) => name,
        _ => host,
    };
    let name = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|ip| ip.to_canonical().is_loopback())
}

/// A value of a metric, with its labels.
type Sample = (String, f64);

/// Renders the status as lines of metrics, each with its name, its kind and its help.
fn page(status: &RunStatus) -> String {
    let one = |value: f64| vec![(String::new(), value)];
    let of_each = |value: &dyn Fn(&MemberStatus) -> f64| -> Vec<Sample> {
        let sample = |member: &MemberStatus| (labels(&[("process", &member.process)]), value(member));
        status.members.iter().map(sample).collect()
    };
    let measured = status.metric.iter().filter(|(_, value)| value.is_finite());
    let measured = measured.map(|(name, value)| (labels(&[("metric", name)]), *value)).collect();
    let states = status.members.iter().map(|member| {
        (labels(&[("process", &member.process), ("state", &member.state), ("address", &member.address)]), 1.0)
    });
    let metrics: [(&str, Vec<Sample>); 13] = [
        (
            "generation gauge Number of the current generation; 0 before the first.",
            one(status.generation as f64),
        ),
        ("epoch gauge Epochs completed.", one(status.epoch as f64)),
        ("seconds gauge Seconds since the run began, as of its last epoch.", one(status.seconds)),
        ("workers gauge Workers of the whole run.", one(f64::from(status.workers))),
        ("metric gauge The metric of the model as last measured.", measured),
        ("process_info gauge State and address of each process.", states.collect()),
        ("process_workers gauge Workers of each process.", of_each(&|member| f64::from(member.workers))),
        ("process_shards gauge Shards of each process.", of_each(&|member| f64::from(member.shards))),
        (
            "process_peak_memory_bytes gauge Peak memory of each process.",
            of_each(&|member| member.peak_memory_bytes as f64),
        ),
        (
            "losses_total counter Losses of processes, after each of which the run went on from its last \
             checkpoint.",
            one(status.losses as f64),
        ),
        (
            "refused_connections_total counter Connections that were turned away: without the token, or that do \
             not fit.",
            one(status.refused as f64),
        ),
        ("pauses_total counter Changes of the generation.", one(status.pauses.len() as f64)),
        ("pause_seconds_total counter Seconds between generations.", one(status.pauses.iter().sum())),
    ];
    let mut text = String::new();
    for (head, samples) in metrics {
        let mut words = head.splitn(3, ' ');
        let [name, kind, help] = [(); 3].map(|()| words.next().unwrap_or_default());
        // Writing to a string does not fail.
        let _ = write!(text, "# HELP raddle_{name} {help}\n# TYPE raddle_{name} {kind}\n");
        for (labels, value) in samples {
            let _ = writeln!(text, "raddle_{name}{labels} {value}");
        }
    }
    text
}

/// Renders the labels of a sample; backslashes, quotes and line ends in their values are escaped.
fn labels(all: &[(&str, &dyn ToString)]) -> String {
    let label = |(name, value): &(&str, &dyn ToString)| {
        let value = value.to_string().replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        format!("{name}=\"{value}\"")
    };
    format!("{{{}}}", all.iter().map(label).collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails so")]

    use super::*;
    use raddle::cluster::Invitation;

    #[test]
    fn a_page_has_a_line_of_each_sample_and_escapes_labels() {
        let member = |process, memory| MemberStatus {
            process,
            state: "running".into(),
            address: "127.0.0.1:5".into(),
            workers: 2,
            shards: 3,
            peak_memory_bytes: memory,
            machine: "x86_64-linux".into(),
        };
        let status = RunStatus {
            generation: 2,
            epoch: 7,
            seconds: 1.5,
            metric: Some(("a \"b\"\\".into(), 0.25)),
            workers: 4,
            members: vec![member(0, 10), member(3, 20)],
            pauses: vec![0.5, 0.25],
            losses: 3,
            refused: 12,
            ..RunStatus::default()
        };
        let page = page(&status);
        let samples: Vec<&str> = page.lines().filter(|line| !line.starts_with('#')).collect();
        for line in [
            "raddle_epoch 7",
            "raddle_seconds 1.5",
            "raddle_metric{metric=\"a \\\"b\\\"\\\\\"} 0.25",
            "raddle_process_peak_memory_bytes{process=\"3\"} 20",
            "raddle_process_info{process=\"0\",state=\"running\",address=\"127.0.0.1:5\"} 1",
            "raddle_pause_seconds_total 0.75",
            "raddle_losses_total 3",
            "raddle_refused_connections_total 12",
        ] {
            assert!(samples.contains(&line), "{line}: {samples:?}");
        }
        assert_eq!(samples.len(), 9 + 2 * 4);
    }

    #[test]
    fn a_page_is_served_on_loopback_alone() {
        let nobody = Invitation::to("127.0.0.1:1".parse().unwrap(), &"5a".repeat(32)).unwrap();
        let refused = serve("192.0.2.1:0".parse().unwrap(), AdminClient::new(nobody.clone())).unwrap_err();
        assert!(refused.to_string().contains("--metrics 192.0.2.1:0"), "{refused}");
        // Where no run answers the page says so.
        let at = serve("127.0.0.1:0".parse().unwrap(), AdminClient::new(nobody)).unwrap();
        let said = ask(at, "Host: localhost\r\n");
        assert!(said.starts_with("HTTP/1.1 503 ") && said.contains("# no run answers"), "{said}");
        // The name of another machine, whose address is said to be this one.
        let said = ask(at, "Host: evil.example:80\r\n");
        assert!(said.starts_with("HTTP/1.1 421 "), "{said}");
    }

    /// Answer to a request with these headers.
    fn ask(at: SocketAddr, headers: &str) -> String {
        let mut socket = TcpStream::connect(at).unwrap();
        socket.write_all(format!("GET /metrics HTTP/1.1\r\n{headers}\r\n").as_bytes()).unwrap();
        let mut said = String::new();
        socket.read_to_string(&mut said).unwrap();
        said
    }

    #[test]
    fn clients_that_are_silent_or_slow_hold_nobody_up_and_are_few() {
        let nobody = Invitation::to("127.0.0.1:1".parse().unwrap(), &"5a".repeat(32)).unwrap();
        let at = serve("127.0.0.1:0".parse().unwrap(), AdminClient::new(nobody)).unwrap();
        let mut silent: Vec<TcpStream> = (1..MOST_CLIENTS).map(|_| TcpStream::connect(at).unwrap()).collect();
        let since = Instant::now();
        assert!(ask(at, "Host: 127.0.0.1:9400\r\n").starts_with("HTTP/1.1 503 "));
        assert!(since.elapsed() < LONGEST, "it waits for none of them");
        // One that sends a byte now and then is closed after the same time as the others.
        let mut dripping = silent.remove(0);
        while dripping.write_all(b"x").is_ok() {
            assert!(since.elapsed() < 3 * LONGEST, "it is served as long as it drips");
            thread::sleep(AGAIN);
        }
        for mut one in silent {
            assert_eq!(one.read(&mut [0]).unwrap_or(0), 0);
        }
    }

    #[test]
    fn questions_to_this_machine_name_it() {
        for (headers, is_ours) in [
            ("Host: localhost:9400", true),
            ("host:127.0.0.1", true),
            ("HOST: [::1]:9400", true),
            ("Host: [::1]", true),
            ("Host: evil.example", false),
            ("Host: localhost.evil.example:9400", false),
            ("Host: 192.0.2.1:9400", false),
            ("Host: localhost\r\nHost: evil.example", false),
            ("Accept: */*", false),
        ] {
            let asked = format!("GET / HTTP/1.1\r\n{headers}\r\n\r\n");
            assert_eq!(is_for_this_machine(asked.as_bytes()), is_ours, "{headers}");
        }
    }
}
