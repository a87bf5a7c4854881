//! Sockets whose waiters wait on `fd:NUMBER`.
//!
//! Reads and writes through `AsyncRead` and `AsyncWrite` are called by tokio, so that their site is not known: that of the
//! task stands for it, but in call stacks.

use core::future::Future;
use core::ops::{Deref, DerefMut};
use core::pin::Pin;
use core::task::{Context, Poll};
use std::io::{self, IoSlice};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};

use ::tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf, Ready};
use ::tokio::net as real;

use crate::polling::polled;
use crate::{On, TraceFutureExt};

#[doc(no_inline)]
pub use ::tokio::net::*;

/// tokio's halves of a stream, which say what they wait on.
pub mod tcp {
    pub use super::{OwnedReadHalf, OwnedWriteHalf, ReadHalf, WriteHalf};
    #[doc(no_inline)]
    pub use ::tokio::net::tcp::*;
}

/// The same of Unix sockets.
pub mod unix {
    pub use super::{
        UnixOwnedReadHalf as OwnedReadHalf, UnixOwnedWriteHalf as OwnedWriteHalf, UnixReadHalf as ReadHalf,
        UnixWriteHalf as WriteHalf,
    };
    #[doc(no_inline)]
    pub use ::tokio::net::unix::*;
}

macro_rules! wraps {
    ($name:ident $(<$a:lifetime>)?, $real:ty, |$this:ident| $fd:expr) => {
        #[doc = concat!("tokio's `", stringify!($name), "`, which it derefs to; who waits for it waits on `fd:NUMBER`.")]
        #[derive(Debug)]
        pub struct $name $(<$a>)?($real);

        impl $(<$a>)? $name $(<$a>)? {
            pub(crate) fn on(&self) -> On {
                let $this = &self.0;
                On::fd($fd)
            }
        }

        impl $(<$a>)? From<$real> for $name $(<$a>)? {
            fn from(inner: $real) -> Self {
                Self(inner)
            }
        }

        impl $(<$a>)? From<$name $(<$a>)?> for $real {
            fn from(this: $name $(<$a>)?) -> Self {
                this.0
            }
        }

        impl $(<$a>)? $name $(<$a>)? {
            /// tokio's own.
            pub fn into_inner(self) -> $real {
                self.0
            }
        }

        impl $(<$a>)? Deref for $name $(<$a>)? {
            type Target = $real;

            fn deref(&self) -> &$real {
                &self.0
            }
        }

        impl $(<$a>)? DerefMut for $name $(<$a>)? {
            fn deref_mut(&mut self) -> &mut $real {
                &mut self.0
            }
        }
    };
}

macro_rules! reads {
    ($name:ident) => {
        impl AsyncRead for $name<'_> { reads!(@); }
    };
    ($name:ident owned) => {
        impl AsyncRead for $name { reads!(@); }
    };
    (@) => {
        fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
            let on = self.on();
            polled(on, cx, |cx| Pin::new(&mut self.0).poll_read(cx, buf))
        }
    };
}

macro_rules! writes {
    ($name:ident) => {
        impl AsyncWrite for $name<'_> { writes!(@); }
    };
    ($name:ident owned) => {
        impl AsyncWrite for $name { writes!(@); }
    };
    (@) => {
        fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
            let on = self.on();
            polled(on, cx, |cx| Pin::new(&mut self.0).poll_write(cx, buf))
        }

        fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
            let on = self.on();
            polled(on, cx, |cx| Pin::new(&mut self.0).poll_flush(cx))
        }

        fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
            let on = self.on();
            polled(on, cx, |cx| Pin::new(&mut self.0).poll_shutdown(cx))
        }

        fn poll_write_vectored(
            mut self: Pin<&mut Self>,
            cx: &mut Context<'_>,
            bufs: &[IoSlice<'_>],
        ) -> Poll<io::Result<usize>> {
            let on = self.on();
            polled(on, cx, |cx| Pin::new(&mut self.0).poll_write_vectored(cx, bufs))
        }

        fn is_write_vectored(&self) -> bool {
            self.0.is_write_vectored()
        }
    };
}

