// What several threads of the host do, and whether it races: each case is right or wrong, as in host_orders.cu. The rules: ISO C++
// [intro.races], POSIX "Memory Synchronization", CUDA Programming Guide, "Default Stream".
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cuda/atomic>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <pthread.h>
#include <semaphore.h>
#include <shared_mutex>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "uses.h"

constexpr int kCount = 32;
constexpr size_t kBytes = kCount * sizeof(int);

// A line for each use.
// clang-format off
__global__ void put(int* to, int value) { to[threadIdx.x] = value; }
__global__ void get(int* to, const int* from) { to[threadIdx.x] = from[threadIdx.x]; }
__global__ void raise(volatile int* to) { *to = 1; }

// Of blocking stream a, and streams n and m that are not.
static cudaStream_t a, n, m;
static cudaEvent_t event;
static int *d, *d2;
static int *pinned, *pinned2, *unified, *unified2;
static std::atomic<int> flag, relaxed, second;
static std::mutex mutex, mutex2;
static std::shared_mutex readers;
static std::condition_variable condition;
static bool is_ready;
static int seen; // that the compiler does not remove reads
static int of_host;


static void put_in(cudaStream_t stream, int* to = d) { put<<<1, kCount, 0, stream>>>(to, 1); }
static void get_in(cudaStream_t stream, const int* from = d, int* to = d2) { get<<<1, kCount, 0, stream>>>(to, from); }
static void put_and_wait(cudaStream_t stream, int* to) { put_in(stream, to); cudaStreamSynchronize(stream); }
static void fill(int* memory) { for (int i = 0; i < kCount; ++i) memory[i] = i; }
static void copy_in(cudaStream_t stream, void* to, const void* from) { cudaMemcpyAsync(to, from, kBytes, cudaMemcpyDefault, stream); }
static void by_thread(const std::function<void()>& work) { std::thread(work).join(); }
// Tells the program how far a thread has come, and orders nothing.
static void tell() { relaxed.store(1, std::memory_order_relaxed); }
static void await() { while (relaxed.load(std::memory_order_relaxed) == 0) std::this_thread::yield(); }
static void release() { flag.store(1, std::memory_order_release); }
static void acquire() { while (flag.load(std::memory_order_acquire) == 0) std::this_thread::yield(); }
static void both(const std::function<void()>& first, const std::function<void()>& other)
{
    std::thread thread(first);
    other();
    thread.join();
}

// ---- begin and end of a thread ----
RIGHT(written_before_the_thread) { fill(pinned); by_thread([] { get_in(n, pinned); cudaStreamSynchronize(n); }); }
WRONG(written_beside_the_thread) { both([] { get_in(n, pinned); cudaStreamSynchronize(n); tell(); }, [] { await(); fill(pinned); }); }
RIGHT(thread_writes_then_a_kernel) { by_thread([] { fill(pinned); }); get_in(n, pinned); }
WRONG(kernel_before_the_join) { both([] { fill(pinned); tell(); }, [] { await(); get_in(n, pinned); }); }
WRONG(one_element_before_the_join) { both([] { pinned[3] = 1; tell(); }, [] { await(); get_in(n, pinned); }); }
RIGHT(thread_waits_for_its_kernel) { by_thread([] { put_and_wait(n, unified); }); seen = unified[0]; }
WRONG(thread_does_not_wait) { by_thread([] { put_in(n, unified); }); seen = unified[0]; }
RIGHT(waited_after_the_join) { by_thread([] { put_in(n, unified); }); cudaStreamSynchronize(n); seen = unified[0]; }
WRONG(read_before_the_join) { both([] { put_and_wait(n, unified); tell(); }, [] { await(); seen = unified[0]; }); }
RIGHT(joined_by_another_thread) { std::thread first([] { put_and_wait(n, unified); }); by_thread([&] { first.join(); }); seen = unified[0]; }
RIGHT(two_threads_side_by_side) { both([] { fill(pinned); }, [] { fill(pinned2); }); get_in(n, pinned, pinned2); }
WRONG(two_threads_write_pinned_memory) { both([] { fill(pinned); }, [] { fill(pinned); }); }
RIGHT(two_threads_write_memory_of_the_host_alone) { both([] { of_host = 1; }, [] { of_host = 2; }); get_in(n); }
static void* write_pinned(void*) { fill(pinned); return nullptr; }
RIGHT(thread_of_posix) { pthread_t thread; pthread_create(&thread, nullptr, write_pinned, nullptr); pthread_join(thread, nullptr); get_in(n, pinned); }
WRONG(detached_thread) { std::thread([] { fill(pinned); tell(); }).detach(); await(); get_in(n, pinned); }
RIGHT(detached_thread_with_a_release) { std::thread([] { fill(pinned); release(); }).detach(); acquire(); get_in(n, pinned); }
RIGHT(threads_one_after_another) { for (int time = 0; time < 40; ++time) { by_thread([] { fill(pinned); put_and_wait(n, unified); }); fill(pinned); fill(unified); } }
RIGHT(main_alone_again) { by_thread([] { fill(pinned); }); fill(pinned); get_in(n, pinned); cudaStreamSynchronize(n); fill(pinned); }

