#!/usr/bin/env bash
# Ends the Slurm of start.sh and all its tasks, and waits until its daemons are gone; its folder stays.
set -u
folder=$(cd "${1:?the folder of start.sh}" && pwd)
export SLURM_CONF=$folder/slurm.conf
scancel --state=RUNNING --state=PENDING --user="$(id -un)" 2> /dev/null
for file in slurmd.pid slurmctld.pid munge/pid; do
  [ -f "$folder/$file" ] || continue
  pid=$(cat "$folder/$file")
  kill "$pid" 2> /dev/null
  for _ in $(seq 100); do
    kill -0 "$pid" 2> /dev/null || break
    sleep 0.1
  done
done
exit 0