/// What is asked of a socket itself, and what becomes of one of the standard library's.
macro_rules! socket {
    ($name:ident) => {
        socket!(@ $name);
    };
    ($name:ident, $std:ty) => {
        socket!(@ $name);

        impl $name {
            /// As tokio's `from_std`.
            #[track_caller]
            pub fn from_std(socket: $std) -> io::Result<Self> {
                Ok(Self(real::$name::from_std(socket)?))
            }

            /// As tokio's `into_std`.
            pub fn into_std(self) -> io::Result<$std> {
                self.0.into_std()
            }
        }

        impl TryFrom<$std> for $name {
            type Error = io::Error;

            #[track_caller]
            fn try_from(socket: $std) -> io::Result<Self> {
                Self::from_std(socket)
            }
        }
    };
    (@ $name:ident) => {
        impl AsFd for $name {
            fn as_fd(&self) -> BorrowedFd<'_> {
                self.0.as_fd()
            }
        }

        impl AsRawFd for $name {
            fn as_raw_fd(&self) -> RawFd {
                self.0.as_raw_fd()
            }
        }
    };
}

/// Waiting for a socket to be ready.
macro_rules! readiness {
    ($name:ident) => {
        impl $name {
            /// As tokio's `ready`.
            #[track_caller]
            pub fn ready(&self, interest: Interest) -> impl Future<Output = io::Result<Ready>> + '_ {
                self.0.ready(interest).waiting_on(self.on())
            }

            /// As tokio's `readable`.
            #[track_caller]
            pub fn readable(&self) -> impl Future<Output = io::Result<()>> + '_ {
                self.0.readable().waiting_on(self.on())
            }

            /// As tokio's `writable`.
            #[track_caller]
            pub fn writable(&self) -> impl Future<Output = io::Result<()>> + '_ {
                self.0.writable().waiting_on(self.on())
            }
        }
    };
}

wraps!(TcpListener, real::TcpListener, |s| s.as_fd());
wraps!(TcpStream, real::TcpStream, |s| s.as_fd());
wraps!(UnixListener, real::UnixListener, |s| s.as_fd());
wraps!(UnixStream, real::UnixStream, |s| s.as_fd());
wraps!(UdpSocket, real::UdpSocket, |s| s.as_fd());
wraps!(ReadHalf<'a>, real::tcp::ReadHalf<'a>, |s| s.as_ref().as_fd());
wraps!(WriteHalf<'a>, real::tcp::WriteHalf<'a>, |s| s.as_ref().as_fd());
wraps!(OwnedReadHalf, real::tcp::OwnedReadHalf, |s| s.as_ref().as_fd());
wraps!(OwnedWriteHalf, real::tcp::OwnedWriteHalf, |s| s.as_ref().as_fd());
wraps!(UnixReadHalf<'a>, real::unix::ReadHalf<'a>, |s| s.as_ref().as_fd());
wraps!(UnixWriteHalf<'a>, real::unix::WriteHalf<'a>, |s| s.as_ref().as_fd());
wraps!(UnixOwnedReadHalf, real::unix::OwnedReadHalf, |s| s.as_ref().as_fd());
wraps!(UnixOwnedWriteHalf, real::unix::OwnedWriteHalf, |s| s.as_ref().as_fd());
wraps!(TcpSocket, real::TcpSocket, |s| s.as_fd());
socket!(TcpSocket);
socket!(TcpListener, std::net::TcpListener);
socket!(TcpStream, std::net::TcpStream);
socket!(UnixListener, std::os::unix::net::UnixListener);
socket!(UnixStream, std::os::unix::net::UnixStream);
socket!(UdpSocket, std::net::UdpSocket);
readiness!(TcpStream);
readiness!(UnixStream);
readiness!(UdpSocket);
reads!(TcpStream owned);
reads!(UnixStream owned);
reads!(ReadHalf);
reads!(OwnedReadHalf owned);
writes!(TcpStream owned);
writes!(UnixStream owned);
writes!(WriteHalf);
writes!(OwnedWriteHalf owned);
reads!(UnixReadHalf);
reads!(UnixOwnedReadHalf owned);
writes!(UnixWriteHalf);
writes!(UnixOwnedWriteHalf owned);

