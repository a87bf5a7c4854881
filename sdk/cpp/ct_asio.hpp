// ct_asio.hpp - traces programs of asio, standalone (1.18 onwards) or Boost's (1.74 onwards), whose
// source is left as it is:
//
//	g++ -std=c++20 -include ct_asio.hpp -DASIO_CUSTOM_HANDLER_TRACKING server.cc
//	g++ -std=c++20 -include ct_asio.hpp -DBOOST_ASIO_CUSTOM_HANDLER_TRACKING server.cc
//
// All that is linked and includes asio is built so, for asio's classes differ with that macro.
//
// Each awaitable<> of the program is a coroutine of the trace, with the line of its co_await and what
// the operation waits for: a descriptor, a timer's deadline, a channel's item or room. asio's own
// frames are folded into it. A timer that never expires is somebody's event, and shown as a condition.
// Threads that run handlers are workers. corotrace(3), share/doc/runtimes/asio.md.
#ifndef CT_ASIO_HPP
#define CT_ASIO_HPP

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <cxxabi.h>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include "corotrace.hpp"

extern "C" __attribute__((visibility("hidden"))) void *__dso_handle;

namespace ct::aio {

#pragma GCC visibility push(default)

class frame_part;

// ---- children ----

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

// ---- what a promise has ----

// asio's own coroutines, by the file they stand in.
inline bool is_inner(const char *file) noexcept
{
	auto &known = mine().files[(reinterpret_cast<uintptr_t>(file) >> 4) % thread_state::FILES];

	if (known.name != file) {
		known.inner = std::strstr(file, "asio/impl/") || std::strstr(file, "asio/detail/") ||
			std::strstr(file, "asio/experimental/");
		known.name = file;
	}
	return known.inner;
}

// What a promise has beside asio's and promise_mixin.
class frame_part : public promise_mixin {
public:
	explicit frame_part(const here &h) : frame_part(h, is_inner(h.file)) {}
	~frame_part() { settle(); }

	bool inner() const noexcept { return inner_; }
	// For whom a frame of asio's own works: the user's that awaits it.
	frame_part *user() noexcept { return inner_ ? for_ : this; }
	void works_for(frame_part *user) noexcept { for_ = user; }

	// At a co_await of something that is not known yet.
	void leaves_at(const here &h, void *frame) noexcept
	{
		at_ = h;
		frame_ = frame;
	}
	void waits_for(on what) noexcept
	{
		out_ = true;
		ct_suspending(at_, what, frame_);
	}
	void claimed_by(ticket *t) noexcept
	{
		out_ = true;
		claim_ = t;
		claimed_in_ = generation;
	}
	// By who has claimed it: nobody else touches it meanwhile.
	void known(on what) noexcept { ct_suspending(at_, what, frame_); }
	void started() noexcept
	{
		ct_callback_end();
		promise_mixin::started();
	}
	// Its handler is kept, and nothing else began with it: only the program itself ends that.
	void kept() noexcept { known(ct_cond(frame_)); }

	// One that is older than its recorder is seen when it moves.
	bool is_known() noexcept
	{
		if (!ct_id())
			started();
		return ct_id();
	}

	// It runs again; more than one of its awaiters may say so.
	void came_back() noexcept
	{
		if (!out_)
			return;
		settle();
		out_ = false;
		if (!ct_id() || !ct_enabled())
			return;

		waiting &done = mine().completing;
		bool by_this = done.id == ct_id();

		if (done.posted && !ct_current())
			ct_wake_for_(done.by, ct_id(), ct_nothing(), nullptr);
		else if (!by_this || !done.woken)
			ct_wake_at(ct_id(), 0, by_this ? done.what : ct_nothing());
		if (by_this || done.posted)
			done = {};
		started();
	}
	void child_came_back() noexcept
	{
		if (std::exchange(out_, false))
			started();
	}

private:
	frame_part(const here &h, bool inner) : promise_mixin(h, !inner), inner_(inner) {}

	// Unless the initiator has done so: a wait of which nobody knows for what.
	void settle() noexcept
	{
		if (!claim_)
			return;

		uint64_t id = ct_id(), seen = id;

		if (claim_->compare_exchange_strong(seen, 0, std::memory_order_acq_rel))
			waits_for(ct_nothing());
		else
			while (claim_->load(std::memory_order_acquire) == (id | BUSY) &&
				claimed_in_ == generation)
				sched_yield();
		claim_ = nullptr;
	}

