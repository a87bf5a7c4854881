// The JDK's own web server, a virtual thread for each request, and clients that ask it: Server [CLIENTS [REQUESTS]].
import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

public class Server {
	static final ReentrantLock lock = new ReentrantLock();
	static int served;

	static byte[] answer() throws InterruptedException {
		lock.lock();
		try {
			Thread.sleep(1);
			return ("hello " + ++served).getBytes();
		} finally {
			lock.unlock();
		}
	}

	public static void main(String[] args) throws Exception {
		int clients = args.length > 0 ? Integer.parseInt(args[0]) : 8;
		int requests = args.length > 1 ? Integer.parseInt(args[1]) : 20;
		HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
		server.createContext("/", exchange -> {
			try {
				byte[] text = answer();
				exchange.sendResponseHeaders(200, text.length);
				exchange.getResponseBody().write(text);
			} catch (InterruptedException e) {
				throw new RuntimeException(e);
			} finally {
				exchange.close();
			}
		});
		server.start();
		URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
		AtomicInteger good = new AtomicInteger();
		try (var pool = Executors.newVirtualThreadPerTaskExecutor()) {
			for (int c = 0; c < clients; c++)
				pool.submit(() -> {
					for (int i = 0; i < requests; i++)
						try (var in = uri.toURL().openStream()) {
							if (in.readAllBytes().length > 0)
								good.incrementAndGet();
						}
					return null;
				});
		}
		System.out.println(good + " answers");
		Thread.sleep(700);
		server.stop(0);
		System.exit(good.get() == clients * requests ? 0 : 1);
	}
}