RIGHT(detached_threads_then_a_joined_one) { for (int time = 0; time < 40; ++time) { std::thread([] { fill(pinned); release(); }).detach(); acquire(); flag = 0; } by_thread([] { fill(pinned); }); get_in(n, pinned); }
WRONG(detached_thread_that_has_ended) { std::thread([] { fill(pinned); tell(); }).detach(); await(); std::this_thread::sleep_for(std::chrono::milliseconds(20)); by_thread([] {}); get_in(n, pinned); }
// The child has no other thread, and the detector of the parent may be at work.
static bool child_ends() { const pid_t child = fork(); if (child == 0) { alarm(5); const std::lock_guard<std::mutex> lock(mutex2); by_thread([] { pinned2[0] = 1; }); _exit(0); } int state = 1; waitpid(child, &state, 0); return state == 0; }
RIGHT(fork_beside_a_thread) { both([] { while (second == 0) { fill(unified); put_and_wait(n, unified); } }, [] { for (int time = 0; time < 8; ++time) if (!child_ends()) exit(1); second = 1; }); }

// ---- atomics ----
RIGHT(release_and_acquire) { both([] { put_and_wait(n, unified); release(); }, [] { acquire(); seen = unified[0]; }); }
WRONG(relaxed_flag) { both([] { put_and_wait(n, unified); flag.store(1, std::memory_order_relaxed); }, [] { acquire(); seen = unified[0]; }); }
WRONG(released_before_the_wait) { both([] { put_in(n, unified); release(); cudaStreamSynchronize(n); tell(); }, [] { acquire(); await(); seen = unified[0]; }); }
RIGHT(released_before_the_wait_of_the_other) { both([] { put_in(n, unified); release(); }, [] { acquire(); cudaStreamSynchronize(n); seen = unified[0]; }); }
RIGHT(fences_and_a_relaxed_flag) { both([] { fill(pinned); std::atomic_thread_fence(std::memory_order_release); tell(); }, [] { await(); std::atomic_thread_fence(std::memory_order_acquire); get_in(n, pinned); }); }
WRONG(one_fence_alone) { both([] { fill(pinned); std::atomic_thread_fence(std::memory_order_release); tell(); }, [] { await(); get_in(n, pinned); }); }
RIGHT(counter) { auto count = [] { fill(pinned); second.fetch_add(1, std::memory_order_acq_rel); }; std::thread(count).join(); both(release, [] { acquire(); while (second.load(std::memory_order_acquire) == 0) {} get_in(n, pinned); }); }
RIGHT(exchanged_flag) { both([] { fill(pinned); flag.exchange(1); }, [] { int one = 1; while (!flag.compare_exchange_weak(one, 2)) one = 1; get_in(n, pinned); }); }
// A kernel that runs while another thread works.
template <cuda::memory_order order>
__global__ void get_when_told(int* to, const int* from, int* flag) { while (cuda::atomic_ref<int, cuda::thread_scope_system>(*flag).load(order) == 0) {} *to = *from; }
__global__ void get_behind_a_fence(int* to, const int* from, volatile int* flag) { while (*flag == 0) {} __threadfence_system(); *to = *from; }
static void tell_kernel(int value, std::memory_order order) { std::this_thread::sleep_for(std::chrono::milliseconds(5)); pinned[0] = value; reinterpret_cast<std::atomic<int>*>(unified2)->store(1, order); }
RIGHT(kernel_that_waits_for_another_thread) { *unified2 = 0; both([] { get_when_told<cuda::memory_order_acquire><<<1, 1, 0, n>>>(d, pinned, unified2); }, [] { tell_kernel(1, std::memory_order_release); }); }
WRONG(kernel_that_waits_for_a_relaxed_flag) { *unified2 = 0; both([] { get_when_told<cuda::memory_order_acquire><<<1, 1, 0, n>>>(d, pinned, unified2); }, [] { tell_kernel(1, std::memory_order_relaxed); }); }
WRONG(kernel_that_reads_a_flag_relaxed) { *unified2 = 0; both([] { get_when_told<cuda::memory_order_relaxed><<<1, 1, 0, n>>>(d, pinned, unified2); }, [] { tell_kernel(1, std::memory_order_release); }); }
RIGHT(kernel_that_waits_through_volatile_memory) { *unified2 = 0; both([] { get_behind_a_fence<<<1, 1, 0, n>>>(d, pinned, unified2); }, [] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); pinned[0] = 1; *static_cast<volatile int*>(unified2) = 1; }); }
RIGHT(volatile_flag_of_a_kernel) { *unified2 = 0; both([] { raise<<<1, 1, 0, n>>>(unified2); }, [] { while (*static_cast<volatile int*>(unified2) == 0) {} }); }

