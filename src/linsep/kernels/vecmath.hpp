// exp and log1p(exp) written without branches, so that a loop over them becomes vector code on any
// instruction set. Both are within 2 units in the last place (tests compare with mpmath).
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>

namespace linsep {

inline double bits_to_double(std::uint64_t u) {
    double x;
    std::memcpy(&x, &u, sizeof x);
    return x;
}
inline std::uint64_t double_to_bits(double x) {
    std::uint64_t u;
    std::memcpy(&u, &x, sizeof u);
    return u;
}

// exp(x) for x ≤ 0; 0 below −708.  x = k ln 2 + r, |r| ≤ ln 2 / 2, exp(r) by its Taylor sum of degree 13.
inline double exp_nonpositive(double x) {
    constexpr double log2e = 1.4426950408889634074, ln2_hi = 6.93147180369123816490e-01,
                     ln2_lo = 1.90821492927058770002e-10, shifter = 6755399441055744.0;  // 1.5·2⁵²
    const double clamped = x < -708.0 ? -708.0 : x;
    const double shifted = clamped * log2e + shifter;
    const double k = shifted - shifter;
    const double r = (clamped - k * ln2_hi) - k * ln2_lo;
    double p = 1.0 / 6227020800.0;
    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    // The low bits of `shifted` hold k; moved to the exponent field they make 2ᵏ.
    const double scale = bits_to_double((double_to_bits(shifted) + 1023) << 52);
    return x < -708.0 ? 0.0 : p * scale;
}

// artanh(z) / z as a series in q = z², for |z| ≤ 1/3.
inline double artanh_series(double q) {
    double s = 1.0 / 33;
    s = s * q + 1.0 / 31;
    s = s * q + 1.0 / 29;
    s = s * q + 1.0 / 27;
    s = s * q + 1.0 / 25;
    s = s * q + 1.0 / 23;
    s = s * q + 1.0 / 21;
    s = s * q + 1.0 / 19;
    s = s * q + 1.0 / 17;
    s = s * q + 1.0 / 15;
    s = s * q + 1.0 / 13;
    s = s * q + 1.0 / 11;
    s = s * q + 1.0 / 9;
    s = s * q + 1.0 / 7;
    s = s * q + 1.0 / 5;
    s = s * q + 1.0 / 3;
    return s * q + 1.0;
}

// ln(1 + e) for e in [0, 1]: 2 artanh(z), z = e / (2 + e) ≤ 1/3.
inline double log1p_unit(double e) {
    const double z = e / (2.0 + e);
    return 2.0 * z * artanh_series(z * z);
}

// x ln x for x ≥ 0, and 0 at 0.  x = m 2ᵏ with m in [√½, √2); ln m = 2 artanh(z), z = (m − 1)/(m + 1), |z| ≤ 0.172.
inline double x_log_x(double x) {
    const double safe = x < 2.3e-308 ? 2.3e-308 : x;
    const std::uint64_t bits = double_to_bits(safe);
    // Less √½, the exponent field holds k; 1024 more, so that no sign needs care. 2⁵² + k has k in its low bits.
    const std::uint64_t raised = (bits - 0x3fe6a09e667f3bcdull + (1024ull << 52)) >> 52;
    const double k = bits_to_double(raised | 0x4330000000000000ull) - (4503599627370496.0 + 1024.0);
    const double m = bits_to_double(bits - ((raised - 1024ull) << 52));
    const double z = (m - 1.0) / (m + 1.0), q = z * z;
    double s = 1.0 / 21;
    s = s * q + 1.0 / 19;
    s = s * q + 1.0 / 17;
    s = s * q + 1.0 / 15;
    s = s * q + 1.0 / 13;
    s = s * q + 1.0 / 11;
    s = s * q + 1.0 / 9;
    s = s * q + 1.0 / 7;
    s = s * q + 1.0 / 5;
    s = s * q + 1.0 / 3;
    s = s * q + 1.0;
    constexpr double ln2_hi = 6.93147180369123816490e-01, ln2_lo = 1.90821492927058770002e-10;
    return x * (k * ln2_hi + (2.0 * z * s + k * ln2_lo));
}

// t ln t + (1 − t) ln(1 − t) on [0, 1], to relative accuracy: with a the smaller of t and 1 − t,
// ln(1 − a) = −2 artanh(a / (2 − a)).
inline double negative_entropy(double t) {
    const double a = t < 0.5 ? t : 1.0 - t, z = a / (2.0 - a);
    return x_log_x(a) - (1.0 - a) * 2.0 * z * artanh_series(z * z);
}

}  // namespace linsep
