# What is measured: one function for each part that --only can name.

# The arguments of `compare`; the table gets the name of the place.
into_memory() {
  where=memory target=$memory/targets/0
  compare "$1" "$2, into memory" "${@:3}"
}

onto_disk() {
  [[ -n $disk ]] || return 0
  where=disk target=$disk/targets/0
  compare "$1" "$2, onto disk" "${@:3}"
}

measure_http() {
  serve_large
  into_memory large "HTTP" "$http/large.bin" floor curl wget2 aria2c axel "winch -n 4"
  onto_disk large "HTTP" "$http/large.bin" floor curl wget2 aria2c axel
}

measure_https() {
  serve_large
  into_memory large "HTTPS" "$https/large.bin" curl wget2 aria2c axel "winch -n 4"
  onto_disk large "HTTPS" "$https/large.bin" curl aria2c
}

# aria2 stays out of the second table: for each file it puts a control file on the disk and takes
# it away again, which needs more than a minute for the whole list.
measure_small() {
  serve_small
  into_memory small "Small files" "$memory/links" curl wget2 aria2c
  onto_disk small "Small files" "$memory/links" curl wget2
}

# 5 GiB over eight connections. The served file is sparse, so it takes no memory; the copy does.
measure_memory() {
  local mib=5120 peak
  say "memory"
  rm -f "$served/large.bin" # makes room; serve_large makes it again
  if ! has_room /dev/shm $((mib + 500)) || ! has_memory $((mib + 1000)); then
    say "less than 6.5 GB of memory: the 5 GiB file is not measured"
    return
  fi
  target=$memory/targets/0
  fresh_target large
  truncate -s "${mib}M" "$served/large.bin"
  large_command "winch -n 8" "$http/large.bin" "$target"
  if read -r _ _ _ peak < <("$bin/measure" "$memory/log" "${command[@]}") &&
    cmp -s "$served/large.bin" "$target/large.bin"; then
    record value memory "$(awk "BEGIN { print $peak / 1024 }")"
  else
    say "memory: winch did not fetch the 5 GiB file: $(tail -1 "$memory/log")"
  fi
  rm -rf "$target" "$served/large.bin"
}

measure_screen() {
  say "screen"
  target=$memory/targets/0
  measure_screen_rate
  measure_first_paint
}

# Ten throttled transfers at once: bytes to the terminal in ten seconds, two seconds after exec.
measure_screen_rate() {
  local row links=() number total busiest cpu peak
  for number in {0..9}; do
    truncate -s 64M "$served/slow/slow-$number.bin"
    links+=("$http/slow/slow-$number.bin")
  done
  for row in winch aria2c htop; do
    command -v "${row/#winch/$winch}" >/dev/null || continue
    fresh_target large
    slow_command "$row" "$target" "${links[@]}"
    if read -r total busiest cpu peak < <("$bin/terminal" rate 2 10 "${command[@]}"); then
      record value "rate/$row" $((total / 10))
      record value "busiest/$row" "$busiest"
      record value "cpu/$row" "$cpu"
      record value "peak/$row" "$(awk "BEGIN { print $peak / 1024 }")"
    fi
  done
  rm -rf "$target"
}

# A session of a thousand finished transfers: how soon a name is seen, and the silence after it.
measure_first_paint() {
  local round shown total
  serve_small
  fresh_target large
  head -1000 "$memory/links" >"$memory/links.thousand"
  if ! "$winch" get --state "$target/state" -j 16 -d "$target/got" -i "$memory/links.thousand" \
    >"$memory/log" 2>&1 </dev/null; then
    say "screen: winch did not fetch the thousand files: $(tail -1 "$memory/log")"
    return
  fi
  for ((round = 0; round < pairs; round++)); do
    shown=$("$bin/terminal" until small-0 "$winch" --state "$target/state") || return 0
    record value paint "$shown"
  done
  if read -r total _ < <("$bin/terminal" rate 2 5 "$winch" --state "$target/state"); then
    record value idle "$total"
  fi
  rm -rf "$target"
}
