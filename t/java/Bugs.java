// Bugs of virtual threads after published shapes, each at a line that a comment names, or mended: Bugs NAME|all [mended].
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.*;
import java.util.concurrent.locks.*;

public class Bugs {
	interface Body { void run() throws Exception; }
	static boolean mended;
	static final List<Object> kept = new ArrayList<>();	// as what a server refers to

	static <T> T keep(T o) {
		kept.add(o);
		return o;
	}

	static Thread start(String name, Body body) {
		return Thread.ofVirtual().name(name).start(run(body));
	}

	static Runnable run(Body body) {
		return () -> {
			try {
				body.run();
			} catch (Exception e) {
				// as a server would log it
			}
		};
	}

	// A request that fails keeps its permit.
	static void request(Semaphore pool, boolean fails) throws Exception {
		pool.acquire(); // permit
		if (fails && !mended)
			throw new Exception("no such page");
		pool.release();
	}

	static void permit() throws Exception {
		Semaphore pool = keep(new Semaphore(2));
		for (int i = 0; i < 5; i++)
			start("good", () -> request(pool, false)).join();
		start("bad", () -> request(pool, true)).join();
		start("bad", () -> request(pool, true)).join();
		start("stranded", () -> request(pool, false));
	}

	// Two have one permit of each other's pool.
	static void pools() throws Exception {
		Semaphore a = keep(new Semaphore(1)), b = keep(new Semaphore(1));
		CountDownLatch meet = new CountDownLatch(2);
		start("warm", () -> { a.acquire(); b.acquire(); b.release(); a.release(); }).join();
		start("left", () -> both(a, b, meet));
		start("right", () -> both(mended ? a : b, mended ? b : a, meet));
	}

	static void both(Semaphore first, Semaphore second, CountDownLatch meet) throws Exception {
		first.acquire();
		meet.countDown();
		if (!mended)
			meet.await();
		second.acquire(); // pools
		second.release();
		first.release();
	}

	// Two that join each other.
	static void join() throws Exception {
		Thread[] t = keep(new Thread[2]);
		CountDownLatch set = new CountDownLatch(1);
		for (int i = 0; i < 2; i++) {
			int other = 1 - i;
			t[i] = start("join" + i, () -> {
				set.await();
				if (!mended || other == 1)
					t[other].join(); // join
			});
		}
		set.countDown();
	}

	static void joinSelf() throws Exception {
		start("self", () -> {
			if (!mended)
				Thread.currentThread().join(); // joinSelf
		});
	}

	// A task awaits another, with the lock that this one wants.
	static void future() throws Exception {
		ExecutorService pool = keep(Executors.newVirtualThreadPerTaskExecutor());
		ReentrantLock lock = keep(new ReentrantLock());
		pool.submit(() -> {
			lock.lock();
			try {
				Future<?> child = pool.submit(() -> {
					if (mended)
						return;
					lock.lock(); // futureChild
					lock.unlock();
				});
				return child.get(); // future
			} finally {
				lock.unlock();
			}
		});
	}

	// A read lock that is to become a write lock.
	static void upgrade() throws Exception {
		ReentrantReadWriteLock lock = keep(new ReentrantReadWriteLock());
		start("upgrade", () -> {
			lock.readLock().lock();
			if (mended)
				lock.readLock().unlock();
			lock.writeLock().lock(); // upgrade
			lock.writeLock().unlock();
			if (!mended)
				lock.readLock().unlock();
		});
	}

	// The main thread waits for a worker with the lock that this one wants.
	static void platform() throws Exception {
		ReentrantLock a = keep(new ReentrantLock()), b = keep(new ReentrantLock());
		CountDownLatch meet = new CountDownLatch(2);
		Thread.ofPlatform().daemon().name("old-pool-1").start(run(() -> order(a, b, meet)));
		start("new", () -> order(mended ? a : b, mended ? b : a, meet));
	}

	static void order(ReentrantLock first, ReentrantLock second, CountDownLatch meet) throws Exception {
		first.lock();
		meet.countDown();
		if (!mended)
			meet.await();
		second.lock(); // platform
		second.unlock();
		first.unlock();
	}

