// pending.hpp - the operations that are pending, by object; a part of ct_asio.hpp.
namespace ct::inline CT_EDITION::aio {

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

} // namespace ct::aio
