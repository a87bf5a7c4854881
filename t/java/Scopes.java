// Scopes of tasks (a preview until JDK 25, by reflection, since it changed): three that wait for themselves, or Scopes mended; one that goes on.
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.concurrent.*;
import java.util.concurrent.locks.*;
import java.util.function.UnaryOperator;

public class Scopes {
	static boolean mended;

	static final class Scope implements AutoCloseable {
		static final Class<?> api = find("java.util.concurrent.StructuredTaskScope");
		final Object scope;

		// ShutdownOnFailure until JDK 24, open() from then on: either ends at the first failure.
		Scope() throws Exception {
			Class<?> old = find("java.util.concurrent.StructuredTaskScope$ShutdownOnFailure");
			scope = old != null ? old.getConstructor().newInstance() : api.getMethod("open").invoke(null);
		}

		// With a time limit, from JDK 25 on.
		Scope(int seconds) throws Exception {
			Class<?> joiner = find(api.getName() + "$Joiner");
			Method limit = find(api.getName() + "$Configuration").getMethod("withTimeout", Duration.class);
			UnaryOperator<Object> configure = c -> {
				try {
					return limit.invoke(c, Duration.ofSeconds(seconds));
				} catch (ReflectiveOperationException e) {
					throw new IllegalStateException(e);
				}
			};
			Method open = null;
			for (Method m : api.getMethods())
				open = m.getName().equals("open") && m.getParameterCount() == 2 ? m : open;
			scope = open.invoke(null, joiner.getMethod("awaitAllSuccessfulOrThrow").invoke(null), configure);
		}

		static Class<?> find(String name) {
			try {
				return Class.forName(name);
			} catch (ClassNotFoundException e) {
				return null;
			}
		}

		void fork(Callable<?> task) throws Exception {
			api.getMethod("fork", Callable.class).invoke(scope, task);
		}

		void join() throws Exception {
			api.getMethod("join").invoke(scope);
		}

		@Override
		public void close() throws Exception {
			api.getMethod("close").invoke(scope);
		}
	}

	// The owner has a lock that one of the tasks wants; another is done, a third one is slow.
	static void lock() throws Exception {
		ReentrantLock lock = new ReentrantLock();
		try (Scope scope = new Scope()) {
			lock.lock();
			scope.fork(() -> 1);
			scope.fork(() -> {
				Thread.sleep(1000);
				return 2;
			});
			scope.fork(() -> {
				lock.lock(); // locked
				lock.unlock();
				return 3;
			});
			if (mended)
				lock.unlock();
			scope.join(); // joined
			if (!mended)
				lock.unlock();
		}
	}

	// Healthy: the same, but that the slow task fails, which shuts the scope down.
	static void rescued() throws Exception {
		ReentrantLock lock = new ReentrantLock();
		lock.lock();
		try (Scope scope = new Scope()) {
			scope.fork(() -> {
				Thread.sleep(1500);
				throw new Exception("no");
			});
			scope.fork(() -> {
				lock.lockInterruptibly();
				return 3;
			});
			scope.join();
		} catch (Exception e) {
			// from join
		}
		lock.unlock();
	}

	// Healthy: the time limit shuts the scope down, which interrupts the task.
	static void limited() throws Exception {
		ReentrantLock lock = new ReentrantLock();
		lock.lock();
		try (Scope scope = new Scope(mended ? 1 : 3600)) {
			scope.fork(() -> {
				lock.lockInterruptibly();
				return 3;
			});
			scope.join();
		} catch (Exception e) {
			// from join
		}
		lock.unlock();
	}

	// Two scopes, one in a task of the other; the inner task wants what the outer owner has.
	static void nested() throws Exception {
		Semaphore one = new Semaphore(1);
		ReentrantLock lock = new ReentrantLock();
		try (Scope outer = new Scope()) {
			lock.lock();
			outer.fork(() -> {
				try (Scope inner = new Scope()) {
					inner.fork(() -> {
						lock.lock(); // nested
						lock.unlock();
						return 1;
					});
					inner.fork(() -> 2);
					inner.join();
				}
				return one.tryAcquire();
			});
			if (mended)
				lock.unlock();
			outer.join();
			if (!mended)
				lock.unlock();
		}
	}

	interface Body { void run() throws Exception; }

	static Runnable run(Body body) {
		return () -> {
			try {
				body.run();
			} catch (Exception e) {
				throw new RuntimeException(e);
			}
		};
	}

	public static void main(String[] args) throws Exception {
		mended = args.length > 0;
		Thread.ofVirtual().name("owner").start(run(Scopes::lock));
		Thread.ofPlatform().daemon().name("main-2").start(run(Scopes::lock));
		Thread.ofVirtual().name("outer").start(run(Scopes::nested));
		Thread.ofVirtual().name("rescued").start(run(Scopes::rescued));
		Thread.ofPlatform().daemon().name("rescued-2").start(run(Scopes::rescued));
		if (Scope.find("java.util.concurrent.StructuredTaskScope$Joiner") != null) {
			Thread.ofVirtual().name("limited").start(run(Scopes::limited));
			Thread.ofPlatform().daemon().name("limited-2").start(run(Scopes::limited));
		}
		Thread.sleep(4000);
		System.exit(0);
	}
}
