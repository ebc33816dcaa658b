#!/bin/sh
# run_if_cpu_has.sh avx2|avx512 COMMAND..: runs the command, or says that this CPU cannot and exits with 77
case $1 in
  avx2) flags="avx2 fma bmi2" ;;
  avx512) flags="avx512f avx512dq avx512vl avx512bw avx512cd" ;;
  *) echo "run_if_cpu_has.sh: found '$1', expected avx2 or avx512" >&2; exit 1 ;;
esac
for flag in $flags; do
  grep -qw "$flag" /proc/cpuinfo || { echo "NOT TESTED: this CPU does not have $flag"; exit 77; }
done
shift
exec "$@"
