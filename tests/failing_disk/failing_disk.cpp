// A library that makes one call of a program fail, to test how the program reacts. LD_PRELOAD loads it before the
// program. The FAIL_AT-th FAIL_CALL fails, and so do all later ones, as on a full disk; with FAIL_ONCE=1, only that one
// does. With FAIL_AT=0, none does. FAIL_CALL may be
//
//   open, read, write, fsync, rename, close and the other names in kTrapped: a system call on a file or directory whose
//       path contains FAIL_BELOW. FAIL_WITH: ENOSPC, EIO, EINTR, EPERM, ENOLCK, or "short", which reads or writes at
//       most three bytes (default: ENOSPC for write, else EIO)
//   new: an allocation in the code of the program or of libglassformer_core, with operator new or aligned_alloc; not in
//       another library, and not before main, where nothing can catch an exception
//
// When the call fails, and again at exit, writes to the file that FAIL_COUNT names: how many such calls there were, and
// the path of the one that failed (for new: its callers, as addresses for addr2line).
//
// The kernel reports each of these system calls with SIGSYS (seccomp), no matter who makes it: the program,
// std::ofstream, or the C library when it flushes standard output. Replacing functions of the C library would miss the
// calls that the library makes itself.

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <string>
#include <vector>

namespace {

// --- Settings and the count; nothing here may allocate memory, because that could call this code again ------------

struct Range {
  std::uintptr_t begin = 0, end = 0;
  bool contains(const void* address) const {
    const auto number = reinterpret_cast<std::uintptr_t>(address);
    return number >= begin && number < end;
  }
};

const char *call = "", *below = "", *count_file = nullptr;
long fail_at = 0;
bool once = false;
int error = 0;  // 0: read or write only a little
Range program, core;
bool is_ours(const void* address) { return program.contains(address) || core.contains(address); }
int (*program_main)(int, char**, char**) = nullptr;
bool has_begun = false;  // main
std::atomic<long> calls = 0;
char failed[4096] = "";

void write_count() {
  if (count_file == nullptr) {
    return;
  }
  char text[sizeof failed + 32];
  const int length = std::snprintf(text, sizeof text, "%ld\n%s\n", calls.load(), failed);
  const auto file = static_cast<int>(syscall(SYS_openat, AT_FDCWD, count_file, O_WRONLY | O_CREAT | O_TRUNC, 0666));
  syscall(SYS_write, file, text, length);
  syscall(SYS_close, file);
}

/// Counts a call, and returns whether it must fail. `describe` writes to `failed` which call that was.
template <class Describe>
bool fails(Describe describe) {
  const long number = ++calls;
  if (fail_at == 0 || (once ? number != fail_at : number < fail_at)) {
    return false;
  }
  if (number == fail_at) {
    describe();
    write_count();
  }
  return true;
}

// --- Files ---------------------------------------------------------------------------------------------------------

/// Which arguments of a system call give the path: a directory's or file's descriptor, a path, or both. -1: none.
struct Trapped {
  long number;
  const char* name;
  int descriptor, path;
};

constexpr Trapped kTrapped[] = {
#ifdef SYS_open  // x86-64 has these calls, ARM does not
    {SYS_open, "open", -1, 0},          {SYS_rename, "rename", -1, 1},     {SYS_unlink, "unlink", -1, 0},
    {SYS_rmdir, "unlink", -1, 0},       {SYS_mkdir, "mkdir", -1, 0},       {SYS_symlink, "link", -1, 1},
    {SYS_link, "link", -1, 1},          {SYS_readlink, "readlink", -1, 0}, {SYS_stat, "stat", -1, 0},
    {SYS_lstat, "stat", -1, 0},
#endif
#ifdef SYS_renameat
    {SYS_renameat, "rename", 2, 3},
#endif
    {SYS_openat, "open", 0, 1},         {SYS_read, "read", 0, -1},         {SYS_readv, "read", 0, -1},
    {SYS_pread64, "read", 0, -1},       {SYS_write, "write", 0, -1},       {SYS_writev, "write", 0, -1},
    {SYS_pwrite64, "write", 0, -1},     {SYS_fsync, "fsync", 0, -1},       {SYS_fdatasync, "fsync", 0, -1},
    {SYS_renameat2, "rename", 2, 3},    {SYS_close, "close", 0, -1},       {SYS_unlinkat, "unlink", 0, 1},
    {SYS_mkdirat, "mkdir", 0, 1},       {SYS_symlinkat, "link", 1, 2},     {SYS_linkat, "link", 2, 3},
    {SYS_readlinkat, "readlink", 0, 1}, {SYS_newfstatat, "stat", 0, 1},    {SYS_fstat, "stat", 0, -1},
    {SYS_statx, "stat", 0, 1},          {SYS_getdents64, "list", 0, -1},   {SYS_flock, "lock", 0, -1},
    {SYS_ftruncate, "truncate", 0, -1}, {SYS_fchmod, "chmod", 0, -1},      {SYS_mmap, "mmap", 4, -1},
};

using Arguments = std::uintptr_t[6];

/// Writes a call's path to `path`. A relative path is completed with that of its directory.
void find_path(const Trapped& trapped, const Arguments& arguments, char (&path)[4096]) {
  const auto* const given = trapped.path < 0 ? "" : reinterpret_cast<const char*>(arguments[trapped.path]);
  int length = 0;
  if (given == nullptr || given[0] != '/') {
    const int descriptor = trapped.descriptor < 0 ? AT_FDCWD : static_cast<int>(arguments[trapped.descriptor]);
    char link[64] = "/proc/self/cwd";
    if (descriptor != AT_FDCWD) {
      std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    }
    length = static_cast<int>(syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1));
    if (length < 0) {
      length = 0;
    }
  }
  std::snprintf(path + length, sizeof path - static_cast<std::size_t>(length), "%s%s",
                length > 0 && given != nullptr && given[0] != '\0' ? "/" : "", given == nullptr ? "" : given);
}

