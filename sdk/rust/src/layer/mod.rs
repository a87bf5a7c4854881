//! Whole programs of tokio, traced by what tokio tells of itself: its own spans, in a program that is built with
//! `--cfg tokio_unstable`.

use core::any::TypeId;
use core::cell::Cell;
use core::fmt;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use tracing_core::span::{Attributes, Current, Id, Record};
use tracing_core::subscriber::{Interest, NoSubscriber};
use tracing_core::{Dispatch, Event, LevelFilter, Metadata, Subscriber};

use crate::{attach, flag, region};

mod fields;
mod resource;
mod slots;
mod task;

pub(crate) use self::task::{clones, described, drops, Birth};

/// Is that the number of one of its things?
pub(crate) fn names(value: u64) -> bool {
    slots::is_ours(value)
}

/// Is that operation under way still?
pub(crate) fn is_under_way(operation: u64) -> bool {
    slots::live(operation).is_some()
}

#[cfg(test)]
pub(crate) fn a_slot() -> *const () {
    core::ptr::from_ref(slots::held(slots::take(|_, _| slots::Thing::Nothing)).expect("it was just taken")).cast()
}

/// Stands before the program's own subscriber: takes what tokio tells of itself for the trace, and hands all else on. Made by
/// [`layer`].
pub struct Layer<S = NoSubscriber> {
    inner: S,
    /// It counts in `TOLD`.
    is_told: AtomicBool,
}

impl<S> Layer<S> {
    fn before(inner: S) -> Self {
        Self { inner, is_told: AtomicBool::new(false) }
    }
}

/// As where the program has another subscriber already, and none can be made of this one.
impl<S> Drop for Layer<S> {
    fn drop(&mut self) {
        TOLD.fetch_sub(*self.is_told.get_mut() as usize, Relaxed);
    }
}

/// Records what tokio's own spans tell: every task of the program, those of its libraries too, with no other change than this
/// line in `main`, before the runtime is built:
///
/// ```
/// corotrace::layer().init();
/// ```
///
/// A program with a subscriber of its own has this one stand before it. It sees all that it did, and none of tokio's spans;
/// filters in it, like `RUST_LOG`, concern what it sees alone:
///
/// ```ignore
/// use tracing_subscriber::util::SubscriberInitExt;
///
/// corotrace::layer().over(tracing_subscriber::fmt().finish()).init();
/// ```
///
/// tokio tells what it does where the whole program is built with `RUSTFLAGS="--cfg tokio_unstable"`. Beside
/// `use corotrace::tokio;` in the same program each wait is told once, by whoever knows more of it.
pub fn layer() -> Layer {
    Layer::before(NoSubscriber::default())
}

impl Layer {
    /// Before that subscriber, which is the program's own.
    pub fn over<S: Subscriber>(self, subscriber: S) -> Layer<S> {
        Layer::before(subscriber)
    }

    /// Makes it the program's subscriber; for a program that has no other.
    ///
    /// # Panics
    /// Where there is one already.
    pub fn init(self) {
        tracing_core::dispatcher::set_global_default(Dispatch::new(self)).expect("there is another subscriber already");
    }
}

impl<S> fmt::Debug for Layer<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Layer").finish_non_exhaustive()
    }
}

/// There are so many that tokio tells what it does.
static TOLD: AtomicUsize = AtomicUsize::new(0);

/// Are tokio's tasks told by their spans?
pub(crate) fn is_told() -> bool {
    TOLD.load(Relaxed) != 0
}

thread_local! {
    static WITHIN_WRAPPER: Cell<bool> = const { Cell::new(false) };
}

/// As long as it lives, what is made of tokio's here is told by who makes it.
pub(crate) struct Unseen {
    before: bool,
}

pub(crate) fn unseen() -> Unseen {
    Unseen { before: WITHIN_WRAPPER.replace(true) }
}

impl Drop for Unseen {
    fn drop(&mut self) {
        WITHIN_WRAPPER.set(self.before);
    }
}

fn is_within_wrapper() -> bool {
    WITHIN_WRAPPER.get()
}

/// What tokio tells.
#[derive(Clone, Copy, PartialEq)]
enum Told {
    Spawn,
    Resource,
    Operation,
    Waker,
    Polled,
    State,
    /// Nothing of use.
    Other,
}

/// None: it is not tokio that tells.
#[inline]
fn told(metadata: &Metadata<'_>) -> Option<Told> {
    if metadata.is_span() {
        return match metadata.name() {
            "runtime.spawn" => Some(Told::Spawn),
            "runtime.resource" => Some(Told::Resource),
            "runtime.resource.async_op" => Some(Told::Operation),
            "runtime.resource.async_op.poll" => Some(Told::Other),
            _ => None,
        }
        .filter(|_| metadata.target().starts_with("tokio::"));
    }
    match metadata.target() {
        "tokio::task::waker" => Some(Told::Waker),
        "runtime::resource::poll_op" => Some(Told::Polled),
        "runtime::resource::state_update" => Some(Told::State),
        "runtime::resource::async_op::state_update" => Some(Told::Other),
        _ => None,
    }
}

