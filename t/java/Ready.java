// A few virtual threads, and an end.
public class Ready {
	public static void main(String[] args) throws Exception {
		Thread[] all = new Thread[20];
		for (int i = 0; i < all.length; i++)
			all[i] = Thread.ofVirtual().start(Thread::yield);
		for (Thread t : all)
			t.join();
		System.out.println("ready");
	}
}