/// The system call's result, or minus its error.
long result_of(const Trapped& trapped, const Arguments& a) {
  bool is_short = false;
  char path[4096];
  find_path(trapped, a, path);
  if (std::strcmp(trapped.name, call) == 0 && std::strstr(path, below) != nullptr &&
      fails([&] { std::memcpy(failed, path, sizeof failed); })) {
    if (trapped.number == SYS_close) {
      syscall(SYS_close, a[0]);  // the kernel closes the file, whatever the result
    }
    if (error != 0) {
      return -error;
    }
    is_short = true;
  }
  constexpr std::uintptr_t kShort = 3;
  const bool has_size = trapped.number == SYS_read || trapped.number == SYS_write;
  const long result =
      syscall(trapped.number, a[0], a[1], is_short && has_size && a[2] > kShort ? kShort : a[2], a[3], a[4], a[5]);
  return result == -1 ? -errno : result;
}

void on_system_call(int, siginfo_t* information, void* context) {
  const int errno_before = errno;
  auto& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
#ifdef __x86_64__
  auto* const r = machine.gregs;
  const long long given[] = {r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]};
  auto& result = r[REG_RAX];
#elif defined(__aarch64__)
  const auto& given = machine.regs;
  auto& result = machine.regs[0];
#else
#error "add this processor's registers"
#endif
  Arguments arguments;
  for (int i = 0; i < 6; ++i) {
    arguments[i] = static_cast<std::uintptr_t>(given[i]);
  }
  for (const Trapped& trapped : kTrapped) {
    if (trapped.number != information->si_syscall) {
      continue;
    }
    using Result = std::remove_reference_t<decltype(result)>;
    result = static_cast<Result>(result_of(trapped, arguments));
    break;
  }
  errno = errno_before;
}

