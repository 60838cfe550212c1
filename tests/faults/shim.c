// Faults of the system below a program, for tests: a library that LD_PRELOAD loads.
//
// Each fault is switched on by a variable of the environment (tests/src/faults.rs names
// them); without variables every call goes through. Linux with glibc only.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

// Absent variables leave these values, which mean "never".
static long threads_left = -1;  // threads that can still be started
static long fail_at = -1;       // number of the allocation that fails
static long fail_every = -1;    // interval of the allocations that fail
static long disk_left = -1;     // bytes that still fit on the disk
static const char *stopped;     // while this file exists, files are not read
static int short_output, busy_output, busy_input, sync_fails, clock_jumps;

static atomic_int armed;        // allocations are counted
static atomic_long allocations;
static atomic_long attempts;    // at standard input and output
static pthread_mutex_t disk = PTHREAD_MUTEX_INITIALIZER;

static long number(const char *name) {
    const char *text = getenv(name);
    return text ? atol(text) : -1;
}

__attribute__((constructor)) static void begin(void) {
    threads_left = number("ENBU_FAULT_THREADS");
    fail_at = number("ENBU_FAULT_ALLOCATION");
    fail_every = number("ENBU_FAULT_ALLOCATIONS");
    disk_left = number("ENBU_FAULT_DISK");
    stopped = getenv("ENBU_FAULT_STOPPED");
    short_output = getenv("ENBU_FAULT_SHORT_OUTPUT") != NULL;
    busy_output = getenv("ENBU_FAULT_BUSY_OUTPUT") != NULL;
    busy_input = getenv("ENBU_FAULT_BUSY_INPUT") != NULL;
    sync_fails = getenv("ENBU_FAULT_SYNC") != NULL;
    clock_jumps = getenv("ENBU_FAULT_CLOCK") != NULL;
    armed = getenv("ENBU_FAULT_ARMED") != NULL;
}

// --- memory ---

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static int refused(void) {
    if (!armed || (fail_at < 0 && fail_every < 0)) return 0;
    long count = atomic_fetch_add(&allocations, 1) + 1;
    int fails = count == fail_at || (fail_every > 0 && count % fail_every == 0);
    if (fails) errno = ENOMEM;
    return fails;
}

void *malloc(size_t size) { return refused() ? NULL : __libc_malloc(size); }

void *calloc(size_t count, size_t size) { return refused() ? NULL : __libc_calloc(count, size); }

void *realloc(void *old, size_t size) { return refused() ? NULL : __libc_realloc(old, size); }

void *aligned_alloc(size_t alignment, size_t size) { return refused() ? NULL : __libc_memalign(alignment, size); }

int posix_memalign(void **place, size_t alignment, size_t size) {
    void *block = refused() ? NULL : __libc_memalign(alignment, size);
    if (!block) return ENOMEM;
    *place = block;
    return 0;
}

// --- threads ---

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!real) real = dlsym(RTLD_NEXT, "pthread_create");
    if (threads_left == 0) return EAGAIN;
    if (threads_left > 0) threads_left--;
    return real(thread, attributes, run, argument);
}

// --- files and pipes ---

static int is_on_disk(int file) {
    struct stat status;
    return disk_left >= 0 && file > 2 && fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

// The number of bytes that a write of `size` bytes may take; -1 with errno if none.
static ssize_t room(int file, const void *bytes, size_t size) {
    if (file == 1) {
        if (memmem(bytes, size, "readyok", 7)) armed = 1;
        long attempt = atomic_fetch_add(&attempts, 1);
        if (busy_output && attempt % 2 == 0) {
            errno = EAGAIN;
            return -1;
        }
        if (short_output && size > 1) return 1 + attempt % 5 % (long)size;
        return size;
    }
    if (!is_on_disk(file) || size == 0) return size;
    pthread_mutex_lock(&disk);
    ssize_t taken = disk_left < (long)size ? disk_left : (long)size;
    disk_left -= taken;
    pthread_mutex_unlock(&disk);
    if (taken > 0) return taken;
    errno = ENOSPC;
    return -1;
}

ssize_t write(int file, const void *bytes, size_t size) {
    ssize_t taken = room(file, bytes, size);
    return taken < 0 ? -1 : syscall(SYS_write, file, bytes, taken);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t offset) {
    ssize_t taken = room(file, bytes, size);
    return taken < 0 ? -1 : syscall(SYS_pwrite64, file, bytes, taken, offset);
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    for (int part = 0; part < count; part++) {
        if (parts[part].iov_len > 0) return write(file, parts[part].iov_base, parts[part].iov_len);
    }
    return 0;
}

ssize_t copy_file_range(int in, off64_t *in_offset, int out, off64_t *out_offset, size_t size, unsigned flags) {
    if (disk_left >= 0) {
        // Copies then go through `write`.
        errno = ENOSYS;
        return -1;
    }
    return syscall(SYS_copy_file_range, in, in_offset, out, out_offset, size, flags);
}

ssize_t read(int file, void *bytes, size_t size) {
    if (file == 0 && busy_input && atomic_fetch_add(&attempts, 1) % 2 == 0) {
        errno = EAGAIN;
        return -1;
    }
    struct stat status;
    while (stopped && file > 2 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) && access(stopped, F_OK) == 0) {
        usleep(1000);
    }
    return syscall(SYS_read, file, bytes, size);
}

static int synced(int file, long call) {
    if (sync_fails && file > 2) {
        errno = EIO;
        return -1;
    }
    return syscall(call, file);
}

int fsync(int file) { return synced(file, SYS_fsync); }

int fdatasync(int file) { return synced(file, SYS_fdatasync); }

// --- clocks ---

int clock_gettime(clockid_t clock, struct timespec *time) {
    static atomic_int calls;
    int result = syscall(SYS_clock_gettime, clock, time);
    // The time of day goes back and forth by an hour.
    if (result == 0 && clock_jumps && clock == CLOCK_REALTIME) time->tv_sec += atomic_fetch_add(&calls, 1) % 2 ? 3600 : -3600;
    return result;
}
