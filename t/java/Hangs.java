// Threads that wait, each at a line of its own, and two that wait for one another; it goes on until its input ends.
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;

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

	public static void main(String[] args) throws Exception {
		Object a = new Object(), b = new Object();
		CountDownLatch meet = new CountDownLatch(2);
		start("left", () -> both(a, b, meet));
		start("right", () -> both(b, a, meet));
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
