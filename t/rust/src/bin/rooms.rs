//! Channels that are full when the trace ends:
//!
//!     rooms mailboxes|answered        two actors fill each other's, before and after each has received: they hang
//!     rooms slow|moved|polled|chain   who receives is slow; in another task than before; by `poll_recv`; at the end of three
use corotrace::tokio;

use rust_zoo::ms;
use tokio::sync::mpsc::{channel, Receiver, Sender};
use tokio::time::sleep;

async fn actor(to: Sender<u32>, mut from: Receiver<u32>, answered: bool) {
    if answered {
        to.send(0).await.unwrap();
        from.recv().await.unwrap();
    }
    for i in 0..5 {
        to.send(i).await.unwrap();
    }
    while from.recv().await.is_some() {}
}

fn mailboxes(answered: bool) {
    let ((a, in_a), (b, in_b)) = (channel(2), channel(2));
    tokio::spawn(actor(a, in_b, answered));
    tokio::spawn(actor(b, in_a, answered));
}

async fn sends(to: Sender<u32>) {
    for i in 0..100 {
        to.send(i).await.unwrap();
    }
}

async fn takes(mut from: Receiver<u32>) {
    while from.recv().await.is_some() {
        sleep(ms(60_000)).await;
    }
}

fn slow() {
    let (to, from) = channel(2);
    for _ in 0..3 {
        tokio::spawn(sends(to.clone()));
    }
    tokio::spawn(takes(from));
}

/// It has taken a few; the task that goes on has taken none yet.
fn moved() {
    let (to, mut from) = channel(2);
    tokio::spawn(sends(to));
    tokio::spawn(async move {
        for _ in 0..3 {
            from.recv().await.unwrap();
        }
        tokio::spawn(async move {
            sleep(ms(60_000)).await;
            takes(from).await;
        });
    });
}

fn polled() {
    let (to, mut from) = channel(2);
    tokio::spawn(sends(to));
    tokio::spawn(async move {
        for _ in 0..3 {
            std::future::poll_fn(|cx| from.poll_recv(cx)).await.unwrap();
        }
        sleep(ms(60_000)).await;
    });
}

fn chain() {
    let ((a, in_a), (b, mut in_b)) = (channel(2), channel::<u32>(2));
    let mut first: Receiver<u32> = in_a;
    tokio::spawn(sends(a));
    tokio::spawn(async move {
        while let Some(i) = first.recv().await {
            b.send(i).await.unwrap();
        }
    });
    tokio::spawn(async move {
        in_b.recv().await.unwrap();
        let (c, in_c) = channel(1);
        tokio::spawn(takes(in_c));
        while let Some(i) = in_b.recv().await {
            c.send(i).await.unwrap();
        }
    });
}

fn main() {
    let which = std::env::args().nth(1).unwrap();
    rust_zoo::on_tokio(|| match which.as_str() {
        "mailboxes" => mailboxes(false),
        "answered" => mailboxes(true),
        "slow" => slow(),
        "moved" => moved(),
        "polled" => polled(),
        _ => chain(),
    });
}
