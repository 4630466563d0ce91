#!/usr/bin/env bash
# Ends the Slurm of start.sh and all its tasks; its folder stays.
set -u
folder=$(cd "${1:?the folder of start.sh}" && pwd)
export SLURM_CONF=$folder/slurm.conf
scancel --state=RUNNING --state=PENDING --user="$(id -un)" 2> /dev/null
for daemon in slurmd slurmctld munge/pid; do
  file=$folder/${daemon%.pid}
  [ "$daemon" = munge/pid ] || file=$folder/$daemon.pid
  [ -f "$file" ] && kill "$(cat "$file")" 2> /dev/null
done
exit 0
