// Healthy: pools whose tasks wait for tasks in their own queue, with one thread always left to run these: Pools SECONDS.
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;

public class Pools {
	static final LongAdder done = new LongAdder();

	static int inner() throws InterruptedException {
		Thread.sleep(ThreadLocalRandom.current().nextInt(4) == 0 ? 700 : 3);	// longer than a look takes to come again
		done.increment();
		return 1;
	}

	static int unchecked() {
		try {
			return inner();
		} catch (InterruptedException e) {
			throw new RuntimeException(e);
		}
	}

	// One task less than there are threads waits, in one of three ways.
	static Object outer(ExecutorService pool, int way) throws Exception {
		return way == 0 ? pool.submit(Pools::inner).get() : way == 1 ? CompletableFuture.supplyAsync(Pools::unchecked, pool).join() :
			pool.invokeAll(java.util.Collections.nCopies(2, Pools::inner));
	}

	static void load(ThreadFactory factory, int threads, long until) {
		ExecutorService pool = Executors.newFixedThreadPool(threads, factory);
		Semaphore few = new Semaphore(threads - 1);
		for (int i = 0; i < 4 * threads; i++) {
			int way = i % 3;
			Thread.ofVirtual().name("request").start(() -> {
				while (System.nanoTime() < until)
					try {
						few.acquire();
						Future<?> f = pool.submit(() -> outer(pool, way));
						if (way == 0 && ThreadLocalRandom.current().nextInt(8) == 0) {
							Thread.sleep(5);
							f.cancel(true);
						} else {
							f.get();
						}
						few.release();
					} catch (Exception e) {
						throw new RuntimeException(e);
					}
			});
		}
	}

	public static void main(String[] args) throws Exception {
		long until = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
		for (int threads = 2; threads < 5; threads++) {
			load(Thread.ofVirtual().name("virtual-", 0).factory(), threads, until);
			load(Thread.ofPlatform().daemon().factory(), threads, until);
		}
		while (System.nanoTime() < until)
			Thread.sleep(100);
		System.out.println(done.sum() > 0 ? "done" : "nothing was done");
		System.exit(0);		// amid it all
	}
}
