//! The fields of tokio's spans and events, read where they stand: no string is made of any.

use core::fmt::{self, Debug, Write};
use core::marker::PhantomData;

use tracing_core::field::{Field, Visit};
use tracing_core::span::Attributes;
use tracing_core::Event;

/// The words of a field that is only to be had by its Debug: few, or cut.
#[derive(Default)]
pub(super) struct Words {
    len: usize,
    bytes: [u8; 32],
}

impl Words {
    fn of(value: &dyn Debug) -> Self {
        let mut new = Self::default();
        let _ = write!(new, "{value:?}");
        new
    }

    pub(super) fn get(&self) -> &str {
        core::str::from_utf8(&self.bytes[..self.len]).unwrap_or("")
    }
}

impl Write for Words {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        for c in s.chars() {
            let end = self.len + c.len_utf8();
            let to = self.bytes.get_mut(self.len..end).ok_or(fmt::Error)?;
            c.encode_utf8(to);
            self.len = end;
        }
        Ok(())
    }
}

/// A text among the values of a span that is just being made.
#[derive(Clone, Copy)]
struct Text<'a> {
    at: *const str,
    values: PhantomData<&'a ()>,
}

impl<'a> Text<'a> {
    fn none() -> Self {
        Self { at: "", values: PhantomData }
    }

    fn get(self) -> &'a str {
        // SAFETY: it is one of the values, which are borrowed for as long; see `Place::read`.
        unsafe { &*self.at }
    }
}

/// Where in the source something was made.
struct Place<'a> {
    file: Text<'a>,
    line: u32,
    /// Where the sources lie of who tells it.
    by: Option<&'static str>,
}

impl Place<'_> {
    fn none() -> Self {
        Self { file: Text::none(), line: 0, by: None }
    }
}

/// Of `runtime.spawn`.
pub(super) struct Spawn<'a> {
    pub(super) kind: Words,
    pub(super) name: Words,
    /// Of a blocking one: what it runs.
    pub(super) function: Words,
    pub(super) id: u64,
    place: Place<'a>,
}

/// Of `runtime.resource`.
pub(super) struct Made<'a> {
    name: Text<'a>,
    pub(super) is_internal: bool,
    place: Place<'a>,
}

macro_rules! read {
    ($type:ident { $($field:ident: $default:expr),* }) => {
        impl<'a> $type<'a> {
            pub(super) fn read(values: &'a Attributes<'_>) -> Self {
                // What is visited are the values themselves, of which no kind makes a text of its own to show.
                let mut new = Self { $($field: $default,)* place: Place::none() };
                values.record(&mut new);
                new.place.by = values.metadata().file().and_then(|f| Some(&f[..=f.rfind("/src/")?]));
                new
            }

            /// Empty where it is tokio that made it, for somebody who is not told.
            pub(super) fn file(&self) -> &'a str {
                let file = self.place.file.get();
                if self.place.by.is_some_and(|by| file.starts_with(by)) { "" } else { file }
            }

            pub(super) fn line(&self) -> u32 {
                self.place.line
            }
        }
    };
}
read!(Spawn { kind: Words::default(), name: Words::default(), function: Words::default(), id: 0 });
read!(Made { name: Text::none(), is_internal: false });

impl<'a> Made<'a> {
    pub(super) fn name(&self) -> &'a str {
        self.name.get()
    }
}

impl Visit for Spawn<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        match field.name() {
            "kind" => self.kind = Words::of(value),
            "task.name" => self.name = Words::of(value),
            "fn" => self.function = Words::of(value),
            _ => {}
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "loc.file" {
            self.place.file.at = value;
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        match field.name() {
            "task.id" => self.id = value,
            "loc.line" => self.place.line = value as u32,
            _ => {}
        }
    }
}

impl Visit for Made<'_> {
    fn record_debug(&mut self, _: &Field, _: &dyn Debug) {}

    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "loc.file" => self.place.file.at = value,
            "concrete_type" => self.name.at = value,
            _ => {}
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        if field.name() == "loc.line" {
            self.place.line = value as u32;
        }
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.is_internal |= field.name() == "is_internal" && value;
    }
}

/// Of `runtime.resource.async_op`.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Operation {
    /// Does it end with a guard that may be handed to anybody?
    pub(super) is_owned: bool,
    pub(super) takes: Takes,
}

/// What an operation waits for, should its resource not be told.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) enum Takes {
    #[default]
    Other,
    Lock,
    Permits,
}

impl Operation {
    pub(super) fn read(values: &Attributes<'_>) -> Self {
        let mut new = Self::default();
        values.record(&mut new);
        new
    }
}

impl Visit for Operation {
    fn record_debug(&mut self, _: &Field, _: &dyn Debug) {}

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "source" {
            self.is_owned = value.ends_with("_owned");
            self.takes = match value.split_once(':') {
                Some(("Mutex" | "RwLock", _)) => Takes::Lock,
                Some(("Semaphore", _)) => Takes::Permits,
                _ => Takes::Other,
            };
        }
    }
}

/// Of `tokio::task::waker`.
#[derive(Clone, Copy, PartialEq, Default)]
pub(super) enum WakerOp {
    Clone,
    Drop,
    /// And drop.
    Wake,
    WakeByRef,
    #[default]
    Unknown,
}

#[derive(Default)]
pub(super) struct Waker {
    pub(super) op: WakerOp,
    /// The task's span.
    pub(super) task: u64,
}

impl Waker {
    #[inline]
    pub(super) fn read(event: &Event<'_>) -> Self {
        let mut new = Self::default();
        event.record(&mut new);
        new
    }
}

impl Visit for Waker {
    fn record_debug(&mut self, _: &Field, _: &dyn Debug) {}

    #[inline]
    fn record_str(&mut self, _: &Field, value: &str) {
        self.op = match value {
            "waker.clone" => WakerOp::Clone,
            "waker.drop" => WakerOp::Drop,
            "waker.wake" => WakerOp::Wake,
            "waker.wake_by_ref" => WakerOp::WakeByRef,
            _ => WakerOp::Unknown,
        };
    }

    #[inline]
    fn record_u64(&mut self, _: &Field, value: u64) {
        self.task = value;
    }
}

/// Of `runtime::resource::poll_op`.
pub(super) fn is_ready(event: &Event<'_>) -> bool {
    struct Ready(bool);
    impl Visit for Ready {
        fn record_debug(&mut self, _: &Field, _: &dyn Debug) {}

        #[inline]
        fn record_bool(&mut self, _: &Field, value: bool) {
            self.0 = value;
        }
    }
    let mut ready = Ready(false);
    event.record(&mut ready);
    ready.0
}

/// Of `runtime::resource::state_update`.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) enum State {
    Locked(bool),
    /// Milliseconds from now.
    Duration(u64),
    #[default]
    Other,
}

impl State {
    /// The names of the fields that are looked at.
    pub(super) const FIELDS: [&'static str; 4] = ["locked", "write_locked", "current_readers", "duration"];

    pub(super) fn read(event: &Event<'_>) -> Self {
        let mut new = Self::default();
        event.record(&mut new);
        new
    }
}

impl Visit for State {
    fn record_debug(&mut self, _: &Field, _: &dyn Debug) {}

    fn record_bool(&mut self, field: &Field, value: bool) {
        if matches!(field.name(), "locked" | "write_locked") {
            *self = State::Locked(value);
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "current_readers.op" {
            *self = State::Locked(value == "add");
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        if field.name() == "duration" {
            *self = State::Duration(value);
        }
    }
}
