// A class that is initialized by a virtual thread, and waits there: it keeps its carrier, of which there is one, and who
// is to wake it never runs. Pinned mended: nobody waits while a class is initialized.
import java.util.concurrent.CountDownLatch;

public class Pinned {
	static final CountDownLatch ready = new CountDownLatch(1);
	static boolean mended;

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
		Thread.ofVirtual().name("reader").start(() -> Config.value.length());
		Thread.sleep(100);
		Thread.ofVirtual().name("loader").start(() -> ready.countDown());
		Thread.sleep(900);
		System.exit(0);
	}
}