// ---- locks ----
RIGHT(one_mutex) { both([] { const std::lock_guard<std::mutex> lock(mutex); put_and_wait(n, unified); }, [] { const std::lock_guard<std::mutex> lock(mutex); seen = unified[0]; }); }
WRONG(two_mutexes) { both([] { const std::lock_guard<std::mutex> lock(mutex); put_and_wait(n, unified); tell(); }, [] { await(); const std::lock_guard<std::mutex> lock(mutex2); seen = unified[0]; }); }
WRONG(mutex_without_a_wait) { both([] { const std::lock_guard<std::mutex> lock(mutex); put_in(n, unified); tell(); }, [] { await(); const std::lock_guard<std::mutex> lock(mutex); seen = unified[0]; }); }
RIGHT(mutex_that_is_tried) { both([] { const std::lock_guard<std::mutex> lock(mutex); fill(pinned); tell(); }, [] { await(); while (!mutex.try_lock()) {} get_in(n, pinned); mutex.unlock(); }); }
RIGHT(recursive_mutex) { static std::recursive_mutex of; both([] { const std::lock_guard<std::recursive_mutex> lock(of); fill(pinned); }, [] { const std::lock_guard<std::recursive_mutex> lock(of); get_in(n, pinned); cudaStreamSynchronize(n); }); }
RIGHT(reader_and_writer) { both([] { const std::unique_lock<std::shared_mutex> lock(readers); fill(pinned); }, [] { const std::shared_lock<std::shared_mutex> lock(readers); get_in(n, pinned); cudaStreamSynchronize(n); }); }
WRONG(reader_that_writes) { both([] { const std::shared_lock<std::shared_mutex> lock(readers); fill(pinned); tell(); }, [] { await(); const std::shared_lock<std::shared_mutex> lock(readers); get_in(n, pinned); }); }
RIGHT(condition_variable) { both([] { std::unique_lock<std::mutex> lock(mutex); condition.wait(lock, [] { return is_ready; }); get_in(n, pinned); cudaStreamSynchronize(n); }, [] { fill(pinned); { const std::lock_guard<std::mutex> lock(mutex); is_ready = true; } condition.notify_one(); }); }
WRONG(condition_variable_then_a_write) { both([] { std::unique_lock<std::mutex> lock(mutex); condition.wait(lock, [] { return is_ready; }); get_in(n, pinned); }, [] { { const std::lock_guard<std::mutex> lock(mutex); is_ready = true; } condition.notify_one(); fill(pinned); }); }
static sem_t semaphore;
RIGHT(semaphore_posted) { sem_init(&semaphore, 0, 0); both([] { fill(pinned); sem_post(&semaphore); }, [] { sem_wait(&semaphore); get_in(n, pinned); }); }
WRONG(semaphore_posted_before_the_write) { sem_init(&semaphore, 0, 0); both([] { sem_post(&semaphore); fill(pinned); tell(); }, [] { sem_wait(&semaphore); await(); get_in(n, pinned); }); }
static void post(int) { sem_post(&semaphore); }
RIGHT(semaphore_posted_by_a_signal) { sem_init(&semaphore, 0, 0); signal(SIGALRM, post); ualarm(1000, 1000); both([] { sigset_t alarms; sigemptyset(&alarms); sigaddset(&alarms, SIGALRM); pthread_sigmask(SIG_BLOCK, &alarms, nullptr); for (int time = 0; time < 30; ++time) sem_wait(&semaphore); second = 1; }, [] { while (second == 0) fill(pinned); }); ualarm(0, 0); }
static pthread_mutex_t cancelled_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static void unlock_cancelled(void*) { pinned[0] = 2; pthread_mutex_unlock(&cancelled_mutex); }
static void* wait_for_ever(void*) { pthread_mutex_lock(&cancelled_mutex); pthread_cleanup_push(unlock_cancelled, nullptr); tell(); for (;;) pthread_cond_wait(&never, &cancelled_mutex); pthread_cleanup_pop(0); return nullptr; }
RIGHT(cancelled_while_it_waits) { pthread_t thread; pthread_create(&thread, nullptr, wait_for_ever, nullptr); await(); pthread_mutex_lock(&cancelled_mutex); pinned[0] = 1; pthread_mutex_unlock(&cancelled_mutex); pthread_cancel(thread); pthread_join(thread, nullptr); get_in(n, pinned); }
static pthread_barrier_t barrier;
RIGHT(barrier_of_threads) { pthread_barrier_init(&barrier, nullptr, 2); both([] { fill(pinned); pthread_barrier_wait(&barrier); }, [] { pthread_barrier_wait(&barrier); get_in(n, pinned); }); }
WRONG(written_after_the_barrier) { pthread_barrier_init(&barrier, nullptr, 2); both([] { pthread_barrier_wait(&barrier); fill(pinned); tell(); }, [] { pthread_barrier_wait(&barrier); await(); get_in(n, pinned); }); }

