//! Two tasks that send one another a number through channels of one, on the runtime that the first argument names, traced where the
//! second says so: what `.traced()` costs there, for the bench. Prints nanoseconds of CPU time a round trip.
use corotrace::TraceFutureExt;
use rust_runtimes::Task;
use smol::channel::{bounded, Receiver, Sender};

const TIMES: u32 = 50_000;

/// CPU time of this process so far, in nanoseconds.
fn cpu() -> f64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: it is filled in.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut now) };
    now.tv_sec as f64 * 1e9 + now.tv_nsec as f64
}

async fn ping(ping: Sender<u32>, pong: Receiver<u32>) {
    let before = cpu();
    for i in 0..TIMES {
        ping.send(i).await.unwrap();
        pong.recv().await.unwrap();
    }
    println!("trip {:.0}", (cpu() - before) / f64::from(TIMES));
}

async fn pong(ping: Receiver<u32>, pong: Sender<u32>) {
    while let Ok(i) = ping.recv().await {
        pong.send(i).await.unwrap();
    }
}

#[embassy_executor::task(pool_size = 2)]
async fn on_embassy(task: Task, ends: bool) {
    task.await;
    if ends {
        std::process::exit(0);
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let traced = args.get(2).is_some_and(|a| a == "traced");
    let task = |task: Task| -> Task {
        if traced {
            Box::pin(task.traced())
        } else {
            task
        }
    };
    let (there, pinged) = bounded(1);
    let (back, ponged) = bounded(1);
    let (a, b) = (task(Box::pin(ping(there, ponged))), task(Box::pin(pong(pinged, back))));
    match args.get(1).map_or("", |a| a) {
        "smol" => {
            smol::spawn(b).detach();
            smol::block_on(smol::spawn(a));
        }
        "async-std" => {
            async_std::task::spawn(b);
            async_std::task::block_on(async_std::task::spawn(a));
        }
        "monoio" => {
            let mut runtime = monoio::RuntimeBuilder::<monoio::LegacyDriver>::new().build().unwrap();
            runtime.block_on(async {
                monoio::spawn(b);
                monoio::spawn(a).await
            });
        }
        "embassy" => {
            let executor = Box::leak(Box::new(embassy_executor::Executor::new()));
            executor.run(|spawner| {
                spawner.spawn(on_embassy(b, false).unwrap());
                spawner.spawn(on_embassy(a, true).unwrap());
            });
        }
        "glommio" => glommio::LocalExecutor::default().run(async {
            glommio::spawn_local(b).detach();
            glommio::spawn_local(a).await
        }),
        name => panic!("no runtime {name}"),
    }
}
