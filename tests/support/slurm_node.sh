#!/usr/bin/env bash
# A Slurm of one node with two processors on the loopback interface: slurm_node.sh FOLDER CONTROLLER-PORT NODE-PORT
# Needs root, slurm-wlm and munge, and nothing else of the system: key, socket, state and logs are in FOLDER. Writes
# FOLDER/ready when jobs can be submitted (with SLURM_CONF=FOLDER/slurm.conf), runs until standard input closes, and
# takes everything it started with it: a test that is killed closes the pipe too.
set -u
folder=$1 controller_port=$2 node_port=$3
export SLURM_CONF=$folder/slurm.conf
daemons=()

end_strays() { # whatever carries our SLURM_CONF: job steps and their programs
  local process
  for process in /proc/[0-9]*; do
    [ "${process#/proc/}" = $$ ] && continue
    if tr '\0' '\n' <"$process/environ" 2>/dev/null | grep -qxF "SLURM_CONF=$SLURM_CONF"; then
      kill -9 "${process#/proc/}" 2>/dev/null
    fi
  done
}

stop() {
  trap - EXIT INT TERM HUP
  if [ -e "$folder/ready" ]; then
    timeout 5 scancel --quiet --user "$(id -un)" 2>/dev/null
    for _ in $(seq 20); do
      [ -z "$(timeout 2 squeue -h 2>/dev/null)" ] && break
      sleep 0.1
    done
  fi
  local i
  for ((i = ${#daemons[@]} - 1; i >= 0; --i)); do # the node first, the key holder last
    kill "${daemons[i]}" 2>/dev/null
    for _ in $(seq 30); do
      kill -0 "${daemons[i]}" 2>/dev/null || break
      sleep 0.1
    done
    kill -9 "${daemons[i]}" 2>/dev/null
  done
  wait
  end_strays
}
trap stop EXIT
trap 'exit 1' INT TERM HUP

chmod 0755 "$folder"
mkdir -p "$folder/state" "$folder/spool"
head -c 1024 /dev/urandom >"$folder/munge.key"
chmod 0600 "$folder/munge.key"
cat >"$SLURM_CONF" <<CONF
ClusterName=supple
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$controller_port
SlurmdPort=$node_port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_min_interval=100000
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=2
NodeName=localhost NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
CONF

munged --foreground --force --socket="$folder/munge.socket" --key-file="$folder/munge.key" \
  --pid-file="$folder/munged.pid" --log-file="$folder/munged.log" --seed-file="$folder/munge.seed" --num-threads=2 &
daemons+=($!)
for _ in $(seq 100); do
  [ -S "$folder/munge.socket" ] && break
  sleep 0.05
done
slurmctld -D -c -f "$SLURM_CONF" </dev/null &
daemons+=($!)
slurmd -D -N localhost -f "$SLURM_CONF" </dev/null &
daemons+=($!)
for _ in $(seq 200); do
  if timeout 2 sinfo -h -o %T 2>/dev/null | grep -qx idle; then
    touch "$folder/ready"
    break
  fi
  for daemon in "${daemons[@]}"; do kill -0 "$daemon" 2>/dev/null || exit 1; done
  sleep 0.1
done
[ -e "$folder/ready" ] || exit 1
while read -r _; do :; done # until the pipe closes