	here at_ = {};
	void *frame_ = nullptr;
	frame_part *for_ = nullptr;
	ticket *claim_ = nullptr;
	unsigned claimed_in_ = 0;
	const bool inner_;
	bool out_ = false;
};

// Around the call that starts an operation. The coroutine's frame may be gone when it returns.
class initiating {
public:
	initiating(frame_part *who, bool queues, bool others) noexcept : outer_(mine().now)
	{
		thread_state &s = mine();

		s.now = {};
		if (!who || !ct_enabled() || !who->is_known())
			return;
		if (s.depth == thread_state::DEEP) {
			who->waits_for(ct_nothing());
			return;
		}
		s.now = { who, who->ct_id(), &s.tickets[s.depth], queues, others };
		s.now.claim->store(s.now.id, std::memory_order_relaxed);
		who->claimed_by(s.now.claim);
		s.depth++;
		counted_ = true;
	}
	__attribute__((noinline)) ~initiating()
	{
		thread_state &s = mine();
		initiation now = s.now;
		uint64_t seen = now.id;

		s.now = outer_;
		if (counted_)
			s.depth--;
		if (now.who && now.claim->compare_exchange_strong(seen, now.id | BUSY,
				       std::memory_order_acq_rel)) {
			now.others ? now.who->known(ct_nothing()) : now.who->kept();
			now.claim->store(0, std::memory_order_release);
		}
	}
	initiating(const initiating &) = delete;

private:
	initiation outer_;
	bool counted_ = false;
};

// ---- what is waited for ----

// asio names a timer's implementation, which begins with the time when it expires, in nanoseconds of
// the steady or the system clock; other clocks are recognized by being far from both.
inline on timer_of(const void *object) noexcept
{
	constexpr int64_t year = 365 * 86400 * int64_t(1000000000);
	int64_t at, steady, real;
	struct timespec t;

	std::memcpy(&at, object, sizeof at);
	clock_gettime(CLOCK_MONOTONIC, &t);
	steady = t.tv_sec * int64_t(1000000000) + t.tv_nsec;
	clock_gettime(CLOCK_REALTIME, &t);
	real = t.tv_sec * int64_t(1000000000) + t.tv_nsec;
	if (at == INT64_MAX)
		return ct_cond(object);
	if (at < steady + year && at >= 0)
		return ct_timer(uint64_t(at));
	if (at < real + year && at > real - year)
		return ct_timer(at > real - steady ? uint64_t(at - real + steady) : 0);
	return ct_any(CT_ON_TIMER);
}

enum class sort { thing, executor };
inline sort sort_of(const char *type) noexcept
{
	return !std::strncmp(type, "strand", 6) || !std::strcmp(type, "io_context") ||
			!std::strcmp(type, "thread_pool") || !std::strcmp(type, "system_executor") ?
		sort::executor :
		sort::thing;
}
inline on thing_of(const char *type, void *object, uintmax_t native, const char *op) noexcept
{
	if (!std::strcmp(type, "deadline_timer"))
		return timer_of(object);
	if (!std::strcmp(type, "channel"))
		return !std::strcmp(op, "async_send") ? ct_room(object) : ct_chan(object);
	if (!std::strcmp(type, "socket") || !std::strcmp(type, "descriptor"))
		return ct_fd(int(native));
	return ct_user(type);
}

// ---- what a handler is called that is no coroutine ----

// Of the type of an operation: up to the bracket that closes what `at` opens, at most 200 characters.
constexpr std::string_view closed(std::string_view of, std::size_t from, std::size_t at) noexcept
{
	int depth = 0;

	for (; at < of.size() && at - from < 200; at++) {
		depth += of[at] == '<' || of[at] == '(';
		bool closes = of[at] == '>' || of[at] == ')';

		depth -= closes;
		if (closes && !depth && of.substr(at + 1, 3) != "::<")	// a lambda in it
			return of.substr(from, at + 1 - from);
	}
	return of.substr(from, at - from);
}
// Where the argument of a template begins that `at` is within.
constexpr std::size_t begins(std::string_view of, std::size_t at) noexcept
{
	int depth = 0;

	for (; at; at--) {
		depth += of[at - 1] == '>' || of[at - 1] == ')';
		depth -= of[at - 1] == '<' || of[at - 1] == '(';
		if (depth < 0 || (!depth && of[at - 1] == ','))
			break;
	}
	return of.find_first_not_of(' ', at);
}
// A lambda by the function that it stands in (GCC), or file and line (Clang); what is bound, by its class.
constexpr std::string_view handler_in(std::string_view of) noexcept
{
	std::size_t at = of.find("::<lambda(");

	if (at != of.npos)
		return closed(of, begins(of, at), at + 2);
	if (at = of.find("(lambda at "); at != of.npos)
		return closed(of, at, at);
	if (at = of.find("::*"); at != of.npos) {
		std::size_t from = begins(of, at);

		return of.substr(from, at + 3 - from);
	}
	return "handler";
}
template <class Op> struct handler_name {
	static constexpr std::string_view of() noexcept { return handler_in(__PRETTY_FUNCTION__); }
	struct text {
		char in[of().size() + 1] = {};
		constexpr text() { of().copy(in, of().size()); }
	};
	static constexpr text name{};
	static inline ct_site site = { name.in, "", 0, 0 };
};

// ---- the hooks of handler tracking ----

// Operations that are pending, by the object of asio's that they are an operation of: who cancels or
// closes it wakes those who wait for them. The lists belong to the operations themselves.
class tracked;
struct pending_list {
	tracked *first, *last;
	unsigned in;		// which generation: a child's begin anew
};
struct pending_lists {
	enum { LOCKS = 64, LISTS = 1 << 16 };
	lockable locks[LOCKS];
	pending_list lists[LISTS];
};
inline constinit pending_lists all_pending = {};
// Those at that object, and of some others, locked.
class pending {
public:
	explicit pending(const void *object) noexcept
	    : pending(uint64_t(reinterpret_cast<uintptr_t>(object) >> 4) * 0x9e3779b97f4a7c15 >> 48)
	{
	}
	pending_list *operator->() noexcept { return &list_; }

private:
	explicit pending(uint64_t n) noexcept
	    : locked_(all_pending.locks[n % pending_lists::LOCKS]), list_(all_pending.lists[n])
	{
		if (list_.in != generation)
			list_ = { nullptr, nullptr, generation };
	}
	std::lock_guard<lockable> locked_;
	pending_list &list_;
};
// In a child: what its parent had begun is nobody's to be woken from here.
inline void forked() noexcept
{
	generation++;
	process = getpid();
	idle = {};
	for (lockable &lock : all_pending.locks)
		lock = {};
}
inline const bool watches_forks = !pthread_atfork(nullptr, nullptr, forked);

// The hooks of asio's handler tracking. An operation begins, for the coroutine that initiates it, or
// as the next step of one whose handler is under way here; or a handler is handed to an executor.
class tracked {
public:
	waiting for_;
	ct_site *is = nullptr;	// the handler's type

