// promise.hpp - what a promise has beside asio's and promise_mixin; a part of ct_asio.hpp.
namespace ct::inline CT_EDITION::aio {

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

} // namespace ct::aio
