// thread.hpp - what a thread of asio's knows of the operation that it initiates or completes; a part of ct_asio.hpp.
namespace ct::inline CT_EDITION::aio {

class frame_part;

// Not destroyed with what is static, for operations may be pending then; assigned {}, it is as new.
struct lockable {
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	void lock() noexcept { pthread_mutex_lock(&mutex); }
	void unlock() noexcept { pthread_mutex_unlock(&mutex); }
};
// The process itself, and how many fork()s it is from the first one. In a child those threads are gone
// that were at a lock, or have claimed a ticket.
inline constinit unsigned generation = 1;
inline pid_t process = getpid();

// ---- who initiates, and who completes ----

// A suspension is recorded when the operation reports what it is, before it starts. One that never
// does (a handler that the program keeps itself) is recorded when its initiation is over: then the
// coroutine may be running already, or be gone. So who initiates and who resumes or destroys agree
// by a swap of this: the coroutine's id, nobody has recorded it; BUSY with it, the initiator does.
using ticket = std::atomic<uint64_t>;
constexpr uint64_t BUSY = uint64_t(1) << 63;

// An operation's handler: for which coroutine, what it waits for, whether its wake was recorded.
struct waiting {
	uint64_t id = 0;
	on what = ct_nothing();
	bool woken = false;
	bool posted = false;		// for nobody who is known: by whom
	uint64_t by = 0;
};
struct initiation {
	frame_part *who = nullptr;
	uint64_t id = 0;
	ticket *claim = nullptr;
	bool queues = false;	// by post(), dispatch() or defer(): what is queued first is its own
	bool others = false;	// operations of other handlers than its own began with it
};

// Of a thread; never freed, for a frame may refer to a ticket, but handed on when the thread ends.
struct thread_state {
	enum { DEEP = 16, FILES = 16 };
	initiation now;
	waiting completing;
	uint64_t completing_in = 0;	// who completes it, as a coroutine that sends to a channel
	unsigned depth = 0;
	unsigned worker = 0;		// in which generation
	ticket tickets[DEEP] = {};
	struct { const char *name; bool inner; } files[FILES] = {};
	thread_state *next = nullptr;
};
struct idle_states {
	lockable lock;
	thread_state *first = nullptr;
};
inline constinit idle_states idle = {};
inline thread_local thread_state *state_now = nullptr;
inline void hand_on(void *state) noexcept
{
	std::lock_guard<lockable> locked(idle.lock);

	state_now->next = idle.first;
	idle.first = static_cast<thread_state *>(state);
	state_now = nullptr;
}
// Never inlined: see CT_API in ct.c. What the thread destroys behind hand_on() has another one.
__attribute__((noinline)) inline thread_state &mine()
{
	if (!state_now) {
		std::lock_guard<lockable> locked(idle.lock);

		if ((state_now = idle.first))
			idle.first = state_now->next;
		else
			state_now = new thread_state;
		state_now->worker = 0;
		abi::__cxa_thread_atexit(hand_on, state_now, &__dso_handle);
	}
	return *state_now;
}

} // namespace ct::aio
