// The threads of the kernels: a pool in which nobody waits for a thread that has not begun.
//
// The caller publishes a job of `count` chunks, takes chunks itself, and at the end waits only for threads that
// are inside one. On a busy machine a thread that the system has not scheduled costs nothing, where the barrier
// at the end of an OpenMP loop would wait for it. One job runs at a time; a second caller, or a chunk that calls
// again, runs its chunks by itself. Which thread takes which chunk never matters to the result (chunks.hpp).
#pragma once
#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <new>
#include <thread>

#include "function_ref.hpp"
#include "design.hpp"

namespace linsep {

class Pool {
    struct Job {
        FunctionRef<void(index_t)> body;
        index_t count;
        int places;                    // helpers that may still join; guarded by the mutex
        std::atomic<index_t> next{0};  // the chunk to take next
        std::atomic<int> inside{0};    // helpers at work
        void work() {
            for (index_t c; (c = next.fetch_add(1)) < count;) body(c);
        }
    };

    std::mutex busy, mutex;
    std::condition_variable wake;
    std::atomic<std::uint64_t> published{0};  // jobs so far
    Job *job = nullptr;
    int helpers = 0;

    // A helper looks out for the next job for a short while before it sleeps: passes follow each other closely.
    void help() {
        std::uint64_t seen = 0;
        std::unique_lock<std::mutex> lock(mutex);
        for (;;) {
            if (published.load() == seen) {
                lock.unlock();
                for (int spin = 0; spin < 2000 && published.load(std::memory_order_relaxed) == seen; ++spin) pause();
                lock.lock();
                wake.wait(lock, [&] { return published.load() != seen; });
            }
            seen = published.load();
            if (!job || job->places == 0) continue;
            Job *mine = job;
            --mine->places, mine->inside.fetch_add(1);
            lock.unlock();
            mine->work();
            mine->inside.fetch_sub(1);
            lock.lock();
        }
    }

    static void pause() {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }

    // Never destroyed. A forked child has none of the helpers: it starts with a pool of its own.
    static Pool &shared() {
        alignas(Pool) static unsigned char store[sizeof(Pool)];
        static Pool *pool = [] {
            pthread_atfork(nullptr, nullptr, [] { new (store) Pool; });
            return new (store) Pool;
        }();
        return *pool;
    }

    void run(Job &mine) {
        std::unique_lock<std::mutex> only(busy, std::try_to_lock);
        if (!only.owns_lock()) return mine.work();
        {
            std::lock_guard<std::mutex> lock(mutex);
            for (; helpers < mine.places; ++helpers) std::thread([this] { help(); }).detach();
            job = &mine;
            published.fetch_add(1);
        }
        wake.notify_all();
        mine.work();
        {
            std::lock_guard<std::mutex> lock(mutex);
            job = nullptr;
        }
        while (mine.inside.load() != 0) pause();
    }

  public:
    // Calls f(c) for c = 0, …, count − 1 on at most `threads` threads, this one included.
    static void each(index_t count, int threads, FunctionRef<void(index_t)> f) {
        Job mine{f, count, int(threads < count ? threads : count) - 1};
        shared().run(mine);
    }
};

}  // namespace linsep
