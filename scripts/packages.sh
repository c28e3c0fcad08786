# shellcheck shell=bash
# Sourced by the other scripts: makes sure that everything the build needs is installed.
#
# On Debian and Ubuntu it installs missing packages, which needs root or sudo. On other systems it prints their names
# for Homebrew, dnf and pacman, and stops.

# How to detect it  |  apt  |  Homebrew  |  dnf  |  pacman  |  what it is for
# "command X" looks for a program, "header X" asks the compiler. (We have not tried the names for dnf, Homebrew and
# pacman. If one has changed, search with the package manager.)
readonly PACKAGES='
command cmake                   | cmake                 | cmake         | cmake               | cmake         | the build
command ninja                   | ninja-build           | ninja         | ninja-build         | ninja         | the build, in parallel
command c++                     | g++                   | gcc           | gcc-c++             | gcc           | the compiler
header omp.h                    | libgomp1              | libomp        | libgomp             | gcc           | OpenMP: threads
header Eigen/Core               | libeigen3-dev         | eigen         | eigen3-devel        | eigen         | matrices
header yaml-cpp/yaml.h          | libyaml-cpp-dev       | yaml-cpp      | yaml-cpp-devel      | yaml-cpp      | config files
header spdlog/spdlog.h          | libspdlog-dev         | spdlog        | spdlog-devel        | spdlog        | the log
header CLI/CLI.hpp              | libcli11-dev          | cli11         | cli11-devel         | cli11         | the command line
header nlohmann/json.hpp        | nlohmann-json3-dev    | nlohmann-json | json-devel          | nlohmann-json | metrics, checkpoints
header unicode/uchar.h          | libicu-dev            | icu4c         | libicu-devel        | icu           | Unicode in BLEU
header openssl/evp.h            | libssl-dev            | openssl       | openssl-devel       | openssl       | checksums of checkpoints
header sentencepiece_trainer.h  | libsentencepiece-dev  | sentencepiece | sentencepiece-devel | sentencepiece | subword tokenizer
header httplib.h                | libcpp-httplib-dev    | cpp-httplib   | cpp-httplib-devel   | cpp-httplib   | the server of `live`
header catch2                   | catch2                | catch2        | catch-devel         | catch2        | tests
command python3                 | python3               | python        | python3             | python        | tests of scripts, mutation test
'

has_header() {  # has_header Eigen/Core
  local include=()
  for directory in /opt/homebrew/include /usr/local/include /usr/include/eigen3 /usr/local/include/eigen3 \
                   /opt/homebrew/include/eigen3 /opt/homebrew/opt/icu4c/include /opt/homebrew/opt/libomp/include \
                   /opt/homebrew/opt/openssl/include; do
    include+=(-isystem "$directory")
  done
  local test="__has_include(<$1>)"
  [[ $1 != catch2 ]] || test='__has_include(<catch2/catch_all.hpp>) || __has_include(<catch2/catch.hpp>)'  # 3 or 2
  printf '#if !(%s)\n#error missing\n#endif\n' "$test" | c++ -std=c++20 -E -x c++ "${include[@]}" - >/dev/null 2>&1
}

is_installed() {  # is_installed command cmake
  case $1 in
    command) command -v "$2" >/dev/null ;;
    header) command -v c++ >/dev/null && has_header "$2" ;;
  esac
}

# Prints the rows of the table whose package is missing.
missing_rows() {
  local row kind name
  while IFS= read -r row; do
    [[ -n $row ]] || continue
    read -r kind name _ <<<"$row"
    is_installed "$kind" "$name" || echo "$row"
  done <<<"$PACKAGES"
}

column() { cut -d'|' -f"$1" | tr -d ' ' | sort -u | tr '\n' ' '; }  # column 2 <rows

name_packages() {  # name_packages "$rows"
  {
    echo 'These packages are missing:'
    echo "  Debian, Ubuntu   apt-get install $(column 2 <<<"$1")"
    echo "  Homebrew         brew install $(column 3 <<<"$1")"
    echo "  Fedora           dnf install $(column 4 <<<"$1")"
    echo "  Arch             pacman -S $(column 5 <<<"$1")"
    echo 'What each is for:'
    awk -F'|' '{ gsub(/ /, "", $2); print "  " $2 ":" $6 }' <<<"$1"
  } >&2
}

can_install() { command -v apt-get >/dev/null && { [[ $(id -u) == 0 ]] || command -v sudo >/dev/null; }; }

