// A function of the caller, not owned: loops over chunks that take one are compiled once, not for every caller.
#pragma once
#include <utility>

namespace linsep {

template <class Signature>
class FunctionRef;

template <class R, class... Args>
class FunctionRef<R(Args...)> {
    const void *body;
    R (*call)(const void *, Args...);

  public:
    template <class F>
    FunctionRef(const F &f)  // NOLINT: meant to convert
        : body(&f), call([](const void *b, Args... args) -> R { return (*static_cast<const F *>(b))(std::forward<Args>(args)...); }) {}
    R operator()(Args... args) const { return call(body, std::forward<Args>(args)...); }
};

}  // namespace linsep