	void put_at(const void *object) noexcept
	{
		pending in(object_ = object);

		put_in_ = generation;
		moved_ = false;
		linked_ = true;
		before_ = in->last;
		next_ = nullptr;
		(before_ ? before_->next_ : in->first) = this;
		in->last = this;
	}
	void take_out() noexcept
	{
		if (!object_ || put_in_ != generation)
			return;
		pending in(object_);

		unlink(in);
		object_ = nullptr;
	}
	// Its operations are another object's from now on, and are not found by who cancels that one.
	static void moved(const void *object) noexcept
	{
		pending in(object);

		for (tracked *t = in->first; t; t = t->next_)
			t->moved_ = t->moved_ || t->object_ == object;
	}
	// How many it was. A descriptor that was moved here has operations of its own.
	static unsigned wake(const void *object, const on *fd, unsigned most) noexcept
	{
		pending in(object);
		unsigned woken = 0;

		for (tracked *t = in->first, *next; t && woken < most; t = next) {
			next = t->next_;
			if (t->object_ != object || t->moved_ ||
				(fd && t->for_.what.value != fd->value))
				continue;
			t->for_.woken = true;
			t->unlink(in);
			ct_wake_at(t->for_.id, 0, t->for_.what);
			woken++;
		}
		return woken;
	}

protected:
	tracked() = default;
	tracked(const tracked &other) noexcept : for_(other.for_), is(other.is) {}
	tracked &operator=(const tracked &other) noexcept
	{
		for_ = other.for_;
		is = other.is;
		return *this;
	}
	~tracked() { take_out(); }

private:
	// Who was woken is on the list no more, though it is yet to be run.
	void unlink(pending &in) noexcept
	{
		if (!std::exchange(linked_, false))
			return;
		(before_ ? before_->next_ : in->first) = next_;
		(next_ ? next_->before_ : in->last) = before_;
	}
	const void *object_ = nullptr;
	unsigned put_in_ = 0;
	bool moved_ = false, linked_ = false;
	tracked *before_ = nullptr, *next_ = nullptr;
};
// Who runs here, or begins an operation and was said to be suspended before; 0: no coroutine.
inline uint64_t acts() noexcept
{
	uint64_t runs = ct_current();

	return runs ? runs : mine().now.id;
}
// By co_spawn(), for an executor to begin it.
inline void spawned(frame_part *who) noexcept
{
	if (who && !who->inner() && who->ct_id())
		ct_wake_for_(acts(), who->ct_id(), ct_nothing(), nullptr);
}
inline void created(tracked &h, bool own, bool erased, bool direct, const char *type, void *object,
	uintmax_t native, const char *op) noexcept
{
	thread_state &s = mine();
	uint64_t runs = ct_current();

	own = own || (erased && s.now.queues);
	if (own && s.now.who && (!runs || runs == s.now.id)) {
		frame_part *who = std::exchange(s.now.who, nullptr);
		uint64_t seen = s.now.id;
		bool queued = sort_of(type) == sort::executor;

		h.for_ = { s.now.id, ct_nothing(), queued };
		if (!queued)
			h.for_.what = thing_of(type, object, native, op);
		if (!s.now.claim->compare_exchange_strong(
			    seen, s.now.id | BUSY, std::memory_order_acq_rel)) {
			h.for_ = {};		// it runs already
			return;
		}
		who->known(h.for_.what);
		if (direct && !queued)
			h.put_at(object);
		s.now.claim->store(0, std::memory_order_release);
	} else if (s.now.others = true; s.completing.id && runs == s.completing_in) {
		bool was_woken = s.completing.woken, queued = sort_of(type) == sort::executor;

		h.for_ = s.completing;
		h.for_.woken = was_woken || queued;
		if (queued)			// it has gone from here
			s.completing = {};
		if (was_woken)
			return;
	} else if ((own || erased) && !h.for_.id && sort_of(type) == sort::executor) {
		h.for_.posted = true;		// a handler that the program kept
		h.for_.by = acts();
	}
	if (!h.for_.id || !h.for_.woken)
		return;

	bool at_once = s.now.id == h.for_.id;
	uint8_t kind = h.for_.what.kind;

	// A plain handler, or thread, takes from a channel whose room is gone again, or puts into one.
	if (!acts() && (kind == CT_ON_CHAN || kind == CT_ON_ROOM))
		ct_level_for(0, h.for_.what, 0);
	ct_wake_for_(at_once ? 0 : acts(), h.for_.id, h.for_.what, nullptr);
}
template <class Context, class Op> void creation(Context &, Op &h, const char *type, void *object,
	uintmax_t native, const char *op) noexcept
{
	// One of several operations that somebody waits for at once, the time limit of one, or a
	// strand's own turn is not what is waited for.
	constexpr std::string_view of = __PRETTY_FUNCTION__;
	constexpr bool part = of.find("parallel_group") != of.npos ||
		of.find("timed_cancel_timer") != of.npos || of.find("::invoker<") != of.npos;

	// And what else is posted meanwhile has not the coroutine's handler in it.
	constexpr bool own = of.find("awaitable_handler") != of.npos ||
		of.find("awaitable_async_op_handler") != of.npos;
	constexpr bool erased = of.find("executor_function") != of.npos;

	// A step of a composed operation ends with it, or is followed by another.
	constexpr bool direct = of.find("op<", of.find('<', of.find("Op = ")) + 1) == of.npos;

	if (!ct_enabled())
		return;
	if constexpr (!own)
		h.is = &handler_name<Op>::site;
	if (part)
		mine().now.others = true;
	else
		created(h, own, erased, direct, type, object, native, op);
}
class completion {
public:
	explicit completion(tracked &h) noexcept
	{
		if (!ct_enabled())
			return;
		thread_state &s = mine();

		if (s.worker != generation) {
			s.worker = generation;
			ct_thread_(CT_WORKER, nullptr);
		}
		state_ = &s;
		h.take_out();
		for_ = h.for_;
		is_ = h.is;
		outer_ = std::exchange(s.completing, {});
	}
	~completion()
	{
		if (state_)
			state_->completing = outer_;
		if (called_)
			ct_callback_end();
	}
	completion(const completion &) = delete;
	// Not where a handler is destroyed unrun: what is posted then takes its coroutine apart.
	template <class... A> void invocation_begin(const A &...) noexcept
	{
		if (!state_)
			return;
		state_->completing = for_;
		state_->completing_in = ct_current();
		if ((called_ = !for_.id))
			ct_callback_(is_);
	}
	void invocation_end() noexcept
	{
		if (state_)
			state_->completing = {};
	}

private:
	thread_state *state_ = nullptr;
	waiting for_, outer_;
	ct_site *is_ = nullptr;
	bool called_ = false;	// what it runs is no coroutine
};
inline void moves(const void *timer) noexcept
{
	if (ct_enabled())
		tracked::moved(timer);
}
// An event that comes when nobody waits for it.
inline void notified_nobody(const void *timer) noexcept
{
	if (ct_enabled() && timer_of(timer).kind == CT_ON_COND)
		ct_notify_at(ct_cond(timer), 0, 0);
}
template <class Context> void operation(
	Context &, const char *type, void *object, uintmax_t native, const char *op) noexcept
{
	bool is_file = !std::strcmp(type, "socket") || !std::strcmp(type, "descriptor");
	bool closes = !std::strcmp(op, "close");

	if (!ct_enabled() || (!is_file && std::strcmp(type, "deadline_timer")))
		return;
	if (!closes && std::strncmp(op, "cancel", 6))
		return;

	on fd = ct_fd(int(native));
	unsigned most = std::strcmp(op, "cancel_one") ? ~0u : 1;

	if (!tracked::wake(object, is_file ? &fd : nullptr, most) && !is_file)
		notified_nobody(object);
	if (closes && is_file)
		ct_close_at(fd, 0);
}

// ---- descriptors ----

// The descriptors of its reactors, by number, those that anybody is likely to have.
struct descriptors {
	enum { MOST = 1 << 16, BITS = 64 };
	std::atomic<uint64_t> in[MOST / BITS] = {};

