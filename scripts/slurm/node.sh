#!/usr/bin/env bash
# The one node of the Slurm that start.sh has made: `kill` is a machine that fails, with all that runs on it; `start`
# is one that comes back.
set -eu
folder=$(cd "${1:?the folder of start.sh}" && pwd)
export SLURM_CONF=$folder/slurm.conf
case ${2:?kill or start} in
  start) slurmd ;;
  kill)
    # The daemon first, so that it does not tell; then the steps, which are its children no longer, with their groups.
    pid=$(cat "$folder/slurmd.pid")
    kill -9 "$pid"
    for step in $(pgrep -f "^slurmstepd: " || true); do
      # A machine may have another Slurm: only what has this one's configuration.
      tr '\0' '\n' < "/proc/$step/environ" 2> /dev/null | grep -qxF "SLURM_CONF=$folder/slurm.conf" || continue
      for child in $(pgrep -P "$step" || true); do kill -9 -- "-$child" 2> /dev/null || kill -9 "$child" || true; done
      kill -9 "$step" || true
    done
    rm -f "$folder/slurmd.pid"
    ;;
  *) echo "kill or start, not $2" >&2; exit 2 ;;
esac
