//! [`Links`]: declared speeds of the links between processes.

use std::str::FromStr;

/// Declared links between the processes of a run and the first one, one a line: the number of the process,
/// megabytes a second, and milliseconds that a transfer takes however short it is. `#` starts a comment.
/// Wrong speeds cost time and change no byte of what is computed from them.
///
/// ```
/// let links: raddle::schedule::Links = "0 10000 0  # its own\n1 12.5 3\n".parse()?;
/// assert_eq!(links.nanoseconds(1, 1_000_000), 83_000_000);
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Links(Vec<Link>);

#[derive(Debug, Clone, Copy, PartialEq)]
struct Link {
    megabytes: f64,
    milliseconds: f64,
}

impl Links {
    /// Returns the number of processes.
    pub fn processes(&self) -> usize {
        self.0.len()
    }

    /// Returns the nanoseconds that a transfer of so many bytes takes; 0 for a process that is not declared.
    pub fn nanoseconds(&self, process: usize, bytes: u64) -> u64 {
        let takes = |link: &Link| 1e6 * link.milliseconds + 1e3 * (bytes as f64 / link.megabytes);
        self.0.get(process).map_or(0, |link| takes(link) as u64)
    }
}

impl FromStr for Links {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut links: Vec<(usize, u32, Link)> = Vec::new();
        for (line, text) in (1..).zip(text.lines()) {
            let text = text.split('#').next().unwrap_or_default();
            let mut words = text.split_whitespace();
            let Some(process) = words.next() else { continue };
            let process = process.parse().map_err(|_| {
                format!("line {line}: {process} is not the number of a process: they count from 0")
            })?;
            let mut number = |what: &str, is_in: fn(f64) -> bool, range: &str| {
                let word = words.next().ok_or_else(|| {
                    format!("line {line}: {what} of process {process} is missing: give process, MB/s and ms")
                })?;
                let number = word.parse().ok().filter(|&number| is_in(number));
                number.ok_or_else(|| format!("line {line}: {what} is {word}: it must be a number {range}"))
            };
            let megabytes =
                number("the speed", |speed| (1e-6..=1e9).contains(&speed), "from 1e-6 to 1e9 MB/s")?;
            let milliseconds = number("the delay", |delay| (0.0..=1e9).contains(&delay), "from 0 to 1e9 ms")?;
            links.push((line, process, Link { megabytes, milliseconds }));
        }
        links.sort_by_key(|&(_, process, _)| process);
        for (expected, &(line, process, _)) in (0..).zip(&links) {
            if process != expected {
                let why = if process < expected { "declared twice" } else { "unknown" };
                let count = links.len();
                return Err(format!(
                    "line {line}: process {process} is {why}: there are {count} lines, one for each process \
                     from 0 on"
                ));
            }
        }
        match links.is_empty() {
            true => Err("no link is declared: give a line of process, MB/s and ms for each process".into()),
            false => Ok(Self(links.into_iter().map(|(.., link)| link).collect())),
        }
    }
}
