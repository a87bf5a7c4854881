// channel.hpp - the mutex of asio's channels; a part of ct_asio.hpp.
namespace ct::inline CT_EDITION::aio {

// A channel of asio's, which reports neither what it does to its state nor that it is closed: but all
// of it happens under the channel's mutex, or what stands for one. This is that mutex, and whoever
// unlocks it reports what has changed.
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

} // namespace ct::aio
