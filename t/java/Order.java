// Many who take two of ten locks each, always the lower one first, and sleep where they hold them: Order THREADS SECONDS.
// Locks of java.util.concurrent, monitors and semaphores, by virtual threads and, each fourth, by those of the system; garbage
// is made and collected.
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;

public class Order {
	static final ReentrantLock[] locks = new ReentrantLock[10];
	static final Semaphore[] permits = new Semaphore[10];
	static volatile Object garbage;

	static void nap() throws InterruptedException {
		Thread.sleep(ThreadLocalRandom.current().nextInt(3) == 0 ? 400 : 1);
	}

	static void monitors(int low, int high) throws InterruptedException {
		synchronized (locks[low]) {
			nap();
			synchronized (locks[high]) {
				garbage = new byte[10000];
			}
		}
	}

	static void take(int low, int high) throws InterruptedException {
		permits[low].acquire();
		nap();
		permits[high].acquire();
		garbage = new byte[10000];
		permits[high].release();
		permits[low].release();
	}

	static void turn(int low, int high) throws InterruptedException {
		locks[low].lock();
		try {
			nap();
			locks[high].lock();
			try {
				garbage = new Object[] { garbage == null ? null : new byte[10000] };
			} finally {
				locks[high].unlock();
			}
		} finally {
			locks[low].unlock();
		}
	}

	public static void main(String[] args) throws Exception {
		int threads = Integer.parseInt(args[0]);
		long end = System.nanoTime() + Long.parseLong(args[1]) * 1000000000L;
		Thread[] all = new Thread[threads];
		for (int i = 0; i < locks.length; i++) {
			locks[i] = new ReentrantLock();
			permits[i] = new Semaphore(1);
		}
		for (int i = 0; i < threads; i++) {
			int kind = i % 3;
			Thread.Builder of = i % 4 == 3 ? Thread.ofPlatform() : Thread.ofVirtual();
			all[i] = of.name("order-", i).start(() -> {
				ThreadLocalRandom random = ThreadLocalRandom.current();
				try {
					while (System.nanoTime() < end) {
						int low = random.nextInt(locks.length - 1);
						int high = low + 1 + random.nextInt(locks.length - 1 - low);
						if (kind == 0)
							monitors(low, high);
						else if (kind == 1)
							turn(low, high);
						else
							take(low, high);
					}
				} catch (InterruptedException e) {
					throw new RuntimeException(e);
				}
			});
		}
		for (Thread t : all)
			t.join();
	}
}