	void put(uintmax_t fd) noexcept
	{
		if (fd < MOST)
			in[fd / BITS].fetch_or(uint64_t(1) << fd % BITS, std::memory_order_relaxed);
	}
	bool has(uintmax_t fd) const noexcept
	{
		return fd < MOST && in[fd / BITS].load(std::memory_order_relaxed) >> fd % BITS & 1;
	}
	bool take(uintmax_t fd) noexcept
	{
		uint64_t its = uint64_t(1) << fd % BITS;

		return has(fd) && in[fd / BITS].fetch_and(~its, std::memory_order_relaxed) & its;
	}
};
inline descriptors reactors_own;
template <class Context> void registered(Context &, uintmax_t native, uintmax_t) noexcept
{
	reactors_own.put(native);
	if (ct_enabled())
		ct_open_at(ct_fd(int(native)), nullptr, 0);
}
template <class Context> void deregistered(Context &, uintmax_t native, uintmax_t) noexcept
{
	reactors_own.take(native);
}
// One of them is closed beneath asio, which never hears of that. The child of a vfork() closes its own, in
// the parent's memory.
__attribute__((noinline)) inline void closing(int fd) noexcept
{
	uintmax_t its = unsigned(fd);

	if (ct_enabled() && reactors_own.has(its) && getpid() == process && reactors_own.take(its))
		ct_close_at(ct_fd(fd), 0);
}
inline void replacing(int from, int to) noexcept
{
	if (from != to && to >= 0 && fcntl(from, F_GETFD) >= 0)
		closing(to);
}
inline void closing(unsigned first, unsigned last, int flags) noexcept
{
	if (flags)			// not now, or in a table of its own
		return;
	for (unsigned fd = first; fd <= last && fd < descriptors::MOST; fd++)
		closing(int(fd));
}
template <class... A> void ignored(A &&...) noexcept {}

// ---- channels ----

// A channel of asio's, which reports neither what it does to its state nor that it is closed: but all
// of it happens under the channel's mutex, or what stands for one. This is that mutex, and whoever
// unlocks it reports what has changed.
struct channel_ends {
	const void *channel;
	bool known;		// levels were reported: not before it was made as a whole, or moved
	bool items, room, no_items, no_room;	// there are some; there will be none any more
};
inline void report(channel_ends &was, channel_ends is) noexcept
{
	on item = ct_chan(is.channel), room = ct_room(is.channel);
	uint64_t by = acts();

	if (was.no_items > is.no_items)			// it was reset
		ct_open_at(item, nullptr, 0);
	if (was.no_room > is.no_room)
		ct_open_at(room, nullptr, 0);
	if (!was.known || was.items != is.items)
		ct_level_for(by, item, is.items);
	if (!was.known || was.room != is.room)
		ct_level_for(by, room, is.room);
	if (was.no_items < is.no_items)
		ct_close_at(item, 0);
	if (was.no_room < is.no_room)
		ct_close_at(room, 0);
	is.known = true;
	was = is;
}
inline void made(channel_ends &was, const void *channel) noexcept
{
	was.channel = channel;				// another may have been here
	ct_open_at(ct_chan(channel), nullptr, 0);
	ct_open_at(ct_room(channel), nullptr, 0);
}
#pragma GCC visibility pop

template <class Mutex, template <class> class Service> class watched {
public:
	watched() noexcept
	{
		if (ct_enabled())
			made(reported_, now().channel);
	}
	class scoped_lock {
	public:
		explicit scoped_lock(watched &m) : mutex_(m) { lock(); }
		~scoped_lock() { unlock(); }
		scoped_lock(const scoped_lock &) = delete;
		scoped_lock &operator=(const scoped_lock &) = delete;
		void lock()
		{
			if (!locked_) {
				mutex_.real_.lock();
				if (ct_enabled())
					mutex_.look();
			}
			locked_ = true;
		}
		void unlock()
		{
			if (locked_) {
				if (ct_enabled())
					mutex_.look();
				mutex_.real_.unlock();
			}
			locked_ = false;
		}
		bool locked() const { return locked_; }

	private:
		watched &mutex_;
		bool locked_ = false;
	};

private:
	void look() noexcept
	{
		channel_ends is = now();

		if (!reported_.channel)		// it was made when nobody recorded
			made(reported_, is.channel);
		report(reported_, is);
	}
	channel_ends now() const noexcept
	{
		using service = Service<watched>;
		using channel = typename service::base_implementation_type;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
		auto *c = reinterpret_cast<const channel *>(
			reinterpret_cast<const char *>(this) - offsetof(channel, mutex_));
#pragma GCC diagnostic pop
		int in = c->send_state_, out = c->receive_state_;

		return { c, true, out == service::buffer || out == service::waiter,
			in == service::buffer || in == service::waiter, out == service::closed,
			in == service::closed };
	}
	Mutex real_;
	channel_ends reported_ = {};
};

// ---- awaiters and promises ----

// What an initiation is, by its name. In asio's coroutines it is a parameter, else a part of the awaiter's
// type: of a type that is local to a function Clang's name says nothing more.
template <class T> constexpr bool posts() noexcept	// what is queued runs never while it does
{
	constexpr std::string_view of = __PRETTY_FUNCTION__;
	constexpr bool found = of.find("initiate_post") != of.npos ||
		of.find("initiate_defer") != of.npos || of.find("initiate_dispatch") != of.npos;

	return found;
}
template <class T> constexpr bool began_before() noexcept
{
	constexpr std::string_view of = __PRETTY_FUNCTION__;
	constexpr bool found = of.find("experimental::promise<") != of.npos &&
		of.find("initiate_async_wait") != of.npos;

	return found;
}

// An operation, or what is ready at once (this_coro::executor).
template <class F, class Inner> struct op_awaiter {
	F &promise;
	here at;
	Inner inner;
	void (*start)(void *) = nullptr;	// newer asio starts it when the frame is left
	void *start_with = nullptr;

	bool await_ready() { return inner.await_ready(); }
	__attribute__((noinline)) void await_suspend(std::coroutine_handle<F> h)
	{
		frame_part *who = promise.user();

		// what a frame of asio's waits for is the business of its user's line
		if (who == &promise)
			promise.leaves_at(at, h.address());
		if constexpr (F::starts_later()) {
			inner.await_suspend(h);
			promise.put_before_start(*this);
		} else {
			Inner started = std::move(inner);
			initiating here_and_now(who, promise.posting || posts<Inner>(),
				promise.begun || began_before<Inner>());

			started.await_suspend(h);
		}
	}
	static void begin(void *arg)
	{
		auto *self = static_cast<op_awaiter *>(arg);
		initiating here_and_now(self->promise.user(),
			self->promise.posting || posts<Inner>(),
			self->promise.begun || began_before<Inner>());

		if (self->start)
			self->start(self->start_with);
	}
	decltype(auto) await_resume()
	{
		if (frame_part *who = promise.user())
			who->came_back();
		return inner.await_resume();
	}
};

// Another coroutine: one of the program's, which is what is waited for, or one of asio's own.
template <class F, class A> struct child_awaiter {
	F &promise;
	here at;
	A child;
	frame_part *of;

	bool await_ready() { return child.await_ready(); }
	void await_suspend(std::coroutine_handle<F> h)
	{
		frame_part *who = promise.user();

		if (who == &promise)
			promise.leaves_at(at, h.address());
		if (of->inner())
			of->works_for(who);
		else if (who && who->is_known())
			who->waits_for(ct_await(of->ct_id()));
		child.await_suspend(
			std::coroutine_handle<typename F::base>::from_address(h.address()));
	}
	decltype(auto) await_resume()
	{
		frame_part *who = promise.user();

		if (who && of->inner())
			who->came_back();
		else if (who)
			who->child_came_back();
		return child.await_resume();
	}
};

template <class E> concept any = true;

template <class Base, class Peek> struct frame : Base, frame_part {
	using base = Base;

	struct begins {
		frame_part *part;
		bool await_ready() const noexcept { return false; }
		void await_suspend(std::coroutine_handle<>) const noexcept {}
		void await_resume() const noexcept
		{
			if (!part->inner())
				part->started();
		}
	};

	const bool posting = false, begun = false;

	template <class A> static constexpr bool spawns()	// newer asio has it in a struct
	{
		return requires(A & a) { Peek::in(a); } ||
			requires(A & a) { Peek::in(a.function); };
	}
	template <class A> static void spawn(A &a)
	{
		if constexpr (requires { Peek::in(a); })
			spawned(Peek::in(a));
		else if constexpr (requires { Peek::in(a.function); })
			spawned(Peek::in(a.function));
	}

	frame(here h = here::current()) : frame_part(h) {}
	// asio's own, around one initiation.
	template <class I, class... A> requires(posts<I>() || began_before<I>())
	frame(I &, A &...)
	    : frame_part(here{ "", "asio/impl/", 0 }), posting(posts<I>()), begun(began_before<I>())
	{
	}
	// asio's own, that co_spawn() hands to an executor: what it is to begin is among its parameters.
	template <class W, class... A> requires(spawns<A>() || ...)
	frame(W *&, A &...a) : frame_part(here{ "", "asio/impl/", 0 })
	{
		if (ct_enabled())
			(spawn(a), ...);
	}
	auto initial_suspend(here h = here::current()) noexcept
	{
		frame_part::initial_suspend(h);
		return begins{ this };
	}
	auto final_suspend() noexcept
	{
		if (!inner())
			ended();
		return Base::final_suspend();
	}
	template <class A> auto await_transform(A &&a, here h = here::current())
	{
		if constexpr (requires { Peek::of(a); }) {
			using child = decltype(Base::await_transform(std::forward<A>(a)));
			frame_part *of = Peek::of(a);

			return child_awaiter<frame, child>{ *this, h,
				Base::await_transform(std::forward<A>(a)), of };
		} else {
			using inner = decltype(Base::await_transform(std::forward<A>(a)));

			return op_awaiter<frame, inner>{ *this, h,
				Base::await_transform(std::forward<A>(a)) };
		}
	}
	static constexpr bool starts_later()
	{
		return requires(frame & f) { f.after_suspend(nullptr, nullptr); };
	}
	template <class Op> void put_before_start(Op &op) noexcept
	{
		op.start = std::exchange(this->resume_context_->after_suspend_fn_, Op::begin);
		op.start_with = std::exchange(this->resume_context_->after_suspend_arg_, &op);
	}
};

struct key {};
template <class Traits> struct watched_time : Traits {};

} // namespace ct::aio

