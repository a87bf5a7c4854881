//! A plugin with a probe of its own, for rec-plugin: built as a cdylib.
use corotrace::PollTrace;

/// Lives once; 0 where nothing is recorded.
#[no_mangle]
pub extern "C" fn plugin_live(pairs: u32) -> i32 {
    if !corotrace::init() {
        return 0;
    }
    let mut co = PollTrace::new();
    for _ in 0..pairs {
        co.on_resume();
        co.on_pending_addr(3);
    }
    co.on_ready();
    1
}