impl TcpListener {
    /// As tokio's `bind`.
    pub async fn bind<A: ToSocketAddrs>(addr: A) -> io::Result<Self> {
        Ok(Self(real::TcpListener::bind(addr).await?))
    }

    /// As tokio's `accept`.
    #[track_caller]
    pub fn accept(&self) -> impl Future<Output = io::Result<(TcpStream, std::net::SocketAddr)>> + '_ {
        let accept = self.0.accept().waiting_on(self.on());
        async move { accept.await.map(|(stream, from)| (TcpStream(stream), from)) }
    }

    /// As tokio's `poll_accept`.
    pub fn poll_accept(&self, cx: &mut Context<'_>) -> Poll<io::Result<(TcpStream, std::net::SocketAddr)>> {
        polled(self.on(), cx, |cx| self.0.poll_accept(cx)).map_ok(|(stream, from)| (TcpStream(stream), from))
    }
}

impl TcpStream {
    /// As tokio's `connect`.
    pub async fn connect<A: ToSocketAddrs>(addr: A) -> io::Result<Self> {
        Ok(Self(real::TcpStream::connect(addr).waiting_on(On::any_fd()).await?))
    }

    /// As tokio's `peek`.
    #[track_caller]
    pub fn peek<'a>(&'a self, buf: &'a mut [u8]) -> impl Future<Output = io::Result<usize>> + 'a {
        self.0.peek(buf).waiting_on(self.on())
    }
}

/// A stream in halves.
macro_rules! halves {
    ($stream:ident, $module:ident: $read:ident $write:ident $owned_read:ident $owned_write:ident) => {
        impl $stream {
            /// As tokio's `split`.
            pub fn split(&mut self) -> ($read<'_>, $write<'_>) {
                let (read, write) = self.0.split();
                ($read(read), $write(write))
            }

            /// As tokio's `into_split`.
            pub fn into_split(self) -> ($owned_read, $owned_write) {
                let (read, write) = self.0.into_split();
                ($owned_read(read), $owned_write(write))
            }
        }

        impl $owned_read {
            /// As tokio's `reunite`.
            pub fn reunite(self, other: $owned_write) -> Result<$stream, real::$module::ReuniteError> {
                self.0.reunite(other.0).map($stream)
            }
        }

        impl $owned_write {
            /// As tokio's `reunite`.
            pub fn reunite(self, other: $owned_read) -> Result<$stream, real::$module::ReuniteError> {
                other.reunite(self)
            }

            /// As tokio's `forget`.
            pub fn forget(self) {
                self.0.forget();
            }
        }
    };
}
halves!(TcpStream, tcp: ReadHalf WriteHalf OwnedReadHalf OwnedWriteHalf);
halves!(UnixStream, unix: UnixReadHalf UnixWriteHalf UnixOwnedReadHalf UnixOwnedWriteHalf);

impl TcpSocket {
    /// As tokio's `new_v4`.
    pub fn new_v4() -> io::Result<Self> {
        Ok(Self(real::TcpSocket::new_v4()?))
    }

    /// As tokio's `new_v6`.
    pub fn new_v6() -> io::Result<Self> {
        Ok(Self(real::TcpSocket::new_v6()?))
    }

    /// As tokio's `from_std_stream`.
    pub fn from_std_stream(stream: std::net::TcpStream) -> Self {
        Self(real::TcpSocket::from_std_stream(stream))
    }

    /// As tokio's `connect`.
    #[track_caller]
    pub fn connect(self, to: std::net::SocketAddr) -> impl Future<Output = io::Result<TcpStream>> {
        let on = self.on();
        let connect = self.0.connect(to).waiting_on(on);
        async move { connect.await.map(TcpStream) }
    }

