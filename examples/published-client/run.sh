#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the published Clio client library, as it is, from a checkout of its repository, and runs a first program on it against the
# cycle-accurate node on a TAP device, or, with --nodes, against several nodes and their global controller from a network namespace of its own
# (root). See docs/clio/serve.md, "The published client library".
#
#   examples/published-client/run.sh <checkout> [options of mnemo serve clio]
#
# CLIO_CFLAGS: more flags for the library's files. PROGRAM_CFLAGS: for the first program. CLIENT_LOG: a file for all that the library prints.
# Exit code: 0 when the program found everything right, 1 when not, 2 when it could not be run.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

cannot() { echo "$1" >&2; exit 2; }

[ $# -ge 1 ] || cannot "No checkout of the published client library: give its path (git clone https://github.com/WukLab/Clio)."
checkout=$1; shift
for file in host/main_host.c host/api.c host/net/raw_verbs.c include/uapi/opcode.h; do
  [ -f "$checkout/$file" ] || cannot "$checkout is no checkout of the published client library: $file is missing; get one with git clone https://github.com/WukLab/Clio and give its path."
done
checkout=$(cd "$checkout" && pwd)
for tool in gcc nm ip ping timeout node; do
  command -v "$tool" > /dev/null || cannot "There is no $tool on the PATH: install it (Debian: apt install gcc iproute2 iputils-ping) and run again."
done
echo '#include <infiniband/verbs.h>' | gcc -E - > /dev/null 2>&1 || cannot "There is no infiniband/verbs.h: install it (Debian: apt install libibverbs-dev) and run again."

build=$(mktemp -d)
server=
namespace=
stuck=
client=
end() {
  [ -z "$client" ] || kill -KILL "$client" 2> /dev/null || true
  if [ -n "$server" ]; then
    kill -INT "$server" 2> /dev/null || true
    wait "$server" 2> /dev/null || true
    tail -n +2 "$build/serve"
  fi
  [ -z "$namespace" ] || ip netns del "$namespace"
  rm -rf "$build"
}
trap end EXIT

# The library: its Makefile's list and flags. What this program does not need is left out where it does not compile.
# shellcheck disable=SC2206
transport=rpc
gbn=()
case " $* " in *transport=gbn*)
  transport=gbn; gbn=(-DCONFIG_TRANSPORT_GBN -DTRANSPORT_USE_GBN)
  # The library acknowledges every 100th packet, without a timer, and takes a packet that comes again for the next one: the node must wait as long as the published board.
  case " $* " in *gbnTimeout=*) ;; *) set -- "$@" --set gbnTimeout=4ms ;; esac ;;
esac
# The newest commit takes a neighbour's MAC for 0 and sends to that: the node takes any, unless it is told otherwise.
case " $* " in *acceptAnyMac=*) ;; *) set -- "$@" --set acceptAnyMac=true ;; esac
flags=(-O2 -g -w -std=gnu11 -rdynamic -DCONFIG_ARCH_X86 -DCONFIG_PROFILING_POINTS "${gbn[@]}" ${CLIO_CFLAGS:-} "-I$checkout/include" "-I$checkout/host")
object() { echo "$build/lib_${1//\//_}.o"; }
for file in main_host board cpu util api context session pp common watchdog net/core net/raw_verbs net/transport_rpc lib/bitmap; do
  gcc "${flags[@]}" -c "$checkout/host/$file.c" -o "$(object $file)" || cannot "host/$file.c of the published client library does not compile: see above."
done
for file in net/transport_bypass net/transport_gbn memory_model; do
  gcc "${flags[@]}" -c "$checkout/host/$file.c" -o "$(object $file)" 2> /dev/null || echo "left out, since it does not compile here: host/$file.c"
