//! The Rust probe's driver for `ct-check --probe`: each command is a call of a `PollTrace`.
use std::collections::HashMap;
use std::io::{stdin, BufRead};
use std::os::fd::BorrowedFd;
use std::process::id;

use corotrace::{On, PollTrace, Role};

fn thing(text: &str) -> On {
    let Some((kind, value)) = text.split_once(':') else { return On::nothing() };
    let hex = value.strip_prefix("0x").and_then(|hex| usize::from_str_radix(hex, 16).ok());
    let number = hex.or(value.parse().ok()).unwrap_or(0);
    let address = std::ptr::without_provenance::<()>(number);
    match kind {
        // SAFETY: a number to be recorded, and not used.
        "fd" => On::fd(unsafe { BorrowedFd::borrow_raw(number as i32) }),
        "mutex" => On::mutex(address),
        "room" => On::room(address),
        "chan" => On::chan(address),
        "coro" => On::coro(number as u64),
        _ => On::user(value),
    }
}

fn at(line: u32) -> String {
    format!("ok {}:{line}", file!())
}

fn fork() -> String {
    // SAFETY: no other thread lives, for each was waited for.
    match unsafe { libc::fork() } {
        0 => format!("ok {}", id()),
        child => {
            // SAFETY: that child.
            unsafe { libc::waitpid(child, std::ptr::null_mut(), 0) };
            "ok".into()
        }
    }
}

fn obey(traces: &mut HashMap<String, PollTrace>, line: &str) -> String {
    let words: Vec<&str> = line.splitn(3, ' ').collect();
    let last = words.get(2).copied().unwrap_or("");
    let who = words.get(1).copied().unwrap_or("");
    if words[0] == "create" {
        let new = if last.is_empty() { PollTrace::new() } else { PollTrace::named(last) };
        let at = at(line!() - 1);
        let answer = format!("ok {}{}", new.id(), &at[2..]);
        traces.insert(who.into(), new);
        return answer;
    }
    if words[0] == "fork" {
        return fork();
    }
    let trace = traces.get_mut(if words[0] == "thread" { last } else { who });
    let Some(trace) = trace else { return "unknown".into() };
    match words[0] {
        "resume" => trace.on_resume(),
        "suspend" => {
            trace.on_wait(thing(last));
            return at(line!() - 1);
        }
        "wake" => {
            corotrace::wake(trace.id(), thing(last));
            return at(line!() - 1);
        }
        "dequeue" => {
            corotrace::dequeue(trace.id());
            return at(line!() - 1);
        }
        "destroy" if last == "1" => trace.on_ready(),
        "destroy" => drop(traces.remove(who)),
        "flood" => {
            for _ in 0..last.parse().unwrap_or(0) {
                trace.on_resume();
                trace.on_wait(On::nothing());
            }
        }
        "thread" => std::thread::scope(|scope| {
            let thread = scope.spawn(|| {
                corotrace::thread(Role::Worker, who);
                trace.on_resume();
                trace.on_wait(On::nothing());
            });
            thread.join().expect("it does not panic");
        }),
        _ => return "unknown".into(),
    }
    "ok".into()
}

fn main() {
    let mut traces = HashMap::new();
    corotrace::init();
    for line in stdin().lock().lines() {
        let line = line.expect("a line");
        if line == "exit" {
            std::process::exit(0); // what lives, lives on
        }
        println!("{}", obey(&mut traces, &line));
    }
}
