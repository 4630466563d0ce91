#!/usr/bin/env bash
# A real Slurm of one machine, for tests: munge, slurmctld and slurmd under one folder. Needs Debian's slurm-wlm and
# munge, and root. Prints the line that makes it the Slurm of a shell: export SLURM_CONF=...
#   scripts/slurm/start.sh <folder>; scripts/slurm/node.sh <folder> kill|start; scripts/slurm/stop.sh <folder>
set -eu
folder=${1:?name a folder for its files}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
for tool in munged slurmctld slurmd sbatch; do
  command -v "$tool" > /dev/null || { echo "there is no $tool; apt-get install slurm-wlm munge" >&2; exit 2; }
done
mkdir -p "$folder"/{state,spool,munge}
chmod 755 "$folder"
here=$(dirname "$0")

# A key of its own: no daemon of the machine is touched.
head -c 1024 /dev/urandom > "$folder/munge/key"
chmod 400 "$folder/munge/key"
chmod 700 "$folder/munge"
munged --force --key-file="$folder/munge/key" --socket="$folder/munge.socket" --pid-file="$folder/munge/pid" \
  --log-file="$folder/munge/log" --seed-file="$folder/munge/seed"

name=$(hostname -s)
# Two ports that nobody has.
ports=$(python3 -c 'import socket
s = [socket.socket() for _ in range(2)]
[x.bind(("127.0.0.1", 0)) for x in s]
print(*[x.getsockname()[1] for x in s])')
read -r controller node <<< "$ports"
cat > "$folder/slurm.conf" <<CONF
ClusterName=mnemo
SlurmctldHost=$name(127.0.0.1)
SlurmctldPort=$controller
SlurmdPort=$node
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
# A node that is silent for this long has failed, and its tasks go back to the queue; one that comes back is used again.
SlurmdTimeout=6
ReturnToService=2
KillWait=2
MinJobAge=10
JobRequeue=1
NodeName=$name NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$name Default=YES MaxTime=INFINITE OverTimeLimit=0 State=UP
CONF
export SLURM_CONF=$folder/slurm.conf
slurmctld -c
"$here/node.sh" "$folder" start
for _ in $(seq 200); do
  [ "$(sinfo -h -o %T 2> /dev/null)" = idle ] && { echo "export SLURM_CONF=$SLURM_CONF"; exit 0; }
  sleep 0.2
done
echo "the node does not come up; $folder/slurmctld.log and slurmd.log say why" >&2
exit 1
