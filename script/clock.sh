# What each stage of a script cost. Source this file, then: stage NAME starts one, report_stages prints them all.
stage_names=() stage_cpu=() stage_wall=()

# CPU seconds of all that this shell has run and waited for, into cpu_now. `times` knows them in this shell only, neither
# in a pipe nor in $(...).
read_cpu() {
  local file=$clock_file.$BASHPID  # what runs beside has its own
  times >"$file"
  cpu_now=$(awk 'NR == 2 { split($0, t, /[ms ]+/); print int(60 * (t[1] + t[3]) + t[2] + t[4]) }' "$file")
}

end_stage() {
  [ ${#stage_names[@]} = ${#stage_cpu[@]} ] && return 0
  read_cpu
  stage_cpu+=($((cpu_now - stage_cpu_start)))
  stage_wall+=($((SECONDS - stage_wall_start)))
}

stage() { # name
  end_stage
  stage_names+=("$1")
  read_cpu
  stage_cpu_start=$cpu_now stage_wall_start=$SECONDS
  say "$1"
}

report_stages() {
  end_stage
  local i cpu=0 wall=0
  for i in "${!stage_names[@]}"; do
    printf '%7d s  %7d s of CPU  %s\n' "${stage_wall[$i]}" "${stage_cpu[$i]}" "${stage_names[$i]}"
    cpu=$((cpu + stage_cpu[i])) wall=$((wall + stage_wall[i]))
  done
  awk -v w=$wall -v c=$cpu 'BEGIN { printf "%.1f minutes, %.1f CPU-minutes in all\n", w / 60, c / 60 }'
}

clock_file=$(mktemp)
trap 'rm -f "$clock_file"*' EXIT