	// The same by monitors.
	static void platformMonitor() throws Exception {
		Object a = keep(new Object()), b = keep(new Object());
		CountDownLatch meet = new CountDownLatch(2);
		Thread.ofPlatform().daemon().name("old-pool-2").start(run(() -> nested(a, b, meet)));
		start("new2", () -> nested(mended ? a : b, mended ? b : a, meet));
	}

	static void nested(Object first, Object second, CountDownLatch meet) throws Exception {
		synchronized (first) {
			meet.countDown();
			if (!mended)
				meet.await();
			synchronized (second) { // platformMonitor
				meet.countDown();
			}
		}
	}

	// A lock whose owner, a platform thread, died.
	static void platformDied() throws Exception {
		ReentrantLock lock = keep(new ReentrantLock());
		Thread t = Thread.ofPlatform().start(() -> {
			lock.lock();
			if (mended)
				lock.unlock();
		});
		t.join();
		start("heir", () -> {
			lock.lock(); // platformDied
			lock.unlock();
		});
	}

	// Two keys of a map are computed, each for the other.
	static void compute() throws Exception {
		ConcurrentHashMap<Integer, String> map = keep(new ConcurrentHashMap<>());
		CountDownLatch meet = new CountDownLatch(2);
		for (int i = 0; i < 2; i++) {
			int key = i;
			start("compute" + i, () -> map.computeIfAbsent(key, k -> {
				meet.countDown();
				try {
					if (!mended)
						meet.await();
				} catch (InterruptedException e) {
				}
				return mended ? "x" : map.computeIfAbsent(1 - key, x -> "y"); // compute
			}));
		}
	}

	// Tasks that wait for tasks of their own full pool.
	static void pool() throws Exception {
		ExecutorService pool = keep(Executors.newFixedThreadPool(2, Thread.ofVirtual().name("pool-", 0).factory()));
		CountDownLatch meet = new CountDownLatch(2);
		for (int i = 0; i < 2; i++)
			pool.submit(() -> {
				meet.countDown();
				meet.await();
				Future<Integer> inner = pool.submit(() -> 1);
				return mended ? 0 : inner.get(); // pool
			});
	}

	// The same on threads of the system, and by a batch.
	static void platformPool() throws Exception {
		ExecutorService pool = keep(Executors.newFixedThreadPool(2, Thread.ofPlatform().daemon().name("search-", 0).factory()));
		ExecutorService parts = mended ? keep(Executors.newFixedThreadPool(2, Thread.ofPlatform().daemon().factory())) : pool;
		CountDownLatch meet = new CountDownLatch(2);
		for (int i = 0; i < 2; i++)
			start("request", () -> pool.submit(() -> {
				meet.countDown();
				meet.await();
				int sum = 0;
				for (Future<Integer> f : parts.<Integer>invokeAll(List.of(() -> 1, () -> 2))) // platformPool
					sum += f.get();
				return sum;
			}).get());
	}

	// The same by stages.
	static void stages() throws Exception {
		ExecutorService pool = keep(Executors.newFixedThreadPool(1, Thread.ofVirtual().name("stage").factory()));
		keep(CompletableFuture.runAsync(() -> {
			CompletableFuture<Integer> next = CompletableFuture.supplyAsync(() -> 1, pool);
			if (!mended)
				next.join(); // stages
		}, pool));
	}

	// A task that wants the lock of who waits for it, and is begun long after that.
	static void begunLate() throws Exception {
		ExecutorService pool = keep(Executors.newFixedThreadPool(1, Thread.ofVirtual().name("writer").factory()));
		ReentrantLock lock = keep(new ReentrantLock());
		pool.submit(run(() -> Thread.sleep(300)));
		start("flush", () -> {
			lock.lock();
			pool.submit(() -> {
				if (!mended)
					lock.lock(); // begunLateChild
			}).get();
			lock.unlock();
		});
	}

	// Two keys of a cache of futures, each loaded by means of the other.
	static final ConcurrentHashMap<Integer, CompletableFuture<Integer>> cache = new ConcurrentHashMap<>();

	static CompletableFuture<Integer> cached(int key) {
		return cache.computeIfAbsent(key, k -> CompletableFuture.supplyAsync(() ->
			mended && key == 1 ? 1 : cached(1 - key).join(), // loads
			task -> Thread.ofVirtual().name("load").start(task)));
	}

