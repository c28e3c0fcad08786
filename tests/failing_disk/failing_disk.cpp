// Simulates a failing disk. Loaded before the program (LD_PRELOAD), it intercepts the program's system calls and makes
// one fail: the FAIL_AT-th FAIL_CALL (write, fsync or rename) on a file or directory below FAIL_BELOW. All later calls
// of this kind fail too, as on a full disk; with FAIL_ONCE=1, only that one fails. With FAIL_AT=0, none fails. At exit,
// it writes the number of these calls to the file that FAIL_COUNT names.

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

namespace {

std::string setting(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

struct Calls {
  std::atomic<long> number = 0;

  ~Calls() {
    const std::string file = setting("FAIL_COUNT");
    if (std::FILE* const output = file.empty() ? nullptr : std::fopen(file.c_str(), "w")) {
      std::fprintf(output, "%ld\n", number.load());
      std::fclose(output);
    }
  }
} calls;

std::string path_of(int descriptor) {
  char path[4096];
  const ssize_t length = ::readlink(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), path, sizeof path);
  return length < 0 ? "" : std::string(path, static_cast<std::size_t>(length));
}

bool fails(const char* call, const std::string& path) {
  static const std::string kCall = setting("FAIL_CALL"), kBelow = setting("FAIL_BELOW");
  static const long kAt = std::atol(setting("FAIL_AT").c_str());
  static const bool kOnce = setting("FAIL_ONCE") == "1";
  if (kCall != call || kBelow.empty() || path.find(kBelow) == std::string::npos) return false;
  const long number = ++calls.number;
  if (kAt == 0 || (kOnce ? number != kAt : number < kAt)) return false;
  errno = std::strcmp(call, "write") == 0 ? ENOSPC : EIO;
  return true;
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

ssize_t write(int descriptor, const void* bytes, size_t count) {
  if (fails("write", path_of(descriptor))) return -1;
  static auto* const real = next<ssize_t(int, const void*, size_t)>("write");
  return real(descriptor, bytes, count);
}

int fsync(int descriptor) {
  if (fails("fsync", path_of(descriptor))) return -1;
  static auto* const real = next<int(int)>("fsync");
  return real(descriptor);
}

int rename(const char* from, const char* to) {
  if (fails("rename", std::filesystem::absolute(to).string())) return -1;
  static auto* const real = next<int(const char*, const char*)>("rename");
  return real(from, to);
}

}  // extern "C"
