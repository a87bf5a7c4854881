// Two virtual threads that hand a number to and fro, for the bench: PingPong ROUNDS.
import java.util.concurrent.SynchronousQueue;

public class PingPong {
	public static void main(String[] args) throws Exception {
		int rounds = Integer.parseInt(args[0]);
		SynchronousQueue<Integer> there = new SynchronousQueue<>(), back = new SynchronousQueue<>();
		Thread a = Thread.ofVirtual().start(() -> {
			try {
				for (int i = 0; i < rounds; i++) {
					there.put(i);
					back.take();
				}
			} catch (InterruptedException e) {
				throw new RuntimeException(e);
			}
		});
		Thread b = Thread.ofVirtual().start(() -> {
			try {
				for (int i = 0; i < rounds; i++)
					back.put(there.take());
			} catch (InterruptedException e) {
				throw new RuntimeException(e);
			}
		});
		a.join();
		b.join();
	}
}