apt_install() {  # apt_install g++ cmake
  local root=()
  [[ $(id -u) == 0 ]] || root=(sudo)
  echo "Installing $*" >&2
  "${root[@]}" apt-get update -qq
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

install_packages() {  # install_packages [program]: installs all, or only those for building the program
  local rows
  rows=$(missing_rows)
  [[ ${1:-} != program ]] || rows=$(grep -v '| tests' <<<"$rows" || true)
  [[ -n $rows ]] || return 0
  if ! can_install; then
    name_packages "$rows"
    ! command -v apt-get >/dev/null || echo 'Only root can install them: there is no sudo on this system.' >&2
    exit 2
  fi
  # shellcheck disable=SC2046  # one word for each package
  apt_install $(column 2 <<<"$rows")
}

# Makes sure that a program is installed, together with the packages named. If that fails, prints a line that begins
# with SKIPPED and returns 1.
need() {  # need gdb 'the test of the debugger walk' [PACKAGE ...]
  command -v "$1" >/dev/null && return
  if can_install; then apt_install "${@:3}" "$1" || true; fi
  command -v "$1" >/dev/null && return
  echo "SKIPPED: $1 is not installed; $2 needs it." >&2
  return 1
}

# Prints a Python that can import the modules. Debian's packages belong to Debian's Python, which may not come first in
# PATH.
python_that_imports() {  # python_that_imports 'numpy, yaml'
  local python
  for python in python3 /usr/bin/python3 build/python/bin/python; do
    if "$python" -c "import $1" 2>/dev/null; then
      echo "$python"
      return
    fi
  done
  return 1
}

# Like python_that_imports. If no Python can import them, installs the packages with pip in build/python. If that fails,
# prints a line that begins with SKIPPED and returns 1.
python_with() {  # python_with 'this check' 'ctranslate2, sentencepiece' PACKAGE...
  python_that_imports "$2" && return
  if ! python3 -m ensurepip --version >/dev/null 2>&1 && can_install; then apt_install python3-venv >&2 || true; fi
  if python3 -m venv build/python >&2 && build/python/bin/pip install --quiet "${@:3}" >&2; then
    echo build/python/bin/python
    return
  fi
  echo "SKIPPED: Python lacks the packages ${*:3}; $1 needs them." >&2
  return 1
}

# Makes sure that mpirun is installed; the next build then uses MPI, even in an existing build directory. If that fails,
# prints a line that begins with SKIPPED and returns 1. (MPI is optional: without it, training runs on one machine.)
need_mpi() {  # need_mpi 'the table of ranks'
  if ! command -v mpirun >/dev/null && can_install; then apt_install libopenmpi-dev openmpi-bin || true; fi
  command -v mpirun >/dev/null && return
  echo "SKIPPED: mpirun is not installed; $1 needs it." >&2
  return 1
}

# Whether Clang can build programs with these sanitizers and with LLVM's OpenMP runtime: in GCC's runtime, the thread
# sanitizer reports races that do not exist.
clang_can() {  # clang_can address,undefined
  local probe
  probe=$(mktemp -d)
  printf '#include <omp.h>\nint main() {\n#pragma omp parallel\n  (void)omp_get_thread_num();\n}\n' >"$probe/probe.cpp"
  clang++ -fopenmp -fsanitize="$1" "$probe/probe.cpp" -o "$probe/probe" 2>/dev/null &&
    TSAN_OPTIONS=ignore_noninstrumented_modules=1 "$probe/probe" >/dev/null 2>&1
  local works=$?
  rm -r "$probe"
  return $works
}

# Makes sure that Clang can build with these sanitizers. If it cannot, prints a line that begins with SKIPPED and
# returns 1.
install_clang() {  # install_clang thread
  ! clang_can "$1" || return 0
  if can_install; then
    apt_install clang libomp-dev || true
    clang_can "$1" || apt_install "libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev" || true
  fi
  clang_can "$1" && return 0
  echo "SKIPPED: Clang cannot build with -fsanitize=$1: this needs clang++, libomp (LLVM's OpenMP) and compiler-rt." >&2
  return 1
}

# Prints options with which Clang uses OpenMP of its own version if that is not installed, and downloads it to build for
# this. (On Debian, only one version can be installed, and the default Clang needs its own.)
borrowed_openmp() {  # borrowed_openmp clang++-19
  local version=${1##*-} directory package
  ! "$1" -fopenmp -E -x c++ - <<<'#include <omp.h>' >/dev/null 2>&1 || return 0
  command -v apt-get >/dev/null || return 0
  directory=$PWD/build/openmp-$version
  if [[ ! -e $directory/usr ]]; then
    mkdir -p "$directory"
    # (Root's apt would download as a user of its own, who may not write here.)
    (cd "$directory" &&
      apt-get download -qq -o APT::Sandbox::User=root "libomp-$version-dev" "libomp5-$version" >&2) || return 1
    for package in "$directory"/*.deb; do dpkg -x "$package" "$directory"; done
  fi
  directory=$directory/usr/lib/llvm-$version/lib
  echo "-idirafter $directory/clang/$version/include -L$directory -Wl,-rpath,$directory -Wno-unused-command-line-argument"
}

build() {  # build release [TARGET]; GLASSFORMER_CMAKE may hold more options for CMake
  # shellcheck disable=SC2086  # it may hold several
  cmake --preset "$1" -G Ninja ${GLASSFORMER_CMAKE:-}
  cmake --build --preset "$1" ${2:+--target "$2"}
}