// ---- the C++ library ----
RIGHT(asynchronous_task) { auto task = std::async(std::launch::async, [] { put_and_wait(n, unified); }); task.get(); seen = unified[0]; }
WRONG(asynchronous_task_not_awaited) { auto task = std::async(std::launch::async, [] { put_and_wait(n, unified); tell(); }); await(); seen = unified[0]; }
RIGHT(promise) { std::promise<int> of; both([&] { fill(pinned); of.set_value(1); }, [&] { seen = of.get_future().get(); get_in(n, pinned); }); }
RIGHT(called_once) { static std::once_flag once; auto work = [](cudaStream_t stream, int* to) { std::call_once(once, fill, pinned); get_in(stream, pinned, to); }; both([=] { work(n, d); }, [=] { work(m, d2); }); }
static int* made_once() { static int* const made = [] { fill(pinned); return pinned; }(); return made; }
RIGHT(static_variable_of_a_function) { both([] { get_in(n, made_once(), d); }, [] { get_in(m, made_once(), d2); }); }
RIGHT(static_variable_that_another_thread_made) { both([] { made_once(); tell(); }, [] { await(); get_in(n, made_once()); }); }
static thread_local int* own = pinned;
RIGHT(variables_of_a_thread) { auto work = [](int* of, cudaStream_t stream) { own = of; fill(own); get_in(stream, own, of == pinned ? d : d2); cudaStreamSynchronize(stream); fill(own); }; both([=] { work(pinned, n); }, [=] { work(pinned2, m); }); }
WRONG(variables_of_threads_for_one_buffer) { auto work = [](cudaStream_t stream, int* to) { own = pinned; fill(own); get_in(stream, own, to); cudaStreamSynchronize(stream); }; both([=] { work(n, d); }, [=] { work(m, d2); }); }