    /// As tokio's `listen`.
    #[track_caller]
    pub fn listen(self, backlog: u32) -> io::Result<TcpListener> {
        Ok(TcpListener(self.0.listen(backlog)?))
    }
}

impl UnixListener {
    /// As tokio's `bind`.
    #[track_caller]
    pub fn bind(path: impl AsRef<std::path::Path>) -> io::Result<Self> {
        Ok(Self(real::UnixListener::bind(path)?))
    }

    /// As tokio's `accept`.
    #[track_caller]
    pub fn accept(&self) -> impl Future<Output = io::Result<(UnixStream, real::unix::SocketAddr)>> + '_ {
        let accept = self.0.accept().waiting_on(self.on());
        async move { accept.await.map(|(stream, from)| (UnixStream(stream), from)) }
    }

    /// As tokio's `poll_accept`.
    pub fn poll_accept(&self, cx: &mut Context<'_>) -> Poll<io::Result<(UnixStream, real::unix::SocketAddr)>> {
        polled(self.on(), cx, |cx| self.0.poll_accept(cx)).map_ok(|(stream, from)| (UnixStream(stream), from))
    }
}

impl UnixStream {
    /// As tokio's `connect`.
    pub async fn connect(path: impl AsRef<std::path::Path>) -> io::Result<Self> {
        Ok(Self(real::UnixStream::connect(path).waiting_on(On::any_fd()).await?))
    }

    /// As tokio's `pair`.
    #[track_caller]
    pub fn pair() -> io::Result<(Self, Self)> {
        let (a, b) = real::UnixStream::pair()?;
        Ok((Self(a), Self(b)))
    }
}

impl UdpSocket {
    /// As tokio's `bind`.
    pub async fn bind<A: ToSocketAddrs>(addr: A) -> io::Result<Self> {
        Ok(Self(real::UdpSocket::bind(addr).await?))
    }

    /// As tokio's `recv`.
    #[track_caller]
    pub fn recv<'a>(&'a self, buf: &'a mut [u8]) -> impl Future<Output = io::Result<usize>> + 'a {
        self.0.recv(buf).waiting_on(self.on())
    }

    /// As tokio's `recv_from`.
    #[track_caller]
    pub fn recv_from<'a>(
        &'a self,
        buf: &'a mut [u8],
    ) -> impl Future<Output = io::Result<(usize, std::net::SocketAddr)>> + 'a {
        self.0.recv_from(buf).waiting_on(self.on())
    }

    /// As tokio's `send_to`.
    pub async fn send_to<A: ToSocketAddrs>(&self, buf: &[u8], to: A) -> io::Result<usize> {
        self.0.send_to(buf, to).waiting_on(self.on()).await
    }

    /// As tokio's `send`.
    #[track_caller]
    pub fn send<'a>(&'a self, buf: &'a [u8]) -> impl Future<Output = io::Result<usize>> + 'a {
        self.0.send(buf).waiting_on(self.on())
    }
}

/// So that `axum::serve` takes it; each connection is a task of axum's own `spawn`, which the feature `layer` traces.
#[cfg(feature = "axum")]
macro_rules! serves {
    ($name:ident, $stream:ident, $addr:ty) => {
        impl axum::serve::Listener for $name {
            type Io = $stream;
            type Addr = $addr;

            async fn accept(&mut self) -> ($stream, $addr) {
                // Which errors there are to be waited for, and how, is axum's to say.
                let on = self.on();
                let (stream, from) = axum::serve::Listener::accept(&mut self.0).waiting_on(on).await;
                ($stream(stream), from)
            }

            fn local_addr(&self) -> io::Result<$addr> {
                self.0.local_addr()
            }
        }
    };
}
#[cfg(feature = "axum")]
serves!(TcpListener, TcpStream, std::net::SocketAddr);
#[cfg(feature = "axum")]
serves!(UnixListener, UnixStream, real::unix::SocketAddr);