// ---- calls of the C library's ----

// The program's own close() and others that close, in the C library's place: what a program closes
// by number asio does not report. By dup2() a number is another file's, of which asio's reactor never
// hears. Weak, for gcc takes no inline fclose().
#if defined __GLIBC__ && !defined CT_ASIO_OWN_CLOSE
#define CT_ASIO_INSTEAD extern "C" __attribute__((weak, used, visibility("default")))
extern "C" int __close(int fd);
extern "C" int __dup2(int from, int to);
extern "C" int _IO_fclose(FILE *f);
CT_ASIO_INSTEAD int close(int fd)
{
	::ct::aio::closing(fd);
	return __close(fd);
}
CT_ASIO_INSTEAD int fclose(FILE *f)
{
	::ct::aio::closing(fileno(f));
	return _IO_fclose(f);
}
CT_ASIO_INSTEAD int dup2(int from, int to) noexcept
{
	::ct::aio::replacing(from, to);
	return __dup2(from, to);
}
CT_ASIO_INSTEAD int dup3(int from, int to, int flags) noexcept
{
	if (from != to && !(flags & ~O_CLOEXEC))
		::ct::aio::replacing(from, to);
	return int(syscall(SYS_dup3, from, to, flags));
}
#if defined SYS_close_range
CT_ASIO_INSTEAD int close_range(unsigned first, unsigned last, int flags) noexcept
{
	::ct::aio::closing(first, last, flags);
	return int(syscall(SYS_close_range, first, last, flags));
}
#endif
#endif

