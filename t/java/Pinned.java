// A class that is initialized by a virtual thread, and waits there: it keeps its carrier, of which there is one, and who
// is to wake it never runs. Pinned mended: nobody waits while a class is initialized. Pinned monitor: it waits for a monitor
// there, whose owner sleeps until then (from JDK 24 on).
import java.util.concurrent.CountDownLatch;

public class Pinned {
	static final CountDownLatch ready = new CountDownLatch(1);
	static final Object monitor = new Object();
	static boolean mended;

	static class Cache {
		static final String value = load();

		static String load() {
			synchronized (monitor) { // monitor
				return "v";
			}
		}
	}

	static class Config {
		static final String value = load();

		static String load() {
			try {
				if (!mended)
					ready.await(); // pinned
			} catch (InterruptedException e) {
				throw new RuntimeException(e);
			}
			return "v";
		}
	}

	public static void main(String[] args) throws Exception {
		mended = args.length > 0;
		if (mended && args[0].equals("monitor")) {
			Thread.ofVirtual().name("owner").start(() -> {
				synchronized (monitor) {
					ready.countDown();
					try {
						Thread.sleep(600);
					} catch (InterruptedException e) {
						throw new RuntimeException(e);
					}
				}
			});
			ready.await();
			Thread.ofVirtual().name("reader").start(() -> Cache.value.length());
			Thread.sleep(1500);
			System.exit(0);
		}
		Thread.ofVirtual().name("reader").start(() -> Config.value.length());
		Thread.sleep(100);
		Thread.ofVirtual().name("loader").start(() -> ready.countDown());
		Thread.sleep(900);
		System.exit(0);
	}
}
