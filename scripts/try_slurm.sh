#!/bin/sh
# A sweep as a Slurm job array on this machine, of which a task is killed and submitted again: by hand, as root, on Debian.
#   apt install slurm-wlm munge && scripts/try_slurm.sh [build/cuttle]
# Starts a controller and a node of its own, whose files are in a temporary folder, and stops them. Exit code 1 if the merged parts are not
# what one command makes.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
tool=$(realpath "${1:-$root/build/cuttle}")
work=$(mktemp -d)
host=$(hostname -s)
mkdir "$work/state" "$work/spool" "$work/munge"
dd if=/dev/urandom of="$work/munge/key" bs=128 count=1 2> /dev/null
chmod 755 "$work" "$work/munge" && chmod 600 "$work/munge/key"
munged --socket="$work/munge/socket" --key-file="$work/munge/key" --log-file="$work/munge/log" --pid-file="$work/munge/pid" \
  --seed-file="$work/munge/seed" --force 2> /dev/null
cat > "$work/slurm.conf" << END
ClusterName=try
SlurmctldHost=$host(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
SlurmUser=root
SlurmctldPort=16817
SlurmdPort=16818
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MailProg=/bin/true
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF="$work/slurm.conf"
stop() {
  for name in slurmctld.pid slurmd.pid munge/pid; do
    if [ -s "$work/$name" ]; then kill "$(cat "$work/$name")" 2> /dev/null || true; fi
  done
  sleep 1
  rm -rf "$work"
}
trap stop EXIT
slurmctld && slurmd
for _ in $(seq 60); do
  if sinfo -h -o %t 2> /dev/null | grep -q idle; then break; fi
  sleep 0.5
done
sinfo

sweep="$tool sweep $root/models/examples/tendon_arm_scenario.yaml --set materials.silicone.young_modulus=1.5e5:2.5e5:400 --jobs 1"
cat > "$work/sweep.slurm" << END
#!/bin/sh
#SBATCH --array=0-3
#SBATCH --output=$work/task_%a.txt
exec $sweep --shard "\${SLURM_ARRAY_TASK_ID}/4" --resume -o $work/arm.h5
END
waiting() { while [ -n "$(squeue -h)" ]; do sleep 0.5; done; }
job=$(sbatch --parsable "$work/sweep.slurm")
while [ ! -e "$work/arm_1_of_4.h5" ]; do sleep 0.1; done
scancel --signal=KILL --full "${job}_1" && echo "task 1 of job $job killed"
waiting
"$tool" sweep --merge "$work"/arm_*_of_4.h5 -o "$work/part.csv"
sbatch --array=1 "$work/sweep.slurm"
waiting
cat "$work"/task_*.txt
"$tool" sweep --merge "$work"/arm_*_of_4.h5 -o "$work/arm.csv"
$sweep --shard 0/1 -o "$work/whole.csv"
without_times() { grep -v '^#' "$1" | cut -d, -f 1-7,9-; }
without_times "$work/arm.csv" > "$work/a"
without_times "$work/whole.csv" > "$work/b"
cmp "$work/a" "$work/b" && echo "the same, bit for bit: $(wc -l < "$work/a") lines"