// ---- asio's templates, of either asio ----

// asio keeps a coroutine's frame secret, but from classes of this name. All awaitables of a program
// have our promises.
#define CT_ASIO_TRAITS(space)                                                                      \
	template <class E> class space::detail::awaitable_frame<::ct::aio::key, E> {               \
	public:                                                                                    \
		template <class T> static ::ct::aio::frame_part *of(                               \
			const space::awaitable<T, E> &a)                                           \
		{                                                                                  \
			using ours = ::ct::aio::frame<space::detail::awaitable_frame<T, E>,        \
				awaitable_frame>;                                                  \
			return static_cast<ours *>(a.frame_);                                      \
		}                                                                                  \
		template <class T> static ::ct::aio::frame_part *in(                               \
			space::detail::awaitable_as_function<T, E> &f)                             \
		{                                                                                  \
			space::awaitable<T, E> a = f();                                            \
			::ct::aio::frame_part *part = of(a);                                       \
                                                                                                   \
			std::destroy_at(&f);            /* it can be had once */                   \
			std::construct_at(&f, std::move(a));                                       \
			return part;                                                               \
		}                                                                                  \
	};                                                                                         \
	template <class T, class E, class... Args> requires ::ct::aio::any<E>                      \
	struct std::coroutine_traits<space::awaitable<T, E>, Args...> {                            \
		using promise_type = ::ct::aio::frame<space::detail::awaitable_frame<T, E>,        \
			space::detail::awaitable_frame<::ct::aio::key, E>>;                        \
	};

