//! A headless browser, driven by the WebDriver protocol of chromedriver (W3C WebDriver, and its Chromium
//! commands).

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::commands::pause;
use crate::launched::WATCHDOG;

/// Key of an element in answers of the protocol.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// Browser with one window. It ends when it is dropped.
pub(super) struct Browser {
    driver: Child,
    port: u16,
    session: String,
    // The profile goes when the browser has ended.
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts a browser. `None` where chromium or chromedriver is not installed, which is said.
    pub(super) fn start() -> Option<Self> {
        let driver = Command::new("chromedriver").arg("--port=0").stdout(Stdio::piped()).spawn();
        let (Ok(mut driver), Some(chromium)) = (driver, chromium()) else {
            println!("skipped: chromium and chromedriver are not installed");
            return None;
        };
        let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port = lines.find_map(|line| {
            let line = line.unwrap();
            let (_, port) = line.split_once("started successfully on port ")?;
            port.trim_end_matches('.').parse().ok()
        });
        let profile = tempfile::tempdir().unwrap();
        let mut browser =
            Self { driver, port: port.expect("a port"), session: String::new(), _profile: profile };
        let arguments = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
        ];
        let mut arguments = arguments.map(str::to_owned).to_vec();
        arguments.push(format!("--user-data-dir={}", browser._profile.path().display()));
        let options = json!({"args": arguments, "binary": chromium});
        let wanted = json!({"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}});
        let session = browser.call("POST", "/session", &json!({"capabilities": {"alwaysMatch": wanted}}));
        browser.session = format!("/session/{}", session["sessionId"].as_str().unwrap());
        Some(browser)
    }

    /// Opens the file of a page, and waits until it is whole: without scripts the driver does not. The page's
    /// script is its last element.
    pub(super) fn open(&self, page: &Path) {
        self.post("/url", &json!({"url": format!("file://{}", page.display())}));
        let began = Instant::now();
        while self.count("main + script") == 0 {
            assert!(began.elapsed() < WATCHDOG, "{} is never whole", page.display());
            pause();
        }
    }

    /// Sets the width of the window, and light or dark.
    pub(super) fn look(&self, width: u32, dark: bool) {
        let size = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        self.devtools("Emulation.setDeviceMetricsOverride", &size);
        let scheme = if dark { "dark" } else { "light" };
        let media = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.devtools("Emulation.setEmulatedMedia", &media);
    }

    /// Turns scripts of pages on or off, from the next page on.
    pub(super) fn scripts(&self, on: bool) {
        self.devtools("Emulation.setScriptExecutionDisabled", &json!({"value": !on}));
    }

    /// Value of a script's `return`.
    pub(super) fn run(&self, script: &str) -> Value {
        self.post("/execute/sync", &json!({"script": script, "args": []}))
    }

    /// Number of elements that a selector finds; it needs no scripts of the page.
    pub(super) fn count(&self, selector: &str) -> usize {
        let found = self.post("/elements", &json!({"using": "css selector", "value": selector}));
        found.as_array().unwrap().len()
    }

    /// Clicks the first element that a selector finds, as a user does.
    pub(super) fn click(&self, selector: &str) {
        let found = self.post("/element", &json!({"using": "css selector", "value": selector}));
        let id = found[ELEMENT].as_str().unwrap();
        self.post(&format!("/element/{id}/click"), &json!({}));
    }

    /// Presses keys, whatever has the focus.
    pub(super) fn press(&self, keys: &str) {
        let strokes =
            |key: char| [json!({"type": "keyDown", "value": key}), json!({"type": "keyUp", "value": key})];
        let strokes: Vec<Value> = keys.chars().flat_map(strokes).collect();
        self.post("/actions", &json!({"actions": [{"type": "key", "id": "keys", "actions": strokes}]}));
    }

    /// Moves the pointer to the middle of the first element that a selector finds, and by so much from there.
    pub(super) fn point(&self, selector: &str, x: i32, y: i32) {
        let found = self.post("/element", &json!({"using": "css selector", "value": selector}));
        let step = json!({"type": "pointerMove", "duration": 0, "origin": found, "x": x, "y": y});
        self.post("/actions", &json!({"actions": [{"type": "pointer", "id": "mouse", "actions": [step]}]}));
    }

    /// Messages of the console since the last call.
    pub(super) fn console(&self) -> Vec<String> {
        let entries = self.post("/se/log", &json!({"type": "browser"}));
        entries.as_array().unwrap().iter().map(|entry| entry["message"].to_string()).collect()
    }

    /// Picture of the whole page as base64 of a PNG file.
    pub(super) fn screenshot(&self) -> String {
        let whole = json!({"captureBeyondViewport": true, "format": "png"});
        self.devtools("Page.captureScreenshot", &whole)["data"].as_str().unwrap().to_owned()
    }

    fn devtools(&self, command: &str, parameters: &Value) -> Value {
        self.post("/goog/cdp/execute", &json!({"cmd": command, "params": parameters}))
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        self.call("POST", &format!("{}{path}", self.session), body)
    }

    /// A call over HTTP, one a connection.
    fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = body.to_string();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        // A browser that hangs fails the test.
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\nConnection: close\r\n\
             Content-Length: {}\r\n\r\n",
            self.port,
            body.len()
        );
        stream.write_all((head + &body).as_bytes()).unwrap();
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            let line = line.trim().to_ascii_lowercase();
            if let Some(text) = line.strip_prefix("content-length:") {
                length = text.trim().parse().unwrap();
            }
            if line.is_empty() {
                break;
            }
        }
        let mut answer = vec![0; length];
        reader.read_exact(&mut answer).unwrap();
        let answer: Value = serde_json::from_slice(&answer).unwrap();
        let value = answer["value"].clone();
        assert!(value["error"].is_null(), "{method} {path} {body}: {value}");
        value
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !std::thread::panicking() && !self.session.is_empty() {
            self.call("DELETE", &self.session, &json!({}));
        }
        // chromedriver ends its browser with itself.
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// The program of the browser.
fn chromium() -> Option<String> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let folders: Vec<_> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|path| path.is_file())
        .map(|path| path.display().to_string())
}
