#!/usr/bin/env bash
# Trains on two "machines": two network namespaces of this machine, joined by a virtual cable with a limited rate.
# Prints how much longer an update takes than without a limit, and how long sending the bytes alone would take. Needs
# root, `ip` and `tc` (iproute2), and Open MPI.
#
#   scripts/compare/mpi_network.sh                      1 Gbit/s, 500 and 200 Mbit/s
#   scripts/compare/mpi_network.sh 10gbit               these rates, in tc's notation
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/packages.sh

if [[ $(id -u) != 0 ]]; then
  echo 'SKIPPED: network namespaces need root.' >&2
  exit 0
fi
install_packages
need_mpi 'training on two machines' || exit 0
command -v tc >/dev/null || { can_install && apt_install iproute2; } || true
need tc 'limiting the rate' || exit 0
build release glassformer_program >/dev/null
[[ $# -gt 0 ]] || set -- 1gbit 500mbit 200mbit
readonly a=glassformer-a b=glassformer-b seconds=${SECONDS_EACH:-10}
directory=$(mktemp -d)
made=()
remove() {
  for name in ${made[@]+"${made[@]}"}; do ip netns delete "$name" || true; done
  rm -rf "$directory"
}
trap remove EXIT

for name in $a $b; do
  if ! ip netns add $name; then
    echo "SKIPPED: the network namespace $name could not be made. If it exists, remove it: ip netns delete $name" >&2
    exit 0
  fi
  made+=("$name")
done
ip link add glassformer0 netns $a type veth peer name glassformer0 netns $b
ip -n $a address add 10.77.0.1/24 dev glassformer0
ip -n $b address add 10.77.0.2/24 dev glassformer0
for name in $a $b; do
  ip -n $name link set glassformer0 up
  ip -n $name link set lo up
done

# mpirun calls this instead of ssh, with the arguments HOST COMMAND.
cat >"$directory/enter" <<END
#!/bin/sh
shift
exec ip netns exec $b unshare --uts sh -c "hostname machine-b; export TMPDIR=$directory/b; \$*"
END
chmod +x "$directory/enter"
mkdir "$directory/a" "$directory/b"

limit() {  # limit 1gbit
  for name in $a $b; do
    ip netns exec $name tc qdisc delete dev glassformer0 root 2>/dev/null || true
    [[ $1 == none ]] || ip netns exec $name tc qdisc add dev glassformer0 root tbf rate "$1" burst 1mb latency 100ms
  done
}

benchmark() {
  ip netns exec $a unshare --uts sh -c 'hostname machine-a; exec "$@"' sh env TMPDIR="$directory/a" OMP_NUM_THREADS=1 \
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
    mpirun -H 10.77.0.1:1,10.77.0.2:1 -n 2 --bind-to none --mca btl tcp,self --mca btl_tcp_if_include 10.77.0.0/24 \
    --mca oob_tcp_if_include 10.77.0.0/24 --mca plm_rsh_agent "$directory/enter" \
    "$PWD/build/release/glassformer" benchmark "$PWD/configs/toy.yaml" --seconds "$seconds" \
    --set model.d_model=256 --set model.d_ff=1024 --set training.shards=2 2>"$directory/log"
}

echo '| cable | parameters | update, ms | longer than without a limit, ms | bytes / rate, ms |'
echo '|---|---|---|---|---|'
for rate in none "$@"; do
  limit "$rate"
  benchmark >"$directory/$rate.json" || { cat "$directory/log" >&2; exit 1; }
  python3 - "$rate" "$directory/$rate.json" "$directory/none.json" <<'END'
import json, re, sys
rate, *files = sys.argv[1:]
metrics, unlimited = (json.load(open(file, encoding="utf-8")) for file in files)
update, fastest = (1e3 * m["seconds"]["total"] / m["updates"] for m in (metrics, unlimited))
unit = re.fullmatch(r"([0-9.]+)([gm])bit", rate)
wire = "" if unit is None else f"{32e3 * metrics['parameters'] / (float(unit[1]) * {'g': 1e9, 'm': 1e6}[unit[2]]):.0f}"
print(f"| {rate} | {metrics['parameters']:,} | {update:.0f} | {update - fastest:.0f} | {wire} |")
END
done
