// Bugs of virtual threads, each at a line that a comment names, or all of them mended: Zoo [mended].
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

public class Zoo {
	interface Body { void run() throws Exception; }
	static boolean mended;

	static Thread start(String name, Body body) {
		return Thread.ofVirtual().name(name).start(() -> {
			try {
				body.run();
			} catch (Exception e) {
				throw new RuntimeException(e);
			}
		});
	}

	static void locks(ReentrantLock first, ReentrantLock second, CountDownLatch meet) throws Exception {
		first.lock();
		try {
			meet.countDown();
			if (!mended)
				meet.await();
			second.lock(); // locks
			second.unlock();
		} finally {
			first.unlock();
		}
	}

	static void lockOrder() {
		ReentrantLock a = new ReentrantLock(), b = new ReentrantLock();
		CountDownLatch meet = new CountDownLatch(2);
		start("left", () -> locks(a, b, meet));
		start("right", () -> locks(mended ? a : b, mended ? b : a, meet));
	}

	// One has slept long after the other came to wait for it.
	static void lateOrder() {
		ReentrantLock a = new ReentrantLock(), b = new ReentrantLock();
		CountDownLatch meet = new CountDownLatch(2);
		held.add(a);
		held.add(b);
		start("early", () -> late(a, b, meet, 0));
		start("late", () -> late(mended ? a : b, mended ? b : a, meet, 1200));
	}

	static final java.util.List<Object> held = new java.util.ArrayList<>();	// not for the collector

	static void late(ReentrantLock first, ReentrantLock second, CountDownLatch meet, int ms) throws Exception {
		first.lock();
		try {
			meet.countDown();
			if (!mended)
				meet.await();
			Thread.sleep(mended ? 0 : ms);
			second.lock(); // late
			second.unlock();
		} finally {
			first.unlock();
		}
	}

	static void monitors(Object first, Object second, CountDownLatch meet) throws Exception {
		synchronized (first) {
			meet.countDown();
			if (!mended)
				meet.await();
			synchronized (second) { // monitors
				meet.countDown();
			}
		}
	}

	static void monitorOrder() {
		Object a = new Object(), b = new Object();
		CountDownLatch meet = new CountDownLatch(2);
		start("inner", () -> monitors(a, b, meet));
		start("outer", () -> monitors(mended ? a : b, mended ? b : a, meet));
	}

	// Nobody completes it, and nobody but the caller knows it.
	static void future() {
		CompletableFuture<String> answer = new CompletableFuture<>();
		start("caller", () -> answer.get()); // future
		if (mended)
			start("callee", () -> answer.complete("yes"));
	}

	// Of three parts two count down.
	static void latch() {
		CountDownLatch done = new CountDownLatch(3);
		start("sum", () -> done.await()); // latch
		for (int i = 0; i < (mended ? 3 : 2); i++)
			start("part", done::countDown);
	}

	// It takes itself out of the list of those who wait, and forgets that it is one who is to be woken.
	static void unpark() throws Exception {
		Thread waiter = start("waiter", () -> LockSupport.park()); // unpark
		if (mended)
			LockSupport.unpark(waiter);
	}

	// An exception ends it before it unlocks.
	static void unlock() throws Exception {
		ReentrantLock lock = new ReentrantLock();
		held.add(lock);
		Thread first = start("first", () -> {
			lock.lock();
			if (mended)
				lock.unlock();
		});
		first.join();
		start("second", () -> {
			lock.lock(); // unlock
			lock.unlock();
		});
	}

	// Each request leaves a thread behind that waits for an answer which was given up.
	static void leak() throws Exception {
		for (int i = 0; i < 20; i++) {
			CompletableFuture<Integer> reply = new CompletableFuture<>();
			Thread request = start("request", () -> {
				start("watch", () -> reply.get()); // leak
				if (mended)
					reply.complete(1);
			});
			request.join();
		}
	}

	// Nothing is wrong here: it was seen to hold the lock as it slept, and has it still, as it computes.
	static void holder() {
		ReentrantLock lock = new ReentrantLock();
		CountDownLatch locked = new CountDownLatch(1);
		held.add(lock);
		start("holder", () -> {
			lock.lock();
			locked.countDown();
			Thread.sleep(2500);
			while (true)
				Thread.onSpinWait();
		});
		start("patient", () -> {
			locked.await();
			lock.lock();
		});
	}

	public static void main(String[] args) throws Exception {
		mended = args.length > 0;
		lockOrder();
		lateOrder();
		monitorOrder();
		future();
		latch();
		unpark();
		unlock();
		leak();
		if (mended)
			holder();
		Thread.sleep(3500);
	}
}