	static void loads() throws Exception {
		cached(0);
	}

	// The last handler of a server closes the executor that it is a task of.
	static void closes() throws Exception {
		ExecutorService handlers = keep(Executors.newVirtualThreadPerTaskExecutor());
		handlers.submit(() -> {
			if (mended)
				handlers.shutdown();
			else
				handlers.close(); // closes
		});
	}

	// An executor is closed with the lock that one of its tasks wants; by a thread of the system, too.
	static void closeOthers() throws Exception {
		start("closer", () -> shutDown(new ReentrantLock()));
		Thread.ofPlatform().daemon().name("main-2").start(run(() -> shutDown(new ReentrantLock())));
	}

	static void shutDown(ReentrantLock lock) throws Exception {
		keep(lock);
		ExecutorService parts = keep(Executors.newVirtualThreadPerTaskExecutor());
		lock.lock();
		parts.submit(() -> 1);
		parts.submit(run(() -> Thread.sleep(1200)));
		parts.submit(() -> {
			lock.lock(); // closeOthers
			lock.unlock();
		});
		if (mended)
			lock.unlock();
		parts.close(); // closeOthersSelf
		if (!mended)
			lock.unlock();
	}

	// A thread of the system joins a virtual one with the lock that this one wants.
	static void joinWithLock() throws Exception {
		ReentrantLock lock = keep(new ReentrantLock());
		Thread.ofPlatform().daemon().name("main-3").start(run(() -> {
			lock.lock();
			Thread t = start("helper", () -> {
				lock.lock(); // joinWithLock
				lock.unlock();
			});
			if (mended)
				lock.unlock();
			t.join(); // joinWithLockSelf
		}));
	}

	// Threads of a pool, of either kind, join virtual threads that wait for a task of that pool.
	static void forkJoin() throws Exception {
		joined(keep(new ForkJoinPool(2)), 0);
		joined(keep(new ForkJoinPool(2) {
			@Override
			public int getPoolSize() {
				throw new IllegalStateException("asked by " + Thread.currentThread().getName());
			}
		}), 1);
		joined(keep(Executors.newFixedThreadPool(2, Thread.ofPlatform().daemon().factory())), 0);
		joined(keep(Executors.newFixedThreadPool(2, Thread.ofVirtual().factory())), 1);
	}

	static void joined(ExecutorService pool, int way) throws Exception {
		ExecutorService other = mended ? keep(Executors.newFixedThreadPool(1, Thread.ofPlatform().daemon().factory())) : pool;
		CountDownLatch meet = new CountDownLatch(2);
		for (int i = 0; i < 2; i++)
			pool.execute(run(() -> {
				meet.countDown();
				meet.await();
				start("query", () -> {
					if (way == 0)
						CompletableFuture.supplyAsync(() -> 1, other).join(); // forkJoin
					else
						other.submit(() -> 1).get(); // forkJoinSubmit
				}).join(); // forkJoinSelf
			}));
	}

	// The one thread of a pool waits for a lock, whose owner waits for a task of that pool.
	static void forkLock() throws Exception {
		ForkJoinPool pool = keep(new ForkJoinPool(1));
		ReentrantLock lock = keep(new ReentrantLock());
		start("writer", () -> {
			lock.lock();
			pool.execute(run(() -> {
				lock.lock();
				lock.unlock();
			}));
			while (!lock.hasQueuedThreads())
				Thread.sleep(1);
			Future<Integer> last = pool.submit(() -> 1);
			if (mended)
				lock.unlock();
			last.get(); // forkLock
		});
	}

	// Healthy: a pool that waits for itself, until whoever watches it gives up; what has a time limit.
	static void rescued() throws Exception {
		ExecutorService pool = keep(Executors.newFixedThreadPool(1, Thread.ofVirtual().name("rescued").factory()));
		Future<?> task = pool.submit(() -> pool.submit(() -> 1).get());
		Thread.sleep(1500);
		task.cancel(true);
		pool.submit(() -> pool.submit(() -> 1).get(100, TimeUnit.MILLISECONDS));
		// and one whose thread joins who waits for it, until somebody is interrupted
		ForkJoinPool fork = keep(new ForkJoinPool(1));
		Thread[] asks = new Thread[1];
		fork.execute(run(() -> {
			asks[0] = start("asks", () -> fork.submit(() -> 1).get());
			asks[0].join();
		}));
		Thread.sleep(1500);
		asks[0].interrupt();
		start("limited", () -> CompletableFuture.supplyAsync(() -> {
			LockSupport.parkNanos(kept, 200_000_000);
			return 1;
		}, pool).orTimeout(10, TimeUnit.MILLISECONDS).join());
	}

