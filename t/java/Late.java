// Healthy: threads are unparked by two others until they have ended, and after: Late COUNT.
import java.util.concurrent.locks.LockSupport;

public class Late {
	public static void main(String[] args) throws Exception {
		for (int i = Integer.parseInt(args[0]); i > 0; i--) {
			Thread ends = Thread.ofVirtual().start(LockSupport::park);
			Thread[] others = new Thread[2];
			for (int k = 0; k < 2; k++)
				others[k] = Thread.startVirtualThread(() -> {
					do
						LockSupport.unpark(ends);
					while (ends.isAlive());
				});
			for (Thread other : others)
				other.join();
		}
	}
}
