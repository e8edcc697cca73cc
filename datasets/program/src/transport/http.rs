//! [`Http`]: the HTTP client of builds with the feature `fetch`.

use std::error::Error as _;
use std::io::{self, Read};
use std::sync::Arc;
use std::time::Duration;
use std::{env, fs};

use ureq::http::{HeaderMap, header};
use ureq::tls::{PemItem, RootCerts, TlsConfig, TlsProvider, parse_pem};
use ureq::{Agent, Error};

use super::asked::{Answer, Client};

/// Environment variable with a file of certificates to trust in place of the built-in ones, as in OpenSSL.
const ROOTS: &str = "SSL_CERT_FILE";
/// Limit on redirections.
const MOST_REDIRECTIONS: u32 = 10;

/// A client for http and https.
pub(super) struct Http {
    /// Agent for https addresses, which refuses redirections to http.
    secure: Agent,
    /// Agent for other addresses.
    plain: Agent,
    silence: Duration,
}

impl Http {
    pub(super) fn new(silence: Duration) -> Result<Self, String> {
        let tls = TlsConfig::builder()
            .provider(TlsProvider::Rustls)
            .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .root_certs(roots()?)
            .build();
        let agent = |is_secure: bool| {
            Agent::config_builder()
                .tls_config(tls.clone())
                .https_only(is_secure)
                .http_status_as_error(false)
                .max_redirects(MOST_REDIRECTIONS)
                .timeout_resolve(Some(silence))
                .timeout_connect(Some(silence))
                .timeout_per_read(Some(silence))
                .timeout_per_write(Some(silence))
                .user_agent(concat!("raddle-data/", env!("CARGO_PKG_VERSION")))
                .build()
                .new_agent()
        };
        Ok(Self { secure: agent(true), plain: agent(false), silence })
    }
}

impl Client for Http {
    fn get(&self, address: &str, from: Option<(u64, &str)>) -> Result<Answer, String> {
        let agent = if address.starts_with("https:") { &self.secure } else { &self.plain };
        // The digest is of the stored bytes, so the server must not compress them.
        let mut request = agent.get(address).header(header::ACCEPT_ENCODING, "identity");
        if let Some((place, tag)) = from {
            request = request.header(header::RANGE, format!("bytes={place}-")).header(header::IF_RANGE, tag);
        }
        let answer = request.call().map_err(|why| self.said(&why))?;
        let headers = answer.headers();
        let length = text(headers, header::CONTENT_LENGTH).and_then(|text| text.parse().ok());
        let tag = text(headers, header::ETAG).filter(|tag| tag.starts_with('"')).map(str::to_owned);
        let range = text(headers, header::CONTENT_RANGE).and_then(range);
        let status = answer.status().as_u16();
        let body = answer.into_body().into_with_config().limit(u64::MAX).reader();
        Ok(Answer { status, length, tag, range, body: Box::new(Body(body)) })
    }
}

impl Http {
    /// Formats an error with its causes.
    fn said(&self, why: &Error) -> String {
        if matches!(why, Error::Timeout(_)) {
            return format!("it says nothing for {} s", self.silence.as_secs_f64());
        }
        let mut text = why.to_string();
        let mut behind = why.source();
        while let Some(why) = behind {
            let said = why.to_string();
            if !text.contains(&said) {
                text = format!("{text}: {said}");
            }
            behind = why.source();
        }
        text
    }
}

/// The body of an answer, which reports a timeout as the same error kind as other clients do.
struct Body<R>(R);

impl<R: Read> Read for Body<R> {
    fn read(&mut self, block: &mut [u8]) -> io::Result<usize> {
        self.0.read(block).map_err(|why| {
            let behind = why.get_ref().and_then(|why| why.downcast_ref::<Error>());
            match behind {
                Some(Error::Timeout(_)) => io::ErrorKind::TimedOut.into(),
                _ => why,
            }
        })
    }
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Parses `bytes 5-9/10` to the position of the first byte and the size of the whole file.
fn range(text: &str) -> Option<(u64, Option<u64>)> {
    let (range, total) = text.strip_prefix("bytes ")?.split_once('/')?;
    let (first, _) = range.split_once('-')?;
    Some((first.parse().ok()?, total.parse().ok()))
}

/// Returns the certificates to trust.
fn roots() -> Result<RootCerts, String> {
    let Some(path) = env::var_os(ROOTS).filter(|path| !path.is_empty()) else {
        return Ok(RootCerts::WebPki);
    };
    let name = path.display();
    let text = fs::read(&path).map_err(|why| format!("{ROOTS} is {name}: cannot read: {why}"))?;
    let mut certificates = Vec::new();
    for item in parse_pem(&text) {
        match item.map_err(|why| format!("{ROOTS} is {name}: {why}"))? {
            PemItem::Certificate(certificate) => certificates.push(certificate),
            _ => return Err(format!("{ROOTS} is {name}: it holds what is no certificate")),
        }
    }
    Ok(RootCerts::new_with_certs(&certificates))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read() {
        assert_eq!(range("bytes 5-9/10"), Some((5, Some(10))));
        assert_eq!(range("bytes 0-9/*"), Some((0, None)));
        assert!(range("lines 5-9/10").is_none() && range("bytes */10").is_none());
    }
}
