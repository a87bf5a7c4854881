// Many who take two of ten locks each, always the lower one first, and sleep where they hold them: Order THREADS SECONDS.
// Locks of java.util.concurrent and monitors in turn; garbage is made and collected, classes come and go.
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;

public class Order {
	static final ReentrantLock[] locks = new ReentrantLock[10];
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
		for (int i = 0; i < locks.length; i++)
			locks[i] = new ReentrantLock();
		for (int i = 0; i < threads; i++) {
			boolean monitor = i % 2 == 0;
			all[i] = Thread.ofVirtual().name("order-", i).start(() -> {
				ThreadLocalRandom random = ThreadLocalRandom.current();
				try {
					while (System.nanoTime() < end) {
						int low = random.nextInt(locks.length - 1);
						int high = low + 1 + random.nextInt(locks.length - 1 - low);
						if (monitor)
							monitors(low, high);
						else
							turn(low, high);
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
