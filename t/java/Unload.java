// Classes that come and go, each with virtual threads that wait in it: Unload TIMES. Prints how many of its loaders were collected.
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;

public class Unload {
	public static class Body implements Runnable {
		public void run() {
			try {
				Thread.sleep(1); // here
				synchronized (Body.class) {
					Thread.yield();
				}
			} catch (InterruptedException e) {
				throw new RuntimeException(e);
			}
		}
	}

	static WeakReference<ClassLoader> once(URL[] here) throws Exception {
		try (URLClassLoader loader = new URLClassLoader(here, ClassLoader.getPlatformClassLoader())) {
			Class<?> body = loader.loadClass("Unload$Body");
			List<Thread> all = new ArrayList<>();
			for (int i = 0; i < 4; i++)
				all.add(Thread.ofVirtual().start((Runnable) body.getDeclaredConstructor().newInstance()));
			for (Thread t : all)
				t.join();
			return new WeakReference<>(loader);
		}
	}

	public static void main(String[] args) throws Exception {
		URL[] here = { Unload.class.getProtectionDomain().getCodeSource().getLocation() };
		List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
		for (int i = 0; i < Integer.parseInt(args[0]); i++) {
			loaders.add(once(here));
			if (i % 20 == 19)
				System.gc();
		}
		System.gc();
		System.out.println(loaders.stream().filter(l -> l.get() == null).count() + " unloaded");
	}
}
