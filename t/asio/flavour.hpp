// flavour.hpp - asio of its own, or Boost's: -DBOOST.
#include <utility>		// Boost's 1.74 forgets it
#ifdef BOOST
#include <boost/asio.hpp>
namespace asio = boost::asio;
using asio_error = boost::system::error_code;
#else
#include <asio.hpp>
using asio_error = asio::error_code;
#endif
