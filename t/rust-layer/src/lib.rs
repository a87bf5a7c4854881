//! What the programs share.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

pub fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// Asks the server for each path, all at once, and leaves the connections open; the answers of the first so many, and what the
/// others have said a second later.
pub fn ask(server: SocketAddr, paths: &[&str], answered: usize) -> Vec<String> {
    let asked: Vec<_> = paths
        .iter()
        .map(|path| {
            let mut connection = TcpStream::connect(server).unwrap();
            write!(connection, "GET {path} HTTP/1.1\r\nHost: test\r\n\r\n").unwrap();
            connection
        })
        .collect();
    let answer = |(i, mut connection): (usize, TcpStream)| {
        let mut answer = [0; 4096];
        if i == answered {
            std::thread::sleep(ms(1000));
        }
        connection.set_nonblocking(i >= answered).unwrap();
        let n = connection.read(&mut answer).unwrap_or(0);
        std::mem::forget(connection); // nobody leaves
        String::from_utf8_lossy(&answer[..n]).into_owned()
    };
    // While they wait, each says more.
    for mut connection in asked.iter().skip(answered) {
        std::thread::sleep(ms(50));
        write!(connection, "GET / HTTP/1.1\r\n").unwrap();
    }
    asked.into_iter().enumerate().map(answer).collect()
}