done
gcc "${flags[@]}" ${PROGRAM_CFLAGS:-} -c "$here/first-program.c" -o "$build/first-program.o"
gcc -O2 -std=gnu11 -Wall -Wextra -c "$here/verbs-on-packets.c" -o "$build/verbs.o"
# The main program names the library's own tests: the first program is one of them here, the others are there in name only.
nm -u "$(object main_host)" | awk '$2 ~ /^test_/ && $2 != "test_legomem_alloc_free" { print "int " $2 "(char *a) { (void)a; return 1; }" }' > "$build/tests.c"
gcc -c "$build/tests.c" -o "$build/tests.o"
gcc -rdynamic -o "$build/client" "$build"/*.o -lrt -pthread -Wl,--wrap=ibdev2netdev,--wrap=mmap,--wrap=sched_setaffinity
version=$(git -C "$checkout" log -1 --format=%h 2> /dev/null || true)
changed=$(git -C "$checkout" status --porcelain -- host include 2> /dev/null || true)
[ -z "$version" ] || echo "published client library: commit $version${changed:+, CHANGED}"

# The node on a TAP device; several nodes behind sockets, and the program in a network namespace with a cable to them.
name=mnemop$(($$ % 100000))
device=$name
in_namespace=()
case " $* " in
*" --nodes "* | *" --nodes="*)
  net=198.18.$(($$ % 256))
  ip netns add "$name" && namespace=$name && ip link add "$name" mtu 9000 type veth peer name "c$name" mtu 9000 && ip link set "c$name" netns "$name" ||
    cannot "No network namespace could be made, which several nodes need: run as root, or serve one node."
  for last in 1 2 3 4 5 6 7 8 9; do ip addr add "$net.$last/24" dev "$name"; done
  ip link set "$name" up
  device=c$name
  in_namespace=(ip netns exec "$name")
  "${in_namespace[@]}" ip addr add "$net.254/24" dev "$device"
  "${in_namespace[@]}" ip link set "$device" up
  # Behind sockets a kernel takes the frames, and it takes none for other MACs.
  PEER_MAC=$(cat "/sys/class/net/$name/address")
  export PEER_MAC
  serve=(--set "ip=$net.1") ;;
*) serve=(--tap "$device") ;;
esac
: > "$build/serve"
node "$root/cli/mnemo.mjs" serve clio "${serve[@]}" "$@" >> "$build/serve" 2> "$build/serve-errors" &
server=$!
until grep -q '^serving' "$build/serve"; do
  kill -0 "$server" 2> /dev/null || { cat "$build/serve-errors" >&2; server=; exit 2; }
  sleep 0.2
done
cat "$build/serve"
nodes=$(grep -oE '(: node|UDP on) [0-9.]+' "$build/serve" | grep -oE '[0-9.]+$')
monitor=$(sed -nE 's/^serving.*(; monitor ([0-9.]+) port|; global controller ([0-9.]+) port [0-9]+, monitor) ([0-9]+)\..*/\2\3:\4/p' "$build/serve")
[ -n "$monitor" ] || cannot "The node is served without a monitor: leave --monitor off out."
# The library takes MACs from the system's table of neighbours, which has them after a ping.
for station in $nodes "${monitor%:*}"; do
  "${in_namespace[@]}" ping -c 1 -W 5 -I "$device" "$station" | sed -n 2p
done

# The library has no timeout of its own: a reply that never comes ends the program after a minute without a word of it.
# Line by line: else a busy program looks silent until it has said some KB.
code=0
: > "$build/client.log"
"${in_namespace[@]}" stdbuf -oL "$build/client" "--monitor=$monitor" "--dev=$device" --port=10000 "--net_trans_ops=$transport" --run_test=alloc_free > "$build/client.log" 2>&1 &
client=$!
said=0 silent=0
while kill -0 "$client" 2> /dev/null; do
  sleep 0.5
  now=$(stat -c %s "$build/client.log")
  if [ "$now" != "$said" ]; then said=$now silent=0; else silent=$((silent + 1)); fi
  if [ "$silent" -ge 120 ]; then kill -KILL "$client"; stuck=yes; break; fi
done
wait "$client" || code=$?
[ -z "${CLIENT_LOG:-}" ] || cp "$build/client.log" "$CLIENT_LOG"
grep -ao 'client: .*' "$build/client.log" || true
if [ "$code" = 0 ]; then exit 0; fi
tail -n 20 "$build/client.log" >&2
if [ -n "$stuck" ]; then
  echo "The program on the published client library waited a minute for an answer that never came; the counters below say what the node dropped." >&2
else
  echo "The program on the published client library ended with code $code." >&2
fi
exit 1
