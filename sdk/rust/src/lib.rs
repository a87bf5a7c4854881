#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
#![cfg_attr(loom, allow(dead_code, missing_docs))]
#![cfg_attr(miri, allow(dead_code, unused_imports))]

mod bell;
mod ctp;
mod lent;
mod reader;
mod ring;
mod station;
mod sync;

#[cfg(not(loom))]
mod attach;
#[cfg(not(loom))]
mod backing;
#[cfg(not(loom))]
mod boxes;
#[cfg(not(loom))]
mod claim;
#[cfg(not(loom))]
mod copy;
#[cfg(not(loom))]
mod flag;
#[cfg(not(loom))]
mod future;
#[cfg(not(loom))]
mod link;
#[cfg(not(loom))]
mod on;
#[cfg(not(loom))]
mod part;
#[cfg(not(loom))]
mod poll_trace;
#[cfg(not(loom))]
mod polling;
#[cfg(not(loom))]
mod probe;
#[cfg(not(loom))]
mod process;
#[cfg(not(loom))]
mod region;
#[cfg(not(loom))]
mod stack;
#[cfg(not(loom))]
mod sys;
#[cfg(not(loom))]
mod text;
#[cfg(not(loom))]
mod threads;
#[cfg(not(loom))]
mod v1;
#[cfg(not(loom))]
mod waker;
#[cfg(not(loom))]
mod walks;
#[cfg(not(loom))]
mod writer;

#[cfg(all(feature = "tokio", not(loom)))]
pub mod tokio;
#[cfg(all(feature = "tokio-stream", not(loom)))]
pub mod tokio_stream;
#[cfg(all(feature = "tokio-util", not(loom)))]
pub mod tokio_util;

#[cfg(all(feature = "layer", not(loom)))]
mod layer;
#[cfg(all(feature = "layer", not(loom)))]
pub use crate::layer::{layer, Layer};

#[cfg(all(test, not(loom)))]
mod layout;
#[cfg(all(test, loom))]
mod models;
#[cfg(all(test, not(loom)))]
mod tests;

#[cfg(not(loom))]
pub use crate::{
    future::{pending, trace_future, TraceFutureExt, TracedFuture, WaitingOn},
    on::{Leg, On},
    poll_trace::PollTrace,
    polling::waits_on,
    probe::*,
};
