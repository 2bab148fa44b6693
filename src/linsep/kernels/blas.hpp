// SciPy's own BLAS, by the pointers that scipy.linalg.cython_blas exports: nothing is linked or shipped.
// Called on tiles of fixed size by our threads, with BLAS itself held to one thread.
#pragma once
namespace linsep {

// Asks Python for the pointers, once. A pass that multiplies matrices calls this before its threads begin; others do
// without SciPy, which takes longer to import than most rows to score.
void fetch_blas();

template <class T>
struct Blas {
    using Gemm = void(char *, char *, int *, int *, int *, T *, T *, int *, T *, int *, T *, T *, int *);
    using Syrk = void(char *, char *, int *, int *, T *, T *, int *, T *, T *, int *);
    static inline Gemm *gemm_ = nullptr;
    static inline Syrk *syrk_ = nullptr;

    // Row-major C (m×n) = A (m×k) Bᵀ + beta C with B (n×k).
    static void gemm_nt(int m, int n, int k, const T *a, int lda, const T *b, int ldb, T beta, T *c, int ldc) {
        char no = 'N', yes = 'T';
        T one = 1;
        gemm_(&yes, &no, &n, &m, &k, &one, const_cast<T *>(b), &ldb, const_cast<T *>(a), &lda, &beta, c, &ldc);
    }
    // Row-major C (m×n) = Aᵀ B + beta C with A (k×m), B (k×n).
    static void gemm_tn(int m, int n, int k, const T *a, int lda, const T *b, int ldb, T beta, T *c, int ldc) {
        char no = 'N', yes = 'T';
        T one = 1;
        gemm_(&no, &yes, &n, &m, &k, &one, const_cast<T *>(b), &ldb, const_cast<T *>(a), &lda, &beta, c, &ldc);
    }
    // Row-major upper triangle of C (d×d) = Aᵀ A + beta C with A (k×d).
    static void gram(int d, int k, const T *a, int lda, T beta, T *c, int ldc) {
        char lower = 'L', no = 'N';
        T one = 1;
        syrk_(&lower, &no, &d, &k, &one, const_cast<T *>(a), &lda, &beta, c, &ldc);
    }
};

}  // namespace linsep
