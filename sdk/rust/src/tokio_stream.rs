//! tokio-stream, whose wrappers take what `corotrace::tokio` makes, and say what they wait on.
//!
//! ```
//! use corotrace::{tokio, tokio_stream};
//!
//! let (numbers, receiver) = tokio::sync::mpsc::channel::<u32>(4);
//! let mut stream = tokio_stream::wrappers::ReceiverStream::new(receiver);
//! # let _ = (numbers, &mut stream);
//! ```
//!
//! A stream is polled by others on its behalf, so it is not known where: the site of the task stands for it, but in call stacks.

#[doc(no_inline)]
pub use ::tokio_stream::*;

/// Streams of channels, intervals, tasks and listeners.
pub mod wrappers {
    use core::pin::Pin;
    use core::task::{Context, Poll};
    #[cfg(feature = "tokio-net")]
    use std::io;

    use ::tokio_stream::wrappers as real;
    use futures_core::Stream;

    #[cfg(feature = "tokio-net")]
    use crate::tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
    use crate::{
        polling::polled,
        tokio::sync::{broadcast, mpsc, watch},
        tokio::task::{JoinError, JoinSet},
        tokio::time::{Instant, Interval},
        On,
    };

    #[doc(no_inline)]
    pub use ::tokio_stream::wrappers::*;

    /// A stream that is made of one thing: how it is polled, and what that waits on.
    macro_rules! stream {
        ($name:ident $(<$t:ident>)?, $of:ty, $item:ty, |$this:ident, $cx:ident| $poll:expr, $on:expr) => {
            #[doc = concat!("tokio-stream's `", stringify!($name), "`; it says what it waits on.")]
            #[derive(Debug)]
            pub struct $name $(<$t>)? {
                inner: $of,
            }

            impl $(<$t>)? $name $(<$t>)? {
                /// As tokio-stream's `new`.
                pub fn new(inner: $of) -> Self {
                    Self { inner }
                }

                /// What it was made of.
                pub fn into_inner(self) -> $of {
                    self.inner
                }
            }

            impl $(<$t: 'static>)? Stream for $name $(<$t>)? {
                type Item = $item;

                fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<$item>> {
                    let $this = &mut self.inner;
                    let on = $on;
                    polled(on, cx, |$cx| $poll)
                }
            }

            impl $(<$t>)? AsRef<$of> for $name $(<$t>)? {
                fn as_ref(&self) -> &$of {
                    &self.inner
                }
            }

            impl $(<$t>)? AsMut<$of> for $name $(<$t>)? {
                fn as_mut(&mut self) -> &mut $of {
                    &mut self.inner
                }
            }

            impl $(<$t>)? From<$of> for $name $(<$t>)? {
                fn from(inner: $of) -> Self {
                    Self::new(inner)
                }
            }
        };
    }
    stream!(ReceiverStream<T>, mpsc::Receiver<T>, T, |s, cx| s.poll_recv(cx), s.on());
    stream!(UnboundedReceiverStream<T>, mpsc::UnboundedReceiver<T>, T, |s, cx| s.poll_recv(cx), s.on());
    stream!(IntervalStream, Interval, Instant, |s, cx| s.poll_tick(cx).map(Some), On::timer_any());
    stream!(JoinSetStream<T>, JoinSet<T>, Result<T, JoinError>, |s, cx| s.poll_join_next(cx), On::join(0).any());
    #[cfg(feature = "tokio-net")]
    stream!(
        TcpListenerStream,
        TcpListener,
        io::Result<TcpStream>,
        |s, cx| s.poll_accept(cx).map(|r| Some(r.map(|(stream, _)| stream))),
        s.on()
    );
    #[cfg(feature = "tokio-net")]
    stream!(
        UnixListenerStream,
        UnixListener,
        io::Result<UnixStream>,
        |s, cx| s.poll_accept(cx).map(|r| Some(r.map(|(stream, _)| stream))),
        s.on()
    );

    macro_rules! closes {
        ($name:ident) => {
            impl<T> $name<T> {
                /// As tokio-stream's `close`.
                #[track_caller]
                pub fn close(&mut self) {
                    self.inner.close();
                }
            }
        };
    }
    closes!(ReceiverStream);
    closes!(UnboundedReceiverStream);

    /// A stream of tokio-stream's own, which keeps the receiver.
    macro_rules! receiver {
        ($name:ident, $of:ident, $item:ty, $($bound:tt)*) => {
            #[doc = concat!("tokio-stream's `", stringify!($name), "`; it says what it waits on.")]
            #[derive(Debug)]
            pub struct $name<T> {
                inner: real::$name<T>,
                on: On,
            }

            impl<T: $($bound)*> $name<T> {
                /// As tokio-stream's `new`.
                pub fn new(receiver: $of::Receiver<T>) -> Self {
                    Self { on: receiver.on(), inner: real::$name::new(receiver.into_inner()) }
                }
            }

            impl<T: $($bound)*> Stream for $name<T> {
                type Item = $item;

                fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<$item>> {
                    polled(self.on, cx, |cx| Pin::new(&mut self.inner).poll_next(cx))
                }
            }

            impl<T: $($bound)*> From<$of::Receiver<T>> for $name<T> {
                fn from(receiver: $of::Receiver<T>) -> Self {
                    Self::new(receiver)
                }
            }
        };
    }
    receiver!(BroadcastStream, broadcast, Result<T, errors::BroadcastStreamRecvError>, 'static + Clone + Send);
    receiver!(WatchStream, watch, T, 'static + Clone + Send + Sync);

    impl<T: 'static + Clone + Send + Sync> WatchStream<T> {
        /// As tokio-stream's `from_changes`.
        pub fn from_changes(receiver: watch::Receiver<T>) -> Self {
            Self { on: receiver.on(), inner: real::WatchStream::from_changes(receiver.into_inner()) }
        }
    }
}
