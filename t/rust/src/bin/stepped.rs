//! Each call of the Rust probe is interrupted at each of its instructions, as t/targets/rec-step.c does to the C probe:
//! stepped COUNTFILE ACTION STRIDE. What a child does to its parent's coroutines is not recorded, and not counted here.
#[cfg(not(target_arch = "x86_64"))]
fn main() {
    std::process::exit(77)
}

#[cfg(target_arch = "x86_64")]
fn main() {
    stepped::main()
}

#[cfg(target_arch = "x86_64")]
mod stepped {
    use std::arch::asm;
    use std::ptr::null_mut;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
    use std::sync::OnceLock;

    use corotrace::{On, PollTrace};
    use rust_zoo::count::{self, emitted};

    static STEPS: AtomicU64 = AtomicU64::new(0);
    static AT: AtomicU64 = AtomicU64::new(0);
    static ACTED: AtomicBool = AtomicBool::new(false);
    static IS_CHILD: AtomicBool = AtomicBool::new(false);
    static INNER: AtomicU64 = AtomicU64::new(0);
    static ACTION: OnceLock<u8> = OnceLock::new(); // its first letter

    const TRAP: i64 = 0x100;
    macro_rules! stepping {
        ($call:expr) => {{
            // SAFETY: the processor traps behind each instruction, until the handler or the end.
            unsafe { asm!("pushfq", "or qword ptr [rsp], 0x100", "popfq") };
            let value = $call;
            // SAFETY: as above.
            unsafe { asm!("pushfq", "and qword ptr [rsp], -257", "popfq") };
            value
        }};
    }

    fn life() {
        let mut brief = PollTrace::named("brief");
        brief.on_resume();
        brief.on_wait(On::nothing());
        corotrace::wake(brief.id(), On::nothing());
        brief.on_resume();
        brief.on_ready();
        emitted(0, 7);
    }

    fn end() -> ! {
        life();
        // SAFETY: ends the process.
        unsafe { libc::_exit(0) }
    }

    fn act() {
        let action = ACTION.get().copied();
        if action == Some(b'w') {
            corotrace::wake(INNER.load(Relaxed), On::nothing());
            return emitted(0, 1);
        }
        if action == Some(b'l') {
            return life();
        }
        // SAFETY: one thread of ours runs; the child of the interrupted call ends it.
        match unsafe { libc::fork() } {
            0 if action == Some(b'f') => end(),
            0 => IS_CHILD.store(true, Relaxed),
            _ if action == Some(b'b') => {}
            child => {
                let mut status = 0;
                // SAFETY: waits for that child.
                let ended = unsafe { libc::waitpid(child, &mut status, 0) };
                assert!(ended == child && status == 0, "{ended} {status:x}");
            }
        }
    }

    extern "C" fn on_trap(_: i32, _: *mut libc::siginfo_t, context: *mut libc::c_void) {
        if STEPS.fetch_add(1, Relaxed) + 1 < AT.load(Relaxed) {
            return;
        }
        // SAFETY: as the kernel gives it to a handler.
        let context = unsafe { &mut *context.cast::<libc::ucontext_t>() };
        context.uc_mcontext.gregs[libc::REG_EFL as usize] &= !TRAP;
        ACTED.store(true, Relaxed);
        act();
    }

    /// Until the call is made without being interrupted.
    fn interrupt(stride: u64, events: u64, mut call: impl FnMut()) {
        let mut at = 1;
        ACTED.store(true, Relaxed);
        while ACTED.swap(false, Relaxed) {
            AT.store(at, Relaxed);
            STEPS.store(0, Relaxed);
            call();
            if IS_CHILD.load(Relaxed) {
                end();
            }
            emitted(0, events);
            // SAFETY: waits for children that have ended.
            while ACTION.get() == Some(&b'b') && unsafe { libc::waitpid(-1, null_mut(), libc::WNOHANG) } > 0 {}
            at += stride;
        }
    }

    pub(super) fn main() {
        let args: Vec<String> = std::env::args().collect();
        let stride = args[3].parse().expect("a number");
        count::open(&args[1]);
        ACTION.set(args[2].as_bytes()[0]).expect("set once");
        corotrace::init();
        // SAFETY: all zero is a value of it; the handler is one by SA_SIGINFO.
        unsafe {
            let mut trap: libc::sigaction = std::mem::zeroed();
            trap.sa_sigaction = on_trap as *const () as usize;
            trap.sa_flags = libc::SA_SIGINFO;
            libc::sigaction(libc::SIGTRAP, &trap, null_mut());
        }
        let inner = PollTrace::named("inner");
        let mut outer = PollTrace::named("outer");
        let id = outer.id();
        let thing = std::ptr::from_ref(&args);
        INNER.store(inner.id(), Relaxed);
        emitted(0, 4);
        interrupt(stride, 2, || drop(stepping!(PollTrace::new())));
        interrupt(stride, 3, || drop(stepping!(PollTrace::named("named"))));
        interrupt(stride, 2, || {
            let brief = PollTrace::new();
            stepping!(drop(brief));
        });
        interrupt(stride, 2, || {
            stepping!(outer.on_resume());
            stepping!(outer.on_wait(On::mutex(thing)));
        });
        interrupt(stride, 1, || stepping!(outer.on_wait(On::user("text"))));
        interrupt(stride, 1, || stepping!(corotrace::wake(id, On::nothing())));
        interrupt(stride, 1, || stepping!(corotrace::open(On::mutex(thing), "thing")));
        interrupt(stride, 1, || stepping!(corotrace::close(On::mutex(thing))));
        interrupt(stride, 1, || stepping!(corotrace::notify(On::cond(thing), 1)));
        interrupt(stride, 1, || stepping!(corotrace::acquire(On::mutex(thing))));
        interrupt(stride, 1, || stepping!(corotrace::release(On::mutex(thing))));
        interrupt(stride, 1, || stepping!(corotrace::level(On::sem(thing), 1)));
        interrupt(stride, 1, || stepping!(corotrace::park(None)));
        interrupt(stride * 50, 1, || {
            let first = std::thread::spawn(move || {
                stepping!(corotrace::wake(id, On::nothing()));
                if IS_CHILD.load(Relaxed) {
                    end();
                }
            });
            first.join().expect("it does not panic");
        });
        // SAFETY: waits for all children.
        while unsafe { libc::waitpid(-1, null_mut(), 0) } > 0 {}
        drop((inner, outer));
        emitted(0, 2);
    }
}
