// What calls the agent's hooks beside those of VirtualThread, over and over: Hooks permits|futures|tasks COUNT.
import java.util.concurrent.*;

public class Hooks {
	static void permits(int count) throws Exception {
		Semaphore s = new Semaphore(2);
		for (int i = 0; i < count; i++) {
			s.acquire();
			s.release();
		}
	}

	static void futures(int count) throws Exception {
		ExecutorService all = Executors.newVirtualThreadPerTaskExecutor();
		for (int i = 0; i < count; i++)
			CompletableFuture.supplyAsync(() -> 1, all).join();
	}

	static void tasks(int count) throws Exception {
		ExecutorService pool = Executors.newFixedThreadPool(2, Thread.ofVirtual().factory());
		for (int i = 0; i < count; i++)
			pool.submit(() -> 1).get();
		pool.shutdown();
	}

	public static void main(String[] args) throws Exception {
		int count = Integer.parseInt(args[1]);
		Thread.ofVirtual().start(() -> {
			try {
				switch (args[0]) {
				case "permits" -> permits(count);
				case "futures" -> futures(count);
				default -> tasks(count);
				}
			} catch (Exception e) {
				throw new RuntimeException(e);
			}
		}).join();
	}
}
