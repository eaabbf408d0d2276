//! Keeps pending error scopes in a browser, where their answers come later. Answers are taken in
//! the order of the questions: the first error is the cause of those after it.

use std::collections::VecDeque;
use std::fmt::{self, Debug, Formatter};
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

use crate::device::guard::lock::lock;
use crate::device::guard::poison::Poison;
use indim_core::semantics::error::Error;

/// The error of one call, or `None`, once known.
type Answer = Pin<Box<dyn Future<Output = Option<Error>>>>;

/// The calls whose errors are not known yet.
#[derive(Debug, Default)]
pub(crate) struct DeferredErrors {
    questions: Mutex<VecDeque<Question>>,
    /// The first error since the last success: the objects made by that call, and all that use
    /// them, are invalid.
    cause: Mutex<Option<Error>>,
    /// The numbers of questions asked, of errors among the answers, and of writes by the queue.
    asked: AtomicU64,
    errors: AtomicU64,
    writes: AtomicU64,
    /// True if cached objects may be invalid: memory, kernels, bind groups.
    tainted: AtomicBool,
    waiting: Arc<Waiting>,
}

struct Question {
    number: u64,
    answer: Answer,
    blamed: Blamed,
}

impl Debug for Question {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Question")
            .field("number", &self.number)
            .field("blamed", &self.blamed)
            .finish()
    }
}

/// The object, array or batch that a call's error affects.
#[derive(Debug)]
pub(crate) enum Blamed {
    /// The call made an object; the error is reported for a command that uses it.
    Object,
    /// The call wrote an array.
    Array(Arc<Poison>),
    /// The call submitted a batch of this number.
    Batch(u64),
}

/// The answer for a batch: `None`, or why wgpu rejected it.
#[derive(Debug)]
pub(crate) struct BatchAnswer {
    pub(crate) number: u64,
    pub(crate) error: Option<Error>,
}

/// The tasks that wait for an answer. All are woken by one waker, because the promise keeps only
/// the last one given to it, whose task may be dropped.
#[derive(Debug, Default)]
struct Waiting(Mutex<Vec<Waker>>);

impl Wake for Waiting {
    fn wake(self: Arc<Self>) {
        let wakers = std::mem::take(&mut *lock(&self.0));
        wakers.into_iter().for_each(Waker::wake);
    }
}

impl DeferredErrors {
    /// Notes a call whose scopes are popped: it fails with the first of their errors, which `told`
    /// formats.
    pub(crate) fn ask(
        &self,
        scopes: [impl Future<Output = Option<wgpu::Error>> + 'static; 3],
        told: impl FnOnce(wgpu::Error) -> Error + 'static,
        blamed: Blamed,
    ) {
        let answer = async move {
            let mut found = None;
            for scope in scopes {
                let error = scope.await;
                found = found.or(error);
            }
            found.map(told)
        };
        let number = self.asked.fetch_add(1, Ordering::Relaxed);
        let question = Question { number, answer: Box::pin(answer), blamed };
        lock(&self.questions).push_back(question);
    }

    /// Returns the number of questions so far; pass it to [`DeferredErrors::next`].
    pub(crate) fn asked(&self) -> u64 {
        self.asked.load(Ordering::Relaxed)
    }

    /// Returns the number of errors so far.
    pub(crate) fn errors(&self) -> u64 {
        self.errors.load(Ordering::Relaxed)
    }

    /// Waits for the answers to the questions below this number, in order, and reports errors to
    /// the blamed arrays. Returns the answer for the next batch, or `None` at the end. Dropping the
    /// task loses nothing.
    pub(crate) async fn next(&self, end: u64) -> Option<BatchAnswer> {
        poll_fn(|cx| {
            lock(&self.waiting.0).push(cx.waker().clone());
            self.poll_next(end)
        })
        .await
    }

    /// Returns the answer for the next batch, if it and all before it have arrived; meanwhile
    /// reports errors to the blamed arrays.
    pub(crate) fn next_now(&self) -> Option<BatchAnswer> {
        match self.poll_next(self.asked()) {
            Poll::Ready(answer) => answer,
            Poll::Pending => None,
        }
    }

    fn poll_next(&self, end: u64) -> Poll<Option<BatchAnswer>> {
        let waker = Waker::from(Arc::clone(&self.waiting));
        loop {
            let mut questions = lock(&self.questions);
            let Some(question) = questions.front_mut().filter(|front| front.number < end) else {
                return Poll::Ready(None);
            };
            let answer = question.answer.as_mut().poll(&mut Context::from_waker(&waker));
            let Poll::Ready(error) = answer else { return Poll::Pending };
            let Some(Question { blamed, .. }) = questions.pop_front() else {
                return Poll::Ready(None);
            };
            drop(questions);
            if let Some(answer) = self.answered(blamed, error) {
                return Poll::Ready(Some(answer));
            }
        }
    }

    fn answered(&self, blamed: Blamed, error: Option<Error>) -> Option<BatchAnswer> {
        let error = error.map(|error| {
            self.errors.fetch_add(1, Ordering::Relaxed);
            self.tainted.store(true, Ordering::Relaxed);
            lock(&self.cause).get_or_insert(error).clone()
        });
        match (blamed, error) {
            (Blamed::Batch(number), error) => return Some(BatchAnswer { number, error }),
            (Blamed::Array(poison), Some(error)) => poison.set(&error),
            (Blamed::Object | Blamed::Array(_), _) => {}
        }
        None
    }

    /// Clears the cause of the errors so far. Returns true if there was one.
    pub(crate) fn forget_cause(&self) -> bool {
        lock(&self.cause).take().is_some()
    }

    /// Returns true, once per occurrence, if cached kernels may be invalid.
    pub(crate) fn take_taint(&self) -> bool {
        self.tainted.swap(false, Ordering::Relaxed)
    }

    /// Notes a write by the queue, which runs before all batches that are submitted later.
    pub(crate) fn note_write(&self) {
        self.writes.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the number of writes by the queue.
    pub(crate) fn writes(&self) -> u64 {
        self.writes.load(Ordering::Relaxed)
    }
}
