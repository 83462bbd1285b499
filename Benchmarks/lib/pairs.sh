# One measured run, and pairs of them in turn. What is measured becomes lines in the file `data`:
#
#   run    TABLE  ROW  ROUND  winch|peer  WALL  CPU  PEAK-KiB
#   wrong  TABLE  ROW  REASON
#   value  NAME   NUMBER
#
# A row whose tool failed or left a wrong file stays out of the figures and is named as wrong.

declare -A wrong=()
targets=0

record() {
  local IFS=$'\t'
  printf '%s\n' "$*" >>"$data"
}

mark_wrong() {
  [[ -z ${wrong[$1/$2]-} ]] || return 0
  wrong[$1/$2]=1
  record wrong "$1" "$2" "$3"
  say "$1: $2: $3"
}

# An empty folder for each run. Small files stay until their table is done: a file system like
# ext4 does not reuse what was deleted seconds ago, and looking for something else to use would
# become most of what is measured.
fresh_target() {
  [[ $1 == small ]] || rm -rf "$target"
  target=${target%/*}/$((++targets))
  mkdir -p "$target/got"
}

# The file that one run left is as large as it must be; with `whole` it is also equal.
large_is_right() {
  local got=$target/large.bin
  (($(stat -c %s "$got" 2>/dev/null || echo 0) == large_mib * 1048576)) || return 1
  [[ ${1-} != whole ]] || cmp -s "$served/large.bin" "$got"
}

small_is_right() {
  (($(find "$target/got" -type f -size -4097c -size +4095c | wc -l) == small_count)) || return 1
  [[ ${1-} != whole ]] || diff -rq "$served/small" "$target/got" >/dev/null
}

# run_once KIND TABLE ROW LINK [whole]   sets `figures` to: wall cpu peak
run_once() {
  local output wall user system peak
  fresh_target "$1"
  case $1 in
    large) large_command "$3" "$4" "$target" ;;
    small) small_command "$3" "$target" ;;
  esac
  output=$("$bin/measure" "$memory/log" "${command[@]}") ||
    { mark_wrong "$2" "$3" "ended with status $?: $(head -c 200 "$memory/log" | head -1)" && return 1; }
  "$1_is_right" "${5-}" || { mark_wrong "$2" "$3" "left a wrong file" && return 1; }
  read -r wall user system peak <<<"$output"
  figures=("$wall" "$(awk "BEGIN { print $user + $system }")" "$peak")
}

# Makes what the last run wrote durable, and adds the time of that to its figures.
sync_after() {
  local output wall user system
  case $1 in
    large) output=$("$bin/measure" "$memory/log" sync -d "$target/large.bin") ;;
    small) output=$("$bin/measure" "$memory/log" sync -f "$target/got") ;;
  esac
  read -r wall user system _ <<<"$output"
  read -ra figures < <(awk "BEGIN { print ${figures[0]} + $wall,
    ${figures[1]} + $user + $system, ${figures[2]} }")
}

# pair KIND TABLE ROW ROUND LINK   winch, then the tool of the row, at once after each other
pair() {
  local -a ours
  [[ -z ${wrong[$2/$3]-}${wrong[$2/winch]-} ]] || return 0
  run_once "$1" "$2" winch "$5" || return 0
  ours=("${figures[@]}")
  run_once "$1" "$2" "$3" "$5" || return 0
  record run "$2" "$3" "$4" winch "${ours[@]}"
  record run "$2" "$3" "$4" peer "${figures[@]}"
  if [[ $where == disk && $3 != winch* ]]; then
    sync_after "$1"
    record run "$2" "$3, then sync" "$4" winch "${ours[@]}"
    record run "$2" "$3, then sync" "$4" peer "${figures[@]}"
  fi
}

# compare KIND TABLE LINK ROW…   each tool once to warm up and to be checked, then all pairs
compare() {
  local kind=$1 table=$2 link=$3 row round
  shift 3
  say "$table"
  for row in winch "$@"; do
    run_once "$kind" "$table" "$row" "$link" whole || true
  done
  for ((round = 1; round <= pairs; round++)); do
    for row in "$@"; do
      pair "$kind" "$table" "$row" "$round" "$link"
    done
  done
  rm -rf "${target%/*}"
}
