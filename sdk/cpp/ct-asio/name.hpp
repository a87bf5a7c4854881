// name.hpp - what a handler is called that is no coroutine; a part of ct_asio.hpp.
namespace ct::inline CT_EDITION::aio {

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

} // namespace ct::aio
