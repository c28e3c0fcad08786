#!/usr/bin/env bash
# Makes the Debian packages and tests them on a clean Debian 12, which debootstrap installs into a temporary directory:
# the program trains the toy and translates, and a project that uses only find_package(glassformer) is built and run.
#
#   scripts/dev/test_package.sh                               with Debian's own mirror; takes a quarter of an hour
#   scripts/dev/test_package.sh http://deb.debian.org/debian  with another mirror
#
# Needs root. The packages stay in build/package.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/packages.sh

readonly mirror=${1:-http://deb.debian.org/debian}
if [[ $(id -u) != 0 ]]; then
  echo 'SKIPPED: only root can set up a clean Debian.' >&2
  exit 0
fi
need debootstrap 'setting up a clean Debian' || exit 0
need help2man "the package's manual page" || exit 0
install_packages

cmake -S . -B build/package -G Ninja -DBUILD_TESTING=OFF >/dev/null
cmake --build build/package >/dev/null
packages=$(mktemp -d) root=$(mktemp -d)
trap 'rm -rf "$packages" "$root"' EXIT
(cd build/package && cpack -G DEB -B "$packages") >/dev/null
debootstrap --variant=minbase bookworm "$root" "$mirror" >"$root.log" 2>&1 || { cat "$root.log" >&2; exit 1; }
rm "$root.log"
cp "$packages"/*.deb "$root/root"
in_root() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"; }
install() { in_root apt-get install -y -qq --no-install-recommends "$@" >/dev/null; }

install /root/"$(basename "$packages"/glassformer_*.deb)"
if [[ $(dpkg-deb --contents "$packages"/glassformer_*.deb) != *man1/glassformer.1.gz* ]]; then
  echo "The package has no manual page." >&2
  exit 1
fi
if [[ $(in_root glassformer --version) != "$(build/package/glassformer --version)" ]]; then
  echo 'The installed program uses different instructions or different arithmetic from the one built here:' >&2
  in_root glassformer --version >&2
  exit 1
fi
in_root glassformer train /usr/share/glassformer/configs/toy.yaml --output /root/toy 2>/dev/null
in_root glassformer evaluate /root/toy | grep 'exact match'
in_root sh -c 'echo "she sleeps ." | glassformer translate /root/toy' | grep -x 'sie schläft .'

# The library package does not depend on a compiler: its users choose one.
install /root/"$(basename "$packages"/libglassformer-dev_*.deb)" cmake g++ make
cp -r tests/installed "$root/root/project"
in_root sh -c 'cmake -S /root/project -B /root/project/build >/dev/null && cmake --build /root/project/build >/dev/null'
in_root /root/project/build/translate /root/toy | grep -x 'sie schläft .'
cp "$packages"/*.deb build/package
echo 'The packages in build/package work on a clean Debian 12:' "$(cd "$packages" && echo *.deb)"