// asio reports neither that a timer is cancelled for which nobody ever waited, nor that one is moved.
#define CT_ASIO_TIMES(space, clock)                                                                \
	space::detail::chrono_time_traits<std::chrono::clock,                                      \
		space::wait_traits<std::chrono::clock>>
#define CT_ASIO_TIMERS(space, clock)                                                               \
	template <> class space::detail::deadline_timer_service<CT_ASIO_TIMES(space, clock)>       \
		: public deadline_timer_service<                                                   \
			  ::ct::aio::watched_time<CT_ASIO_TIMES(space, clock)>> {                  \
		using base = deadline_timer_service<                                               \
			::ct::aio::watched_time<CT_ASIO_TIMES(space, clock)>>;                     \
                                                                                                   \
	public:                                                                                    \
		using base::base;                                                                  \
		using typename base::implementation_type;                                          \
		void move_construct(implementation_type &to, implementation_type &from)            \
		{                                                                                  \
			::ct::aio::moves(&from);                                                   \
			base::move_construct(to, from);                                            \
		}                                                                                  \
		void move_assign(implementation_type &to, deadline_timer_service &of,              \
			implementation_type &from)                                                 \
		{                                                                                  \
			::ct::aio::moves(&from);                                                   \
			base::move_assign(to, of, from);                                           \
		}                                                                                  \
		void converting_move_construct(implementation_type &to, deadline_timer_service &,  \
			implementation_type &from)                                                 \
		{                                                                                  \
			move_construct(to, from);                                                  \
		}                                                                                  \
		void converting_move_assign(implementation_type &to, deadline_timer_service &of,   \
			implementation_type &from)                                                 \
		{                                                                                  \
			move_assign(to, of, from);                                                 \
		}                                                                                  \
		template <class Error>                                                             \
		std::size_t cancel(implementation_type &timer, Error &e)                           \
		{                                                                                  \
			if (!timer.might_have_pending_waits)                                       \
				::ct::aio::notified_nobody(&timer);                                \
			return base::cancel(timer, e);                                             \
		}                                                                                  \
		template <class Error>                                                             \
		std::size_t cancel_one(implementation_type &timer, Error &e)                       \
		{                                                                                  \
			if (!timer.might_have_pending_waits)                                       \
				::ct::aio::notified_nobody(&timer);                                \
			return base::cancel_one(timer, e);                                         \
		}                                                                                  \
	};

#define CT_ASIO_CHANNELS(space, mutex)                                                             \
	template <> class space::experimental::detail::channel_service<space::detail::mutex>       \
		: public channel_service<::ct::aio::watched<space::detail::mutex, channel_service>> { \
	public:                                                                                    \
		explicit channel_service(space::execution_context &c)                              \
			: channel_service<::ct::aio::watched<space::detail::mutex,                 \
				space::experimental::detail::channel_service>>(c) {}               \
	};

#define CT_ASIO_CREATION(args) ::ct::aio::creation args
#define CT_ASIO_COMPLETION(args) ::ct::aio::completion tracked_completion args
#define CT_ASIO_BEGIN(args) tracked_completion.invocation_begin args
#define CT_ASIO_OPERATION(args) ::ct::aio::operation args
#define CT_ASIO_REGISTERED(args) ::ct::aio::registered args
#define CT_ASIO_DEREGISTERED(args) ::ct::aio::deregistered args
#define CT_ASIO_IGNORED(args) ::ct::aio::ignored args

