//! smol: tasks of its global executor, and a server and its client over a socket.
use corotrace::TraceFutureExt;
use smol::io::{AsyncReadExt, AsyncWriteExt};
use smol::net::{TcpListener, TcpStream};

async fn serve(listener: TcpListener) {
    while let Ok((mut connection, _)) = listener.accept().await {
        let echo = async move {
            let mut byte = [0];
            while connection.read_exact(&mut byte).await.is_ok() {
                connection.write_all(&byte).await.unwrap();
            }
        };
        smol::spawn(echo.traced_as("connection")).detach();
    }
}

async fn ask() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut connection = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
    smol::spawn(serve(listener).traced_as("server")).detach();
    let mut byte = [7];
    connection.write_all(&byte).await.unwrap();
    connection.read_exact(&mut byte).await.unwrap();
}

fn main() {
    for task in rust_runtimes::tasks(rust_runtimes::bug()) {
        smol::spawn(task.traced()).detach();
    }
    smol::block_on(ask().traced());
    std::thread::sleep(rust_runtimes::WHILE);
}