	// Healthy: it is unparked while it runs, does not park the next time, and rests the time after that.
	static volatile boolean go;

	static void spare() throws Exception {
		Thread t = keep(start("spare", () -> {
			while (!go)
				Thread.onSpinWait();
			for (;;)
				LockSupport.park(kept);
		}));
		Thread.sleep(20);
		LockSupport.unpark(t);
		go = true;
	}

	// ---- of these the collector alone can prove anything ----

	static void future0() throws Exception {
		CompletableFuture<String> f = new CompletableFuture<>();
		start("caller", () -> f.get()); // future0
		if (mended)
			f.complete("x");
	}

	static void latch() throws Exception {
		CountDownLatch done = new CountDownLatch(3);
		for (int i = 0; i < 3; i++) {
			int n = i;
			start("part", () -> {
				if (n == 1 && !mended)
					throw new Exception("part 1");
				done.countDown();
			});
		}
		start("whole", () -> done.await()); // latch
	}

	static void unpark() throws Exception {
		Thread[] waiter = new Thread[1];
		start("notifier", () -> LockSupport.unpark(waiter[0])).join();
		start("waiter", () -> {
			waiter[0] = Thread.currentThread();
			if (!mended)
				LockSupport.park(waiter); // unpark
		});
	}

	static void queue() throws Exception {
		BlockingQueue<Integer> q = new LinkedBlockingQueue<>();
		start("producer", () -> { q.put(1); if (mended) q.put(-1); }).join();
		start("consumer", () -> {
			while (q.take() >= 0) // queue
				;
		});
	}

	static void signal() throws Exception {
		ReentrantLock lock = new ReentrantLock();
		Condition both = lock.newCondition();
		int[] turn = { 0 };
		for (int i = 1; i <= 2; i++) {
			int mine = i;
			start("turn" + i, () -> {
				lock.lock();
				try {
					while (turn[0] != mine)
						both.await(); // signal
					turn[0] = 1;
					both.signalAll();
				} finally {
					lock.unlock();
				}
			});
			for (boolean waits = false; !waits; Thread.sleep(1)) {
				lock.lock();
				waits = lock.getWaitQueueLength(both) == i;
				lock.unlock();
			}
		}
		lock.lock();
		turn[0] = 2;
		if (mended)
			both.signalAll();
		else
			both.signal();
		lock.unlock();
	}

	static void exchanger() throws Exception {
		Exchanger<String> x = new Exchanger<>();
		start("one", () -> x.exchange("a")); // exchanger
		if (mended)
			start("two", () -> x.exchange("b"));
	}

	static void phaser() throws Exception {
		Phaser p = new Phaser(2);
		start("arrives", () -> p.arriveAndAwaitAdvance()); // phaser
		start("fails", () -> { if (mended) p.arriveAndDeregister(); });
	}

	// A connection that is taken and not returned.
	static void connection() throws Exception {
		BlockingQueue<String> free = new ArrayBlockingQueue<>(1);
		free.add("c");
		for (int i = 0; i < 3; i++)
			start("query", () -> {
				String c = free.take(); // connection
				if (mended)
					free.add(c);
			});
	}

	static void barrier() throws Exception {
		CyclicBarrier b = new CyclicBarrier(3);
		for (int i = 0; i < 3; i++) {
			int n = i;
			start("party", () -> {
				if (n < 2 || mended)
					b.await(); // barrier
			});
		}
	}

	public static void main(String[] args) throws Exception {
		mended = args.length > 1;
		for (var m : Bugs.class.getDeclaredMethods())
			if (m.getParameterCount() == 0 && m.getReturnType() == void.class && !m.isSynthetic() &&
				(args[0].equals("all") || args[0].equals(m.getName())))
				m.invoke(null);
		Thread.sleep(3500);
		System.exit(0);
	}
}