// ---- standalone asio, and Boost's: the same, with other names ----
#if defined ASIO_CUSTOM_HANDLER_TRACKING
#undef ASIO_CUSTOM_HANDLER_TRACKING
#define ASIO_CUSTOM_HANDLER_TRACKING <cstddef>	// what it is to define, we do
#define ASIO_INHERIT_TRACKED_HANDLER : public ::ct::aio::tracked
#define ASIO_ALSO_INHERIT_TRACKED_HANDLER , public ::ct::aio::tracked
#define ASIO_HANDLER_TRACKING_INIT (void)0
#define ASIO_HANDLER_LOCATION(args) (void)0
#define ASIO_HANDLER_CREATION CT_ASIO_CREATION
#define ASIO_HANDLER_COMPLETION CT_ASIO_COMPLETION
#define ASIO_HANDLER_INVOCATION_BEGIN CT_ASIO_BEGIN
#define ASIO_HANDLER_INVOCATION_END tracked_completion.invocation_end()
#define ASIO_HANDLER_OPERATION CT_ASIO_OPERATION
#define ASIO_HANDLER_REACTOR_REGISTRATION CT_ASIO_REGISTERED
#define ASIO_HANDLER_REACTOR_DEREGISTRATION CT_ASIO_DEREGISTERED
#define ASIO_HANDLER_REACTOR_READ_EVENT 1
#define ASIO_HANDLER_REACTOR_WRITE_EVENT 2
#define ASIO_HANDLER_REACTOR_ERROR_EVENT 4
#define ASIO_HANDLER_REACTOR_EVENTS CT_ASIO_IGNORED
#define ASIO_HANDLER_REACTOR_OPERATION CT_ASIO_IGNORED
#include <asio/detail/config.hpp>
#if !defined ASIO_HAS_CO_AWAIT
#error "asio has no coroutines with this compiler and these options: -std=c++20, for Clang a newer asio"
#endif
#include <asio/detail/chrono_time_traits.hpp>
#include <asio/detail/deadline_timer_service.hpp>
#include <asio/wait_traits.hpp>
CT_ASIO_TIMERS(asio, steady_clock)
CT_ASIO_TIMERS(asio, system_clock)
#include <asio/co_spawn.hpp>
#include <asio/use_awaitable.hpp>
CT_ASIO_TRAITS(asio)
#include <asio/version.hpp>
#if ASIO_VERSION >= 102100	// and not that of another asio, installed beside it
#include <asio/detail/null_mutex.hpp>
#include <asio/experimental/detail/channel_service.hpp>
CT_ASIO_CHANNELS(asio, null_mutex)
CT_ASIO_CHANNELS(asio, mutex)
#endif
#define CT_ASIO_HERE
#endif
#if defined BOOST_ASIO_CUSTOM_HANDLER_TRACKING
#undef BOOST_ASIO_CUSTOM_HANDLER_TRACKING
#define BOOST_ASIO_CUSTOM_HANDLER_TRACKING <cstddef>	// what it is to define, we do
#define BOOST_ASIO_INHERIT_TRACKED_HANDLER : public ::ct::aio::tracked
#define BOOST_ASIO_ALSO_INHERIT_TRACKED_HANDLER , public ::ct::aio::tracked
#define BOOST_ASIO_HANDLER_TRACKING_INIT (void)0
#define BOOST_ASIO_HANDLER_LOCATION(args) (void)0
#define BOOST_ASIO_HANDLER_CREATION CT_ASIO_CREATION
#define BOOST_ASIO_HANDLER_COMPLETION CT_ASIO_COMPLETION
#define BOOST_ASIO_HANDLER_INVOCATION_BEGIN CT_ASIO_BEGIN
#define BOOST_ASIO_HANDLER_INVOCATION_END tracked_completion.invocation_end()
#define BOOST_ASIO_HANDLER_OPERATION CT_ASIO_OPERATION
#define BOOST_ASIO_HANDLER_REACTOR_REGISTRATION CT_ASIO_REGISTERED
#define BOOST_ASIO_HANDLER_REACTOR_DEREGISTRATION CT_ASIO_DEREGISTERED
#define BOOST_ASIO_HANDLER_REACTOR_READ_EVENT 1
#define BOOST_ASIO_HANDLER_REACTOR_WRITE_EVENT 2
#define BOOST_ASIO_HANDLER_REACTOR_ERROR_EVENT 4
#define BOOST_ASIO_HANDLER_REACTOR_EVENTS CT_ASIO_IGNORED
#define BOOST_ASIO_HANDLER_REACTOR_OPERATION CT_ASIO_IGNORED
#include <boost/asio/detail/config.hpp>
#if !defined BOOST_ASIO_HAS_CO_AWAIT
#error "asio has no coroutines with this compiler and these options: -std=c++20, for Clang a newer asio"
#endif
#include <boost/asio/detail/chrono_time_traits.hpp>
#include <boost/asio/detail/deadline_timer_service.hpp>
#include <boost/asio/wait_traits.hpp>
CT_ASIO_TIMERS(boost::asio, steady_clock)
CT_ASIO_TIMERS(boost::asio, system_clock)
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
CT_ASIO_TRAITS(boost::asio)
#include <boost/asio/version.hpp>
#if BOOST_ASIO_VERSION >= 102100
#include <boost/asio/detail/null_mutex.hpp>
#include <boost/asio/experimental/detail/channel_service.hpp>
CT_ASIO_CHANNELS(boost::asio, null_mutex)
CT_ASIO_CHANNELS(boost::asio, mutex)
#endif
#define CT_ASIO_HERE
#endif
#if !defined CT_ASIO_HERE
#error "ct_asio.hpp: which asio? -DASIO_CUSTOM_HANDLER_TRACKING or -DBOOST_ASIO_CUSTOM_HANDLER_TRACKING"
#endif

#endif
