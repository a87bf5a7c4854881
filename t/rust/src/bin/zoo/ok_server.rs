//! A server: connections, a lock, channels, select, timeouts, joins, blocking calls; idle when the trace ends.
//! expect: nothing proven
use std::sync::Arc;

use corotrace::{On, TraceFutureExt};
use rust_zoo::ms;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot, Mutex};
use tokio::time::timeout;

type Request = (u64, oneshot::Sender<u64>);

async fn serve(mut stream: TcpStream, requests: mpsc::Sender<Request>, total: Arc<Mutex<u64>>) {
    while let Ok(n) = stream.read_u64().waiting_on(On::user("request")).await {
        let (reply, answer) = oneshot::channel();
        requests.send((n, reply)).await.unwrap();
        let Ok(Ok(answer)) = timeout(ms(5000), answer).await else {
            return;
        };
        *total.lock().waiting_on(On::mutex(&*total)).await += answer;
        stream.write_u64(answer).await.unwrap();
    }
}

async fn answer(mut requests: mpsc::Receiver<Request>) {
    loop {
        let next = async { requests.recv().await }.traced_as("next");
        match timeout(ms(30), next).await {
            Ok(Some((n, reply))) => {
                let square = corotrace::tokio::spawn_blocking(move || n * n);
                let _ = reply.send(square.await.unwrap());
            }
            Ok(None) => return,
            Err(_) => tokio::task::yield_now().await,
        }
    }
}

async fn client(port: u16, n: u64) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    for i in 0..10 {
        stream.write_u64(i + n).await.unwrap();
        assert_eq!(stream.read_u64().await.unwrap(), (i + n) * (i + n));
    }
    if n % 2 == 0 {
        corotrace::tokio::sleep(ms(60_000)).await;
    }
}

pub fn main() {
    rust_zoo::on_tokio(|| {
        corotrace::tokio::spawn_as("main", async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let port = listener.local_addr().unwrap().port();
            let (send, requests) = mpsc::channel(2);
            corotrace::tokio::spawn(answer(requests));
            for n in 0..20 {
                corotrace::tokio::spawn_as("client", client(port, n));
            }
            let total = Arc::new(Mutex::new(0));
            while let Ok((stream, _)) = listener.accept().await {
                corotrace::tokio::spawn(serve(stream, send.clone(), total.clone()));
            }
        });
    });
}
