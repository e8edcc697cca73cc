//! Held runs that wait take hardly any time of a processor.

use std::fs;
use std::process::Child;
use std::time::{Duration, Instant};

use raddle::cluster::Holder;

use super::{LINES, next};
use crate::commands::{command, number};
use crate::launched::WATCHDOG;

/// Ticks of the system's clock for times of processes, a second.
const TICKS: f64 = 100.0;

/// Launchers that end with the test.
struct Launchers(Vec<Child>);

impl Drop for Launchers {
    fn drop(&mut self) {
        for launcher in &mut self.0 {
            // Their processes notice.
            let _ = launcher.kill();
            let _ = launcher.wait();
        }
    }
}

/// Seconds of processor time of a process and of those that it started.
fn seconds(process: u32) -> f64 {
    let own = |process: &str| {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
        let (_, fields) = stat.rsplit_once(") ").unwrap();
        let ticks = fields.split(' ').skip(11).take(2).map(|ticks| ticks.parse::<f64>().unwrap());
        ticks.sum::<f64>() / TICKS
    };
    let children = fs::read_to_string(format!("/proc/{process}/task/{process}/children")).unwrap();
    own(&process.to_string()) + children.split_whitespace().map(own).sum::<f64>()
}

/// 20 runs of 4 workers wait for `RADDLE_HELD_SECONDS`, by default 3. The bound is wide, as other tests run
/// at the same time; what is measured is printed.
#[test]
fn held_runs_that_wait_are_cheap() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut launchers = Launchers(Vec::new());
    let names: Vec<String> = (0..20).map(|run| format!("run-{run}")).collect();
    for name in &names {
        let line = format!("raddle launch --held --workers 4 -- {} --out {name} --quiet", LINES[1].1);
        let mut launch = command(folder, &line);
        launch.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        launchers.0.push(launch.spawn().unwrap());
    }
    let hold = |name: &String| Holder::of_run(&folder.join(name), WATCHDOG, || true).unwrap();
    let mut holders: Vec<Holder> = names.iter().map(hold).collect();
    for holder in &mut holders {
        assert_eq!(next(holder).unwrap().epoch, 0);
        holder.go_on(4).unwrap();
    }
    holders.iter_mut().for_each(|holder| assert_eq!(next(holder).unwrap().epoch, 1));
    let all = || launchers.0.iter().map(|launcher| seconds(launcher.id())).sum::<f64>();
    let (began, before) = (Instant::now(), all());
    std::thread::sleep(Duration::from_secs(number("RADDLE_HELD_SECONDS", 3)));
    let share = (all() - before) / began.elapsed().as_secs_f64();
    println!("20 held runs take {:.2} % of a core", 100.0 * share);
    assert!(share < 0.1, "{share}");
}