/// The executable code of the library or program that contains an address, or of the library with this name. With
/// neither, that of the first object, which is the program.
Range code_of(const void* address, const char* name = nullptr) {
  struct Search {
    const void* address;
    const char* name;
    Range found;
  } search{address, name, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* data) {
        auto& sought = *static_cast<Search*>(data);
        if (sought.name != nullptr && std::strstr(object->dlpi_name, sought.name) == nullptr) {
          return 0;
        }
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const auto& part = object->dlpi_phdr[i];
          if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) {
            continue;
          }
          const Range range{object->dlpi_addr + part.p_vaddr, object->dlpi_addr + part.p_vaddr + part.p_memsz};
          if (sought.address != nullptr ? range.contains(sought.address) : sought.found.end == 0) {
            sought.found = range;
          }
        }
        return 0;
      },
      &search);
  return search.found;
}

/// The code of the function syscall, which we use to make the real calls.
Range our_way() {
  Dl_info ignored;
  void* symbol = nullptr;
  void* const function = ::dlsym(RTLD_NEXT, "syscall");
  ::dladdr1(function, &ignored, &symbol, RTLD_DL_SYMENT);
  const auto begin = reinterpret_cast<std::uintptr_t>(function);
  return {begin, begin + static_cast<const ElfW(Sym)*>(symbol)->st_size + 1};
}

/// Starts the program again with the same arguments, so that the system chooses other addresses.
[[noreturn]] void start_again() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) {
    words.push_back(word);
  }
  std::vector<char*> arguments;
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  execv("/proc/self/exe", arguments.data());
  std::_Exit(99);
}

/// Traps only calls that come through the C library. A sanitizer makes its own, some of them while signals are blocked;
/// those are not trapped.
void trap_system_calls() {
  struct sigaction action {};
  action.sa_sigaction = on_system_call;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSYS, &action, nullptr);

  const Range libc = code_of(reinterpret_cast<const void*>(&gnu_get_libc_version));
  const Range ours = our_way();
  const auto low = [](std::uintptr_t address) { return static_cast<std::uint32_t>(address); };
  const auto load = [](std::size_t place) {
    return sock_filter(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(place)));
  };
  const auto test = [](int comparison, std::uint32_t value, int if_true, int if_false) {
    return sock_filter(BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | comparison | BPF_K), value,
                                static_cast<std::uint8_t>(if_true), static_cast<std::uint8_t>(if_false)));
  };
  const sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  const sock_filter trap = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
  constexpr std::size_t kAddress = offsetof(seccomp_data, instruction_pointer);
  std::vector<sock_filter> filter = {
      load(kAddress + 4),
      test(BPF_JEQ, static_cast<std::uint32_t>(libc.begin >> 32), 1, 0),
      allow,
      load(kAddress),
      test(BPF_JGE, low(libc.begin), 1, 0),
      allow,
      test(BPF_JGE, low(libc.end), 0, 1),
      allow,
      test(BPF_JGE, low(ours.begin), 0, 2),
      test(BPF_JGE, low(ours.end), 1, 0),
      allow,
      load(offsetof(seccomp_data, nr)),
  };
  for (const Trapped& trapped : kTrapped) {
    if (trapped.number == SYS_mmap) {
      continue;
    }
    filter.push_back(test(BPF_JEQ, static_cast<std::uint32_t>(trapped.number), 0, 1));
    filter.push_back(trap);
  }
  // Memory without a file has the descriptor -1.
  filter.push_back(test(BPF_JEQ, SYS_mmap, 1, 0));
  filter.push_back(allow);
  filter.push_back(load(offsetof(seccomp_data, args) + 4 * sizeof(std::uint64_t)));
  filter.push_back(test(BPF_JEQ, 0xFFFFFFFF, 0, 1));
  filter.push_back(allow);
  filter.push_back(trap);
  const sock_fprog installed{static_cast<unsigned short>(filter.size()), filter.data()};
  if (libc.begin >> 32 != libc.end >> 32) {
    start_again();  // the filter compares 32 bits; libc will lie elsewhere
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &installed) != 0) {
    std::perror("failing_disk: cannot trap system calls");
    std::_Exit(99);
  }
}

// --- Memory --------------------------------------------------------------------------------------------------------