// ---- streams and events of several threads ----
RIGHT(streams_of_threads) { both([] { put_in(cudaStreamPerThread, d); }, [] { put_in(cudaStreamPerThread, d2); }); }
WRONG(streams_of_threads_for_one_buffer) { both([] { put_in(cudaStreamPerThread); }, [] { put_in(cudaStreamPerThread); }); }
RIGHT(stream_of_a_thread_then_the_null_stream) { by_thread([] { put_in(cudaStreamPerThread); }); put_in(0); }
WRONG(stream_of_a_thread_then_that_of_main) { by_thread([] { put_in(cudaStreamPerThread); }); put_in(cudaStreamPerThread); }
WRONG(waited_for_the_own_stream) { by_thread([] { put_in(cudaStreamPerThread, unified); }); cudaStreamSynchronize(cudaStreamPerThread); seen = unified[0]; }
RIGHT(stream_waited_for_by_its_thread) { by_thread([] { put_and_wait(cudaStreamPerThread, unified); }); seen = unified[0]; }
RIGHT(one_stream_of_two_threads) { both([] { put_in(n); }, [] { put_in(n); }); }
WRONG(two_streams_of_two_threads) { both([] { put_in(n); }, [] { put_in(m); }); }
RIGHT(event_of_another_thread) { both([] { put_in(n); cudaEventRecord(event, n); release(); }, [] { acquire(); cudaStreamWaitEvent(m, event, 0); put_in(m); }); }
WRONG(event_of_another_thread_before_the_work) { both([] { cudaEventRecord(event, n); put_in(n); release(); }, [] { acquire(); cudaStreamWaitEvent(m, event, 0); put_in(m); }); }
RIGHT(event_of_another_thread_synchronized) { both([] { put_in(n, unified); cudaEventRecord(event, n); release(); }, [] { acquire(); cudaEventSynchronize(event); seen = unified[0]; }); }
RIGHT(event_carries_what_its_thread_wrote) { both([] { fill(pinned); get_in(n, pinned); cudaEventRecord(event, n); tell(); }, [] { await(); cudaStreamWaitEvent(m, event, 0); get_in(m, pinned, d); }); }
RIGHT(device_waited_for_by_another_thread) { both([] { await(); cudaDeviceSynchronize(); release(); }, [] { put_in(n); put_in(a, d2); tell(); while (flag.load(std::memory_order_relaxed) == 0) {} put_in(n); put_in(0, d2); }); }
WRONG(device_waited_for_by_another_thread_alone) { both([] { await(); cudaDeviceSynchronize(); second = 1; }, [] { put_in(n, unified); tell(); while (second.load(std::memory_order_relaxed) == 0) {} seen = unified[0]; }); }

