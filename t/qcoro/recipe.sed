# recipe.sed - what share/doc/runtimes/cpp.md says is to be changed in QCoro's qcorotask.h (0.8).
s/^#include "coroutine.h"/#include "corotrace.hpp"\n&/
s/^class TaskPromiseBase {/class TaskPromiseBase : public ct::promise_mixin {/
s/initial_suspend() const noexcept {/initial_suspend() noexcept {\n        started();/
s/final_suspend() const noexcept {/final_suspend() noexcept {\n        ended();/
s/auto && *await_transform/auto await_transform/
s/auto &await_transform/auto await_transform/
s/\( await_transform([^()]*\)) {$/\1, ct::here h = ct::here::current()) {/
s/return Awaiter{value};/return traced(Awaiter{value}, h);/
s/return std::forward<QCoro::Task<T>>(task);/return traced(std::forward<QCoro::Task<T>>(task), h);/
s/return task;/return traced<QCoro::Task<T> \&>(task, h);/
s/return std::forward<T>(awaitable);/return traced<T>(std::forward<T>(awaitable), h);/
s/return awaitable;/return traced<T \&>(awaitable, h);/
s/^\( *\)awaiter\.resume();/\1ct::wake(awaiter, ct::coro(finishedCoroutine));\n&/
s/^    TaskAwaiterBase(std::coroutine_handle<Promise> awaitedCoroutine)/public:\n    ct_on waits_on() const { return ct::coro(mAwaitedCoroutine); }\nprotected:\n&/
