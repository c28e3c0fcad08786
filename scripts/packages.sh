# Sourced by the other scripts: sees to it that what the build needs is installed.
#
# On Debian and Ubuntu the missing packages are installed, which needs root or sudo. Elsewhere they are named, also as
# Homebrew, dnf and pacman call them, and the script stops.

# How it is recognised  |  apt  |  Homebrew  |  dnf  |  pacman  |  what it is for
# "command X" looks for a program, "header X" asks the compiler. Where not every package manager has a package, the
# address of its source is given. (The names for dnf, Homebrew and pacman have not been tried. If one has changed, the
# package manager's search finds it.)
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
header unicode/uchar.h          | libicu-dev            | icu4c         | libicu-devel        | icu           | Unicode in BLEU and chrF
header openssl/evp.h            | libssl-dev            | openssl       | openssl-devel       | openssl       | checksums of checkpoints
header sentencepiece_trainer.h  | libsentencepiece-dev  | sentencepiece | sentencepiece-devel | sentencepiece | subword tokenizer
header Random123/philox.h       | librandom123-dev      | random123     | random123-devel     | random123     | random numbers (github.com/DEShawResearch/random123)
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

is_there() {  # is_there command cmake
  case $1 in
    command) command -v "$2" >/dev/null ;;
    header) command -v c++ >/dev/null && has_header "$2" ;;
  esac
}

# The rows of the table whose package is missing.
missing_rows() {
  local row kind name
  while IFS= read -r row; do
    [[ -n $row ]] || continue
    read -r kind name _ <<<"$row"
    is_there "$kind" "$name" || echo "$row"
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

install_packages() {  # install_packages [program]: all of them, or those that building the program takes
  local rows
  rows=$(missing_rows)
  [[ ${1:-} != program ]] || rows=$(grep -v '| tests' <<<"$rows" || true)
  [[ -n $rows ]] || return 0
  if ! can_install; then
    name_packages "$rows"
    ! command -v apt-get >/dev/null || echo 'They can be installed here by root only, and there is no sudo.' >&2
    exit 2
  fi
  # shellcheck disable=SC2046  # one word for each package
  apt_install $(column 2 <<<"$rows")
}

# Sees to it that a program is there, or says loudly that what needs it is skipped.
need() {  # need gdb 'the test of the walk through the debugger' [PACKAGE ...]: what must come with it
  command -v "$1" >/dev/null && return
  if can_install; then apt_install "${@:3}" "$1" || true; fi
  command -v "$1" >/dev/null && return
  echo "SKIPPED: no $1 here, which $2 needs." >&2
  return 1
}

# Prints a Python that can import the modules. Debian's packages belong to Debian's Python, which may not be the first on
# the path.
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

# The same. If there is none, the packages are installed with pip, in build/python; if that does not work, it says loudly
# that what needs them is skipped.
python_with() {  # python_with 'this check' 'ctranslate2, sentencepiece' PACKAGE...
  python_that_imports "$2" && return
  if ! python3 -m ensurepip --version >/dev/null 2>&1 && can_install; then apt_install python3-venv >&2 || true; fi
  if python3 -m venv build/python >&2 && build/python/bin/pip install --quiet "${@:3}" >&2; then
    echo build/python/bin/python
    return
  fi
  echo "SKIPPED: Python has no ${*:3} here, which $1 needs." >&2
  return 1
}

# Optional: without an MPI, the build trains on one machine. A build directory that was made before looks for it again.
need_mpi() {  # need_mpi 'the table of ranks'
  if ! command -v mpirun >/dev/null && can_install; then apt_install libopenmpi-dev openmpi-bin || true; fi
  command -v mpirun >/dev/null && return
  echo "SKIPPED: no mpirun here, which $1 needs." >&2
  return 1
}

# Whether Clang builds programs with these sanitizers here, and with LLVM's OpenMP runtime: in GCC's, the thread sanitizer
# sees races that are none.
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

# Sees to it that it can, or says loudly that it cannot.
install_clang() {  # install_clang thread
  ! clang_can "$1" || return 0
  if can_install; then
    apt_install clang libomp-dev || true
    clang_can "$1" || apt_install "libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev" || true
  fi
  clang_can "$1" && return 0
  echo "SKIPPED: no Clang with -fsanitize=$1 here. It needs clang++, LLVM's OpenMP runtime (libomp) and compiler-rt." >&2
  return 1
}

build() {  # build release [TARGET]; GLASSFORMER_CMAKE has further options for CMake
  # shellcheck disable=SC2086  # several options, perhaps
  cmake --preset "$1" -G Ninja ${GLASSFORMER_CMAKE:-}
  cmake --build --preset "$1" ${2:+--target "$2"}
}
