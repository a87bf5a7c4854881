//! What programs of tokio write, each in tokio's own words and by one line of `use`: it has to compile, to do what it
//! does with tokio, and to be found healthy.
mod net;
mod runtimes;
mod streams;
mod sync;
mod tasks;

use std::future::Future;

use corotrace::tokio;
use tokio::time::{timeout, Duration};

/// Each ends by itself, in a task of its own.
async fn done<F: Future<Output = ()> + Send + 'static>(name: &str, pattern: F) {
    let ended = timeout(Duration::from_secs(20), tokio::spawn(pattern)).await;
    ended.unwrap_or_else(|_| panic!("{name} does not end")).unwrap();
    println!("{name}");
}

macro_rules! each {
    ($($module:ident: $($name:ident)*;)*) => {
        #[tokio::main(flavor = "current_thread")] // so that who waits is the same each time
        async fn all() {
            $($(done(stringify!($name), $module::$name()).await;)*)*
        }
    };
}
each! {
    streams: receiver unbounded broadcast watch interval listener join_set delay_queue extensions poll_sender poll_semaphore;
    net: serve framed client copy split_owned split_borrowed from_std socket descriptors unix generic halves lookup;
    sync: permits guards channels states notified once oneshots values printed bounds;
    tasks: select join set tracker token handles abort_on_drop held boxed budget buffer files;
}

fn main() {
    all();
    for (name, pattern) in runtimes::ALL {
        pattern();
        println!("{name}");
    }
}
