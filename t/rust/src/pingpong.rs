//! Four pairs of tasks that send one another a number through channels of one: what the wrapper and the layer cost, for the bench.

/// CPU time of this process so far, in seconds.
pub fn cpu() -> f64 {
    // SAFETY: all zeros is a value, and it is filled in.
    let used = unsafe {
        let mut used: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut used);
        used
    };
    let seconds = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 / 1e6;
    seconds(used.ru_utime) + seconds(used.ru_stime)
}

/// Of that crate's tokio, on two workers; prints "KEY NUMBER", nanoseconds of CPU time a round trip.
#[macro_export]
macro_rules! pingpong {
    ($tokio:path, $key:literal) => {{
        use $tokio as tokio;
        const TIMES: u32 = 50_000;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
        let before = cpu();
        runtime.block_on(async {
            let mut tasks = vec![];
            for _ in 0..4 {
                let (ping, mut pinged) = tokio::sync::mpsc::channel(1);
                let (pong, mut ponged) = tokio::sync::mpsc::channel(1);
                tasks.push(tokio::spawn(async move {
                    for i in 0..TIMES {
                        ping.send(i).await.unwrap();
                        ponged.recv().await.unwrap();
                    }
                }));
                tasks.push(tokio::spawn(async move {
                    while let Some(i) = pinged.recv().await {
                        pong.send(i).await.unwrap();
                    }
                }));
            }
            for task in tasks {
                task.await.unwrap();
            }
        });
        println!("{} {:.0}", $key, (cpu() - before) * 1e9 / (4.0 * TIMES as f64));
    }};
}
