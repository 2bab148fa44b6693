// The width of a vector register of the instruction set that a file is compiled for, in bytes.
#pragma once

namespace linsep {

#if defined(__AVX512F__)
constexpr int kRegister = 64;
#elif defined(__AVX__)
constexpr int kRegister = 32;
#else
constexpr int kRegister = 16;
#endif

}  // namespace linsep
