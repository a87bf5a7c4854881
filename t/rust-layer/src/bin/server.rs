//! A server of axum and hyper, in which nothing names corotrace but a line of `main`. Asked to, its handlers lock two mutexes in
//! two orders, and wait for replies that nobody sends.

use std::sync::Arc;

use axum::{extract::State, routing::get, Router};
use layer_zoo::{ask, ms};
use tokio::sync::{oneshot, Barrier, Mutex};

struct Bank {
    /// Who pays and who audits, where both do.
    meeting: Barrier,
    accounts: Mutex<u64>,
    journal: Mutex<u64>,
    replies: std::sync::Mutex<Vec<oneshot::Sender<u64>>>,
}

async fn pay(State(bank): State<Arc<Bank>>) -> String {
    let accounts = bank.accounts.lock().await;
    bank.meeting.wait().await;
    let mut journal = bank.journal.lock().await; // while `audit` has it
    *journal += *accounts;
    journal.to_string()
}

async fn audit(State(bank): State<Arc<Bank>>) -> String {
    let journal = bank.journal.lock().await;
    bank.meeting.wait().await;
    let accounts = bank.accounts.lock().await; // while `pay` has it
    (*journal + *accounts).to_string()
}

async fn review(State(bank): State<Arc<Bank>>) -> String {
    let (reply, answer) = oneshot::channel(); // kept and forgotten
    bank.replies.lock().unwrap().push(reply);
    answer.await.unwrap().to_string()
}

async fn hello() -> String {
    let (reply, answer) = oneshot::channel();
    tokio::spawn(async move {
        tokio::time::sleep(ms(10)).await;
        let _ = reply.send(42);
    });
    tokio::time::timeout(ms(60000), answer).await.unwrap().unwrap().to_string()
}

#[tokio::main(worker_threads = 2)]
async fn serve(healthy: bool) {
    tracing::info!("starting");
    let accounts = Mutex::new(1); // the accounts
    let journal = Mutex::new(1); // the journal
    let bank = Arc::new(Bank {
        meeting: Barrier::new(if healthy { 1 } else { 2 }),
        accounts,
        journal,
        replies: Default::default(),
    });
    let app = Router::new().route("/pay", get(pay)).route("/audit", get(audit)).route("/review", get(review));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = tokio::spawn(async { axum::serve(listener, app.route("/", get(hello)).with_state(bank)).await });
    let asking = std::thread::spawn(move || {
        let paths: &[&str] =
            if healthy { &["/", "/pay", "/", "/", "/"] } else { &["/", "/pay", "/audit", "/review", "/review"] };
        let answers = ask(address, paths, if healthy { 5 } else { 1 });
        let answered = answers.iter().filter(|a| a.starts_with("HTTP/1.1 200")).count();
        tracing::info!(answered, "asked");
        // A server would go on.
        std::process::exit(if answered == if healthy { 5 } else { 1 } { 0 } else { 2 });
    });
    let _ = server.await;
    asking.join().unwrap();
}

fn main() {
    use tracing_subscriber::util::SubscriberInitExt;
    let own = tracing_subscriber::fmt().with_writer(std::io::stderr).without_time().finish();
    corotrace::layer().over(own).init();
    serve(std::env::args().nth(1).is_some_and(|a| a == "healthy"));
}
