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

macro_rules! wraps {
    ($name:ident $(<$a:lifetime>)?, $real:ty, |$this:ident| $fd:expr) => {
        #[doc = concat!("tokio's `", stringify!($name), "`, which it derefs to; who waits for it waits on `fd:NUMBER`.")]
        #[derive(Debug)]
        pub struct $name $(<$a>)?($real);

        impl $(<$a>)? $name $(<$a>)? {
            fn on(&self) -> On {
                let $this = &self.0;
                On::fd($fd)
            }
        }

        impl $(<$a>)? From<$real> for $name $(<$a>)? {
            fn from(inner: $real) -> Self {
                Self(inner)
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

/// What is asked of a socket itself.
macro_rules! socket {
    ($name:ident) => {
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
socket!(TcpListener);
socket!(TcpStream);
socket!(UnixListener);
socket!(UnixStream);
socket!(UdpSocket);
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

impl TcpListener {
    /// As tokio's `bind`.
    pub async fn bind<A: ToSocketAddrs>(addr: A) -> io::Result<Self> {
        Ok(Self(real::TcpListener::bind(addr).await?))
    }

    /// As tokio's `from_std`.
    #[track_caller]
    pub fn from_std(listener: std::net::TcpListener) -> io::Result<Self> {
        Ok(Self(real::TcpListener::from_std(listener)?))
    }

    /// As tokio's `accept`.
    #[track_caller]
    pub fn accept(&self) -> impl Future<Output = io::Result<(TcpStream, std::net::SocketAddr)>> + '_ {
        let accept = self.0.accept().waiting_on(self.on());
        async move { accept.await.map(|(stream, from)| (TcpStream(stream), from)) }
    }

    /// As tokio's `into_std`.
    pub fn into_std(self) -> io::Result<std::net::TcpListener> {
        self.0.into_std()
    }
}

impl TcpStream {
    /// As tokio's `connect`.
    pub async fn connect<A: ToSocketAddrs>(addr: A) -> io::Result<Self> {
        Ok(Self(real::TcpStream::connect(addr).waiting_on(On::any_fd()).await?))
    }

    /// As tokio's `from_std`.
    #[track_caller]
    pub fn from_std(stream: std::net::TcpStream) -> io::Result<Self> {
        Ok(Self(real::TcpStream::from_std(stream)?))
    }

    /// As tokio's `into_std`.
    pub fn into_std(self) -> io::Result<std::net::TcpStream> {
        self.0.into_std()
    }

    /// As tokio's `peek`.
    #[track_caller]
    pub fn peek<'a>(&'a self, buf: &'a mut [u8]) -> impl Future<Output = io::Result<usize>> + 'a {
        self.0.peek(buf).waiting_on(self.on())
    }

    /// As tokio's `split`.
    pub fn split(&mut self) -> (ReadHalf<'_>, WriteHalf<'_>) {
        let (read, write) = self.0.split();
        (ReadHalf(read), WriteHalf(write))
    }

    /// As tokio's `into_split`.
    pub fn into_split(self) -> (OwnedReadHalf, OwnedWriteHalf) {
        let (read, write) = self.0.into_split();
        (OwnedReadHalf(read), OwnedWriteHalf(write))
    }
}

impl OwnedReadHalf {
    /// As tokio's `reunite`.
    pub fn reunite(self, other: OwnedWriteHalf) -> Result<TcpStream, real::tcp::ReuniteError> {
        self.0.reunite(other.0).map(TcpStream)
    }
}

impl OwnedWriteHalf {
    /// As tokio's `forget`.
    pub fn forget(self) {
        self.0.forget();
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

    /// As tokio's `send`.
    #[track_caller]
    pub fn send<'a>(&'a self, buf: &'a [u8]) -> impl Future<Output = io::Result<usize>> + 'a {
        self.0.send(buf).waiting_on(self.on())
    }
}
