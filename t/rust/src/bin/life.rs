//! One of each, in an order that is always the same: what t/rust.t compares line by line.
use std::future::{poll_fn, Future};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use corotrace::{On, Role, TraceFutureExt};

async fn leaf() {
    let mut polls = 0;
    let twice = poll_fn(|cx| {
        polls += 1;
        cx.waker().wake_by_ref();
        if polls < 3 {
            Poll::Pending
        } else {
            Poll::Ready(())
        }
    });
    twice.waiting_on(On::user("leaf")).await
}

async fn root() {
    leaf().traced_as("part").await;
}

fn main() {
    corotrace::init();
    corotrace::thread(Role::Worker, "main");
    let mut task = pin!(root().traced_as("task"));
    let mut cx = Context::from_waker(Waker::noop());
    while task.as_mut().poll(&mut cx).is_pending() {}
    let thing = On::sem(&*Box::leak(Box::new(7)));
    corotrace::open(thing, "seven");
    corotrace::level(thing, 3);
    corotrace::acquire(thing);
    corotrace::release(thing);
    corotrace::notify(thing, 0);
    corotrace::close(thing);
    corotrace::park(None);
    corotrace::unpark(Some(2));
    drop(root().traced());
}
