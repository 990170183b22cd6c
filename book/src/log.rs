//! A subscriber that keeps the warnings of mdBook, which logs many problems and
//! continues.

use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// Runs `body`, and returns its result with the messages that it logged at the levels
/// WARN and ERROR.
pub fn listen<T>(body: impl FnOnce() -> T) -> (T, Vec<String>) {
    let log = Log::default();
    let messages = log.0.clone();
    let result = tracing::subscriber::with_default(log, body);
    let messages = std::mem::take(&mut *messages.lock().expect("no panic"));
    (result, messages)
}

#[derive(Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata) -> bool {
        *metadata.level() <= Level::WARN
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::WARN)
    }

    fn event(&self, event: &Event) {
        let mut message = Message(String::new());
        event.record(&mut message);
        self.0.lock().expect("no panic").push(message.0);
    }

    // Spans are of no interest.
    fn new_span(&self, _: &Attributes) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = match field.name() {
            "message" => write!(self.0, "{value:?}"),
            name => write!(self.0, " {name}={value:?}"),
        };
    }
}