void describe_callers() {
  void* callers[16];
  const int count = ::backtrace(callers, 16);
  std::size_t length = 0;
  for (int i = 0; i < count; ++i) {
    Dl_info object;
    if (!is_ours(callers[i]) || ::dladdr(callers[i], &object) == 0) {
      continue;
    }
    const auto offset = static_cast<const char*>(callers[i]) - static_cast<const char*>(object.dli_fbase) - 1;
    if (length + 32 < sizeof failed) {
      length += static_cast<std::size_t>(std::snprintf(failed + length, 32, "%#tx ", offset));
    }
  }
}

bool no_memory_for(const void* caller) {
  return has_begun && std::strcmp(call, "new") == 0 && is_ours(caller) && fails(describe_callers);
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

const char* setting(const char* name, const char* otherwise) {
  const char* const value = std::getenv(name);
  return value == nullptr || *value == '\0' ? otherwise : value;
}

// --- Start and end -------------------------------------------------------------------------------------------------

__attribute__((constructor)) void start() {
  call = setting("FAIL_CALL", "");
  below = setting("FAIL_BELOW", "no FAIL_BELOW");
  fail_at = std::atol(setting("FAIL_AT", "0"));
  once = std::strcmp(setting("FAIL_ONCE", ""), "1") == 0;
  count_file = setting("FAIL_COUNT", nullptr);
  const char* const with = setting("FAIL_WITH", std::strcmp(call, "write") == 0 ? "ENOSPC" : "EIO");
  error = std::strcmp(with, "ENOSPC") == 0   ? ENOSPC
          : std::strcmp(with, "EIO") == 0    ? EIO
          : std::strcmp(with, "EINTR") == 0  ? EINTR
          : std::strcmp(with, "EPERM") == 0  ? EPERM
          : std::strcmp(with, "ENOLCK") == 0 ? ENOLCK
                                             : 0;
  program = code_of(nullptr);
  core = code_of(nullptr, "/libglassformer_core.so");  // empty if the core is part of the program
  if (std::strcmp(call, "new") != 0) {
    trap_system_calls();
  }
}

__attribute__((destructor)) void finish() { write_count(); }

}  // namespace

// The program's entry code calls this function, which calls main.
extern "C" int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(),
                                 void (*fini)(), void (*end)(), void* stack) {
  program_main = main;
  const auto begin = [](int count, char** arguments, char** environment) {
    has_begun = true;
    return program_main(count, arguments, environment);
  };
  static auto* const real = next<decltype(__libc_start_main)>("__libc_start_main");
  return real(begin, argc, argv, init, fini, end, stack);
}

// Under the address sanitizer, these replace its own only if its runtime is a shared library (-shared-libsan).
#define RETURN_ADDRESS __builtin_return_address(0)

void* operator new(std::size_t size) {
  if (no_memory_for(RETURN_ADDRESS)) {
    throw std::bad_alloc();
  }
  static auto* const real = next<void*(std::size_t)>("_Znwm");
  return real(size);
}
void* operator new[](std::size_t size) {
  if (no_memory_for(RETURN_ADDRESS)) {
    throw std::bad_alloc();
  }
  static auto* const real = next<void*(std::size_t)>("_Znam");
  return real(size);
}
void* operator new(std::size_t size, const std::nothrow_t& nothrow) noexcept {
  if (no_memory_for(RETURN_ADDRESS)) {
    return nullptr;
  }
  static auto* const real = next<void*(std::size_t, const std::nothrow_t&)>("_ZnwmRKSt9nothrow_t");
  return real(size, nothrow);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  if (no_memory_for(RETURN_ADDRESS)) {
    throw std::bad_alloc();
  }
  static auto* const real = next<void*(std::size_t, std::align_val_t)>("_ZnwmSt11align_val_t");
  return real(size, alignment);
}
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) {
  if (no_memory_for(RETURN_ADDRESS)) {
    return nullptr;
  }
  static auto* const real = next<void*(std::size_t, std::size_t)>("aligned_alloc");
  return real(alignment, size);
}
