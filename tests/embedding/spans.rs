//! Tests the spans of the `tracing` crate.

use std::sync::{Arc, Mutex};

use indim_testing::contexts::gpu;
use indim_testing::process::alone;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::encoded::{counting, uploaded};

/// Collects the names of spans.
#[derive(Clone, Default)]
struct Names(Arc<Mutex<Vec<&'static str>>>);

impl Subscriber for Names {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "indim"
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut names = self.0.lock().unwrap();
        names.push(span.metadata().name());
        Id::from_u64(names.len() as u64)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[test]
fn what_a_call_does_is_a_span_of_its_own() {
    // `tracing` records for the whole process which subscribers want a kind of span. A thread of
    // another test that meets one first, without a subscriber, may record that none does.
    if !alone("spans::what_a_call_does_is_a_span_of_its_own", None) {
        return;
    }
    let gpu = gpu();
    let x = uploaded(&gpu, &counting(64, 0.0));
    let names = Names::default();
    let spans = |work: &dyn Fn()| {
        tracing::subscriber::with_default(names.clone(), work);
        std::mem::take(&mut *names.0.lock().unwrap())
    };
    let evaluate = || drop((&x + 1.0).eval().unwrap());
    assert_eq!(spans(&evaluate), ["record", "plan", "compile"], "the first time");
    assert_eq!(spans(&evaluate), ["record"], "what is there is not made again");
    assert_eq!(spans(&|| gpu.wait().unwrap()), ["submit", "wait"]);
    let y = (&x + 1.0).eval().unwrap();
    let read = spans(&|| drop(pollster::block_on(y.to_vec()).unwrap()));
    assert!(read.starts_with(&["submit", "wait"]), "{read:?}");
}