/// Is that of use?
fn interest(what: Told, metadata: &Metadata<'_>) -> Interest {
    let of_use = match what {
        Told::Other => false,
        // Those of the locks, of which some give guards that may be handed to anybody, and of who awaits an answer.
        Told::Operation => metadata.module_path().is_some_and(|m| m.ends_with("::trace") || m.ends_with("::oneshot")),
        Told::State => fields::State::FIELDS.iter().any(|name| metadata.fields().field(name).is_some()),
        _ => true,
    };
    match of_use && (region::ready() || flag::is_shared()) {
        false => Interest::never(),
        true if region::on() || what == Told::Spawn => Interest::always(),
        true => Interest::sometimes(),
    }
}

fn new_span(what: Told, span: &Attributes<'_>) -> u64 {
    match what {
        Told::Spawn => task::new(&fields::Spawn::read(span)),
        Told::Resource => resource::new(&fields::Made::read(span)),
        Told::Operation => slots::take(|_, _| slots::Thing::Operation(fields::Operation::read(span))),
        _ => slots::NOTHING,
    }
}

fn enter(id: u64) {
    let Some(slot) = slots::held(id) else { return };
    match (slot.task(), slot.operation()) {
        (Some(task), _) => task.enter(slot),
        (_, Some(operation)) => resource::operates(operation, id),
        _ => resource::enter(slot),
    }
}

fn exit(id: u64) {
    let Some(slot) = slots::held(id) else { return };
    match (slot.task(), slot.operation()) {
        (Some(task), _) => task.exit(slot),
        (_, Some(_)) => resource::operated(),
        _ => resource::exit(),
    }
}

impl<S: Subscriber> Layer<S> {
    /// A span of the inner one's. Should it have an id like ours, it has to make another.
    fn new_inner(&self, span: &Attributes<'_>) -> Id {
        for _ in 0..16 {
            let id = self.inner.new_span(span);
            if !slots::is_ours(id.into_u64()) {
                return id;
            }
            self.inner.try_close(id);
        }
        Id::from_u64(slots::NOTHING)
    }
}

impl<S: Subscriber> Subscriber for Layer<S> {
    fn on_register_dispatch(&self, dispatch: &Dispatch) {
        if cfg!(tokio_unstable) {
            TOLD.fetch_add(!self.is_told.swap(true, Relaxed) as usize, Relaxed);
        } else if region::ready() {
            attach::complain("tokio does not report what it does: build with RUSTFLAGS=\"--cfg tokio_unstable\"");
        }
        self.inner.on_register_dispatch(dispatch);
    }

    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        match told(metadata) {
            Some(what) => interest(what, metadata),
            None => self.inner.register_callsite(metadata),
        }
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        match told(metadata) {
            Some(what) => what == Told::Spawn || region::on(),
            None => self.inner.enabled(metadata),
        }
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::TRACE)
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        match told(span.metadata()) {
            Some(what) => Id::from_u64(new_span(what, span)),
            None => self.new_inner(span),
        }
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        if !slots::is_ours(span.into_u64()) {
            self.inner.record(span, values);
        }
    }

    fn record_follows_from(&self, span: &Id, follows: &Id) {
        if !slots::is_ours(span.into_u64()) && !slots::is_ours(follows.into_u64()) {
            self.inner.record_follows_from(span, follows);
        }
    }

    fn event_enabled(&self, event: &Event<'_>) -> bool {
        told(event.metadata()).is_some() || self.inner.event_enabled(event)
    }

    fn event(&self, event: &Event<'_>) {
        match told(event.metadata()) {
            Some(Told::Waker) => task::waker(fields::Waker::read(event)),
            Some(Told::Polled) => resource::polled(fields::is_ready(event)),
            Some(Told::State) => resource::changed(fields::State::read(event)),
            Some(_) => {}
            None => self.inner.event(event),
        }
    }

    fn enter(&self, span: &Id) {
        match slots::is_ours(span.into_u64()) {
            true => enter(span.into_u64()),
            false => self.inner.enter(span),
        }
    }

    fn exit(&self, span: &Id) {
        match slots::is_ours(span.into_u64()) {
            true => exit(span.into_u64()),
            false => self.inner.exit(span),
        }
    }

    fn clone_span(&self, span: &Id) -> Id {
        match slots::is_ours(span.into_u64()) {
            true => {
                slots::share(span.into_u64());
                span.clone()
            }
            false => self.inner.clone_span(span),
        }
    }

    fn try_close(&self, span: Id) -> bool {
        match slots::is_ours(span.into_u64()) {
            true => slots::close(span.into_u64()),
            false => self.inner.try_close(span),
        }
    }

    fn current_span(&self) -> Current {
        self.inner.current_span()
    }

    unsafe fn downcast_raw(&self, id: TypeId) -> Option<*const ()> {
        if id == TypeId::of::<Self>() {
            return Some(core::ptr::from_ref(self).cast());
        }
        // SAFETY: by contract.
        unsafe { self.inner.downcast_raw(id) }
    }
}
