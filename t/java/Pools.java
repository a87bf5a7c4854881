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

	static Object joins(ExecutorService pool) throws Exception {
		Thread t = Thread.ofVirtual().name("asks \ud83d\ude00 \u202e").start(() -> {
			try {
				pool.submit(Pools::inner).get();
				CompletableFuture.supplyAsync(Pools::unchecked, pool).join();
			} catch (Exception e) {
				throw new RuntimeException(e);
			}
		});
		t.join();
		return t;
	}

	// One task less than there are threads waits, in one of four ways.
	static Object outer(ExecutorService pool, int way) throws Exception {
		return way == 3 ? joins(pool) : way == 0 ? pool.submit(Pools::inner).get() : way == 1 ? CompletableFuture.supplyAsync(Pools::unchecked, pool).join() :
			pool.invokeAll(java.util.Collections.nCopies(2, Pools::inner));
	}

	static void load(ExecutorService pool, int threads, long until) {
		Semaphore few = new Semaphore(threads - 1);
		for (int i = 0; i < 4 * threads; i++) {
			int way = i % 4;
			Thread.ofVirtual().name("request").start(() -> {
				while (System.nanoTime() < until)
					try {
						few.acquire();
						Future<?> f = pool.submit(() -> outer(pool, way));
						// a ForkJoinPool's thread, interrupted, may be at another's task
						if (way == 0 && !(pool instanceof ForkJoinPool) && ThreadLocalRandom.current().nextInt(8) == 0) {
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
			load(Executors.newFixedThreadPool(threads, Thread.ofVirtual().name("virtual-", 0).factory()), threads, until);
			load(Executors.newFixedThreadPool(threads, Thread.ofPlatform().daemon().factory()), threads, until);
			load(new ForkJoinPool(threads), threads, until);
		}
		while (System.nanoTime() < until)
			Thread.sleep(100);
		System.out.println(done.sum() > 0 ? "done" : "nothing was done");
		System.exit(0);		// amid it all
	}
}
