// Threads of the system that have a lock and await a future, whose task, a virtual thread, blocks on monitors all the while: until JDK 23
// whoever does keeps its carrier, and says what it holds while the sweep says who waits: Guards PAIRS SECONDS.
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

public class Guards {
	static volatile long turns;
	static volatile boolean over;

	// Two who hold a monitor each and want a third.
	static Object contend(Object common) {
		Object own = new Object();
		while (!over)
			synchronized (own) {
				synchronized (common) {
					turns++;
					LockSupport.parkNanos(10000);
				}
			}
		return own;
	}

	// Of those whom the agent keeps under one guard.
	static Thread start(Runnable run) {
		Thread t;
		do {
			t = Thread.ofVirtual().unstarted(run);
		} while (t.threadId() % 1024 != 0);
		t.start();
		return t;
	}

	public static void main(String[] args) throws Exception {
		int pairs = Integer.parseInt(args[0]);
		Thread[] all = new Thread[4 * pairs];
		for (int i = 0; i < pairs; i++) {
			Object common = new Object();
			ReentrantLock lock = new ReentrantLock();
			FutureTask<Object> task = new FutureTask<>(() -> contend(common));
			all[4 * i] = start(task);
			all[4 * i + 1] = start(() -> contend(common));
			all[4 * i + 2] = Thread.ofPlatform().start(() -> {
				lock.lock();
				try {
					task.get();
				} catch (Exception e) {
					throw new RuntimeException(e);
				} finally {
					lock.unlock();
				}
			});
			while (!lock.isLocked())
				Thread.onSpinWait();
			all[4 * i + 3] = Thread.ofVirtual().start(() -> {
				lock.lock();
				lock.unlock();
			});
		}
		Thread.sleep(Long.parseLong(args[1]) * 1000);
		over = true;
		for (Thread t : all)
			t.join();
		System.err.println("done");
	}
}
