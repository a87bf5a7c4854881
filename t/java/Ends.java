// A JVM ends while a thread of the system has a lock and works on; and while two wait for each other's monitor.
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;

public class Ends {
	static final Object a = new Object(), b = new Object();

	static void nested(Object first, Object second, CountDownLatch meet) {
		synchronized (first) {
			meet.countDown();
			try {
				meet.await();
			} catch (InterruptedException e) {
			}
			synchronized (second) { // monitors
			}
		}
	}

	public static void main(String[] args) throws Exception {
		ReentrantLock lock = new ReentrantLock();
		CountDownLatch has = new CountDownLatch(1), meet = new CountDownLatch(2);
		Thread.ofPlatform().daemon().name("works").start(() -> {
			lock.lock();
			has.countDown();
			for (;;)
				Thread.onSpinWait();
		});
		has.await();
		Thread.ofVirtual().name("waits").start(() -> lock.lock());
		if (args.length > 0) {
			Thread.ofPlatform().daemon().name("old").start(() -> nested(a, b, meet));
			Thread.ofVirtual().name("new").start(() -> nested(b, a, meet));
		}
		Thread.sleep(2500);
		System.exit(0);
	}
}
