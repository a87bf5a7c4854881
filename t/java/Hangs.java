// Threads that wait, each at a line of its own, and two that wait for one another; it goes on until its input ends.
// Hangs locks: these two for locks of java.util.concurrent, not monitors.
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

public class Hangs {
	interface Body { void run() throws Exception; }

	static void start(String name, Body body) {
		Thread.ofVirtual().name(name).start(() -> {
			try {
				body.run();
			} catch (Exception e) {
				throw new RuntimeException(e);
			}
		});
	}

	static void both(Object first, Object second, CountDownLatch meet) throws Exception {
		synchronized (first) {
			meet.countDown();
			meet.await();
			synchronized (second) {
				System.out.println("never");
			}
		}
	}

	static void locked(ReentrantLock first, ReentrantLock second, CountDownLatch meet) throws Exception {
		first.lock();
		meet.countDown();
		meet.await();
		second.lock(); // locked
	}

	static void locks(CountDownLatch meet) {
		ReentrantLock a = new ReentrantLock(), b = new ReentrantLock();
		start("left", () -> locked(a, b, meet));
		start("right", () -> locked(b, a, meet));
	}

	// The one thread of a pool waits for a task in its queue.
	static void starve(ExecutorService pool) {
		pool.execute(() -> {
			FutureTask<Integer> inner = new FutureTask<>(() -> 1);
			pool.execute(inner);
			try {
				inner.get(); // starve
			} catch (Exception e) {
				throw new RuntimeException(e);
			}
		});
	}

	static void pools() {
		starve(Executors.newFixedThreadPool(1, Thread.ofVirtual().factory()));
		starve(Executors.newFixedThreadPool(1, Thread.ofPlatform().daemon().factory()));
		starve(new ForkJoinPool(1));
	}

	static int slowly() throws Exception {
		Thread.sleep(1000000);
		return 1;
	}

	// Pools that are there before their constructors run, since their arguments take long.
	static void unmade() {
		start("sets", () -> new ThreadPoolExecutor(slowly(), 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>()));
		start("sets", () -> new ForkJoinPool(slowly()));
	}

	static void monitors(CountDownLatch meet) {
		Object a = new Object(), b = new Object();
		start("left", () -> both(a, b, meet));
		start("right", () -> both(b, a, meet));
	}

	public static void main(String[] args) throws Exception {
		CountDownLatch meet = new CountDownLatch(2);
		pools();
		unmade();
		if (args.length > 0)
			locks(meet);
		else
			monitors(meet);
		start("sleeper", () -> Thread.sleep(1000000));
		start("consumer", () -> new LinkedBlockingQueue<String>().take());
		start("caller", () -> new CompletableFuture<String>().get());
		start("taker", () -> new Semaphore(0).acquire());
		start("server", () -> new java.net.ServerSocket(0).accept());
		System.out.println("up");
		System.in.read();
		System.exit(0);
	}
}
