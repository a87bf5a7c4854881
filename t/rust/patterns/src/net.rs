//! Sockets, and who is handed one.
use corotrace::{tokio, tokio_util};

use std::os::fd::{AsFd, AsRawFd};

use futures_util::{SinkExt, StreamExt};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream, UdpSocket, UnixListener, UnixStream};
use tokio_util::codec::{BytesCodec, Framed, FramedRead, LinesCodec};

/// Two ends of a connection.
async fn pair() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    let (connected, accepted) = tokio::join!(TcpStream::connect(at), listener.accept());
    (connected.unwrap(), accepted.unwrap().0)
}

pub async fn serve() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    let app = axum::Router::new().route("/", axum::routing::get(|| async { "served" }));
    let server = tokio::spawn(async move { axum::serve(listener, app).await });
    let mut client = TcpStream::connect(at).await.unwrap();
    client.write_all(b"GET / HTTP/1.0\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).await.unwrap();
    assert!(answer.ends_with("\r\n\r\nserved"));
    server.abort();
}

pub async fn framed() {
    let (a, b) = pair().await;
    let (mut a, mut b) = (Framed::new(a, LinesCodec::new()), Framed::new(b, LinesCodec::new()));
    tokio::spawn(async move { a.send("a line").await });
    assert_eq!(b.next().await.unwrap().unwrap(), "a line");
}

pub async fn client() {
    let (a, mut b) = pair().await;
    let io = hyper_util::rt::TokioIo::new(a);
    let (mut client, connection) = hyper::client::conn::http1::handshake::<_, String>(io).await.unwrap();
    tokio::spawn(connection);
    tokio::spawn(async move {
        while b.read_u8().await.unwrap() != b'\n' {}
        b.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await.unwrap();
    });
    let answer = client.send_request(hyper::Request::new(String::new())).await.unwrap();
    assert_eq!(answer.status(), 204);
}

pub async fn copy() {
    let (mut near, mut a) = pair().await;
    let (mut b, mut far) = UnixStream::pair().unwrap();
    tokio::spawn(async move { tokio::io::copy_bidirectional(&mut a, &mut b).await });
    near.write_u8(7).await.unwrap();
    assert_eq!(far.read_u8().await.unwrap(), 7);
}

pub async fn split_owned() {
    let (a, b) = pair().await;
    let (reads, mut writes) = a.into_split();
    let (mut other, _) = tokio::io::split(b);
    writes.write_u8(7).await.unwrap();
    assert_eq!(other.read_u8().await.unwrap(), 7);
    let whole: TcpStream = reads.reunite(writes).unwrap();
    drop(whole);
    let (a, b) = UnixStream::pair().unwrap();
    let (reads, _writes): (tokio::net::unix::OwnedReadHalf, _) = a.into_split();
    drop(b);
    assert_eq!(FramedRead::new(reads, BytesCodec::new()).count().await, 0);
}

pub async fn split_borrowed() {
    let (mut a, mut b) = pair().await;
    let (mut reads, mut writes) = a.split();
    writes.write_u8(7).await.unwrap();
    assert_eq!(b.read_u8().await.unwrap(), 7);
    b.write_u8(8).await.unwrap();
    assert_eq!(reads.read_u8().await.unwrap(), 8);
    a.set_nodelay(true).unwrap();
    a.writable().await.unwrap();
    let std: std::net::TcpStream = a.into_std().unwrap();
    drop(std);
}

pub async fn from_std() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let listener = TcpListener::from_std(listener).unwrap();
    let own: ::tokio::net::TcpListener = listener.into();
    let listener = TcpListener::from(own);
    assert!(listener.local_addr().unwrap().port() != 0);
}

pub async fn socket() {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_reuseaddr(true).unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener: TcpListener = socket.listen(1).unwrap();
    let at = listener.local_addr().unwrap();
    let connected: TcpStream = TcpSocket::new_v4().unwrap().connect(at).await.unwrap();
    assert_eq!(connected.peer_addr().unwrap(), at);
}

pub async fn descriptors() {
    let (a, _b) = pair().await;
    assert_eq!(a.as_raw_fd(), a.as_fd().as_raw_fd());
    let (one, other) = (UdpSocket::bind("127.0.0.1:0").await.unwrap(), UdpSocket::bind("127.0.0.1:0").await.unwrap());
    one.send_to(b"seven", other.local_addr().unwrap()).await.unwrap();
    let mut buf = [0; 8];
    assert_eq!(other.recv_from(&mut buf).await.unwrap(), (5, one.local_addr().unwrap()));
}

pub async fn unix() {
    let path = std::env::temp_dir().join(format!("patterns-{}", std::process::id()));
    let listener = UnixListener::bind(&path).unwrap();
    let (connected, accepted) = tokio::join!(UnixStream::connect(&path), listener.accept());
    std::fs::remove_file(&path).unwrap();
    let (mut a, mut b) = (connected.unwrap(), accepted.unwrap().0);
    a.write_u8(7).await.unwrap();
    assert_eq!(b.read_u8().await.unwrap(), 7);
    let (mut sender, mut receiver) = tokio::net::unix::pipe::pipe().unwrap();
    sender.write_u8(7).await.unwrap();
    assert_eq!(receiver.read_u8().await.unwrap(), 7);
    drop(tokio::net::UnixDatagram::pair().unwrap());
}

async fn one<T: AsyncRead + Unpin>(mut from: T) -> u8 {
    from.read_u8().await.unwrap()
}

pub async fn generic() {
    let (mut a, b) = pair().await;
    a.write_u8(7).await.unwrap();
    assert_eq!(one(b).await, 7);
}

pub async fn halves() {
    async fn half(reads: tokio::net::tcp::OwnedReadHalf, writes: tokio::net::tcp::OwnedWriteHalf) -> usize {
        writes.forget();
        FramedRead::new(reads, BytesCodec::new()).count().await
    }
    let (a, b) = pair().await;
    let (reads, writes) = a.into_split();
    drop(b);
    assert_eq!(half(reads, writes).await, 0);
}

pub async fn lookup() {
    assert_eq!(tokio::net::lookup_host("127.0.0.1:1").await.unwrap().count(), 1);
}