// ---- copies and functions ----
WRONG(copy_by_one_and_kernel_by_another) { both([] { copy_in(n, d, pinned); }, [] { put_in(m); }); }
RIGHT(copy_by_one_and_kernel_by_another_in_one_stream) { both([] { copy_in(n, d, pinned); }, [] { put_in(n); }); }
WRONG(copy_of_what_another_thread_writes) { both([] { fill(pinned); tell(); }, [] { await(); copy_in(n, d, pinned); }); }
WRONG(copied_while_another_thread_writes) { both([] { cudaMemcpy(d, pinned, kBytes, cudaMemcpyDefault); tell(); }, [] { await(); fill(pinned); }); }
RIGHT(copy_of_what_another_thread_wrote) { both([] { fill(pinned); release(); }, [] { acquire(); copy_in(n, d, pinned); }); }
WRONG(copy_to_what_another_thread_reads) { both([] { copy_in(n, pinned, d); cudaStreamSynchronize(n); tell(); }, [] { await(); seen = pinned[0]; }); }
RIGHT(set_by_another_thread) { both([] { cudaMemset(pinned, 0, kBytes); release(); }, [] { acquire(); seen = pinned[0]; }); }
static int pageable[kCount];
RIGHT(pageable_waited_for_by_its_thread) { both([] { copy_in(n, pageable, d); cudaStreamSynchronize(n); release(); }, [] { acquire(); seen = pageable[0]; }); }
WRONG(pageable_not_waited_for) { both([] { copy_in(n, pageable, d); release(); cudaStreamSynchronize(n); }, [] { acquire(); seen = pageable[0]; }); }
// More chunks than the detector keeps one by one.
static int *many, *many_there;
static void copy_chunks(int first, int end) { for (int i = first; i < end; ++i) cudaMemcpyAsync(many + i, many_there + i, sizeof(int), cudaMemcpyDefault, n); }
static void make_many() { cudaMallocHost(&many, 600 * sizeof(int)); cudaMalloc(&many_there, 600 * sizeof(int)); cudaMemset(many_there, 0, 600 * sizeof(int)); cudaDeviceSynchronize(); }
WRONG(first_of_many_chunks) { make_many(); copy_chunks(0, 600); seen = many[0]; }
RIGHT(many_chunks_of_which_some_are_waited_for) { make_many(); copy_chunks(0, 200); cudaEventRecord(event, n); copy_chunks(200, 600); cudaEventSynchronize(event); seen = many[0] + many[199]; }
static void nothing(void*) {}
static void write_variable(void*) { of_host = 1; }
static void write_with_lock(void*) { const std::lock_guard<std::mutex> lock(mutex); of_host = 1; }
static void release_variable(void*) { of_host = 1; release(); }
static void start_a_reader(void*) { std::thread([] { seen = pinned[0]; release(); }).detach(); }
RIGHT(thread_that_a_function_starts) { copy_in(n, pinned, d); cudaLaunchHostFunc(n, start_a_reader, nullptr); acquire(); }
WRONG(thread_that_a_function_of_another_stream_starts) { copy_in(n, pinned, d); cudaLaunchHostFunc(m, start_a_reader, nullptr); acquire(); }
static void join_a_writer(void*) { by_thread([] { fill(pinned); }); }
RIGHT(thread_that_a_function_joins) { cudaLaunchHostFunc(n, join_a_writer, nullptr); get_in(n, pinned); }
WRONG(thread_that_a_function_of_another_stream_joins) { cudaLaunchHostFunc(n, join_a_writer, nullptr); get_in(m, pinned); }
WRONG(function_and_a_thread) { cudaLaunchHostFunc(n, nothing, nullptr); both([] { of_host = 2; tell(); }, [] { await(); cudaLaunchHostFunc(n, write_variable, nullptr); }); }
WRONG(function_and_a_thread_later) { both([] { cudaLaunchHostFunc(n, write_variable, nullptr); tell(); }, [] { await(); of_host = 2; }); }
RIGHT(function_and_a_thread_by_a_lock) { cudaLaunchHostFunc(n, nothing, nullptr); both([] { const std::lock_guard<std::mutex> lock(mutex); of_host = 2; }, [] { cudaLaunchHostFunc(n, write_with_lock, nullptr); }); }
RIGHT(function_and_a_thread_by_an_atomic) { both([] { cudaLaunchHostFunc(n, release_variable, nullptr); }, [] { acquire(); seen = of_host; }); }
RIGHT(function_waited_for_by_a_thread) { both([] { cudaLaunchHostFunc(n, write_variable, nullptr); cudaStreamSynchronize(n); release(); }, [] { acquire(); seen = of_host; }); }
static void wait_for_flag(void*) { acquire(); }
RIGHT(function_that_waits_for_the_work_of_a_thread) { both([] { cudaLaunchHostFunc(n, wait_for_flag, nullptr); cudaStreamSynchronize(n); }, [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); put_and_wait(m, unified); release(); }); }
static void lock_slowly(void*) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); write_with_lock(nullptr); }
RIGHT(function_that_locks_what_a_thread_holds_while_it_waits) { both([] { for (int time = 0; time < 9; ++time) { cudaLaunchHostFunc(n, lock_slowly, nullptr); cudaStreamSynchronize(n); } }, [] { for (int time = 0; time < 9; ++time) { const std::lock_guard<std::mutex> lock(mutex); std::this_thread::sleep_for(std::chrono::milliseconds(2)); put_and_wait(m, unified); } }); }

int main(int count, char** words)
{
    if (count == 1)
        return list_cases();
    cudaStreamCreate(&a);
    cudaStreamCreateWithFlags(&n, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&m, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    cudaMalloc(&d, kBytes);
    cudaMalloc(&d2, kBytes);
    cudaMallocHost(&pinned, kBytes);
    cudaMallocHost(&pinned2, kBytes);
    cudaMallocManaged(&unified, kBytes);
    cudaMallocManaged(&unified2, kBytes);
    cudaFuncAttributes loaded; // at its first launch a kernel would be loaded, which waits for functions in streams
    cudaFuncGetAttributes(&loaded, put);
    cudaFuncGetAttributes(&loaded, get);
    fill(pinned);
    fill(pinned2);
    fill(unified);
    fill(unified2);
    cudaMemset(d, 0, kBytes);
    cudaMemset(d2, 0, kBytes);
    get_in(0);
    cudaDeviceSynchronize();
    cases().at(words[1]).run();
    return cudaDeviceSynchronize();
}
// clang-format on
