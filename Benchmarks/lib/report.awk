# Makes tables from the data of pairs.sh: medians, and medians of the ratios of pairs.

BEGIN { FS = "\t" }

$1 == "run" {
  row = $2 FS $3
  if (!($2 in rows_of)) tables[++table_count] = $2
  if (!(row in pair_count)) rows_of[$2] = rows_of[$2] "\n" $3
  if ($4 > pair_count[row]) pair_count[row] = $4
  for (column = 1; column <= 3; column++) {
    run[row, $4, $5, column] = $(column + 5)
    if ($5 == "winch" && $3 !~ /then sync/) ours[$2, column, ++our_count[$2, column]] = $(column + 5)
  }
}

$1 == "wrong" {
  left_out[$2 FS $3] = 1
  wrong = wrong sprintf("- %s: %s %s\n", $2, $3, $4)
}

$1 == "value" { values[$2, ++value_count[$2]] = $3 }

END {
  for (t = 1; t <= table_count; t++) print_table(tables[t])
  print_screen()
  print_targets()
  if (wrong) printf "\n## Left out\n\n%s", wrong
}

# Whether a row has figures that may be shown: both sides of its pairs did their work.
function is_good(row,    part, peer) {
  split(row, part, FS)
  peer = part[2]
  sub(/, then sync$/, "", peer)
  return row in pair_count && !((part[1] FS peer) in left_out) && !((part[1] FS "winch") in left_out)
}

# Sorts list[1…count], and returns its median.
function median(list, count,    i, j, held) {
  for (i = 2; i <= count; i++) {
    held = list[i]
    for (j = i - 1; j >= 1 && list[j] > held; j--) list[j + 1] = list[j]
    list[j + 1] = held
  }
  return count % 2 ? list[(count + 1) / 2] : (list[count / 2] + list[count / 2 + 1]) / 2
}

function value(name,    list, i) {
  for (i = 1; i <= value_count[name]; i++) list[i] = values[name, i] + 0
  return median(list, i - 1)
}

function middle_of_peer(row, column,    list, i) {
  for (i = 1; i <= pair_count[row]; i++) list[i] = run[row, i, "peer", column] + 0
  return median(list, i - 1)
}

function middle_of_ours(table, column,    list, i) {
  for (i = 1; i <= our_count[table, column]; i++) list[i] = ours[table, column, i] + 0
  return median(list, i - 1)
}

# The median of winch ÷ peer over the pairs of a row; `least` and `most` are set as well.
function ratio(row, column,    list, i, middle) {
  for (i = 1; i <= pair_count[row]; i++) {
    list[i] = run[row, i, "winch", column] / run[row, i, "peer", column]
  }
  middle = median(list, i - 1)
  least = list[1]
  most = list[i - 1]
  return middle
}

function print_table(table,    names, count, i, row, wall) {
  printf "\n## %s\n\n", table
  print "| | wall s | CPU s | peak MiB | winch ÷ it: wall | least–most | CPU | peak |"
  print "|---|--:|--:|--:|--:|--:|--:|--:|"
  printf "| **winch** | %.2f | %.2f | %.1f | | | | |\n", middle_of_ours(table, 1),
    middle_of_ours(table, 2), middle_of_ours(table, 3) / 1024
  count = split(substr(rows_of[table], 2), names, "\n")
  for (i = 1; i <= count; i++) {
    row = table FS names[i]
    if (!is_good(row)) continue
    wall = ratio(row, 1)
    printf "| %s | %.2f | %.2f | %.1f | **%.2f** | %.2f–%.2f | %.2f | %.2f |\n", names[i],
      middle_of_peer(row, 1), middle_of_peer(row, 2), middle_of_peer(row, 3) / 1024,
      wall, least, most, ratio(row, 2), ratio(row, 3)
  }
}

function print_screen(    names, count, i, name) {
  count = split("winch aria2c htop", names, " ")
  for (i = 1; i <= count; i++) {
    name = names[i]
    if (!(("rate/" name, 1) in values)) continue
    if (!begun++) {
      print "\n## On the terminal, 80 × 24\n"
      print "Ten transfers at once (htop: the machine at that time), ten seconds.\n"
      print "| | bytes a second | in the busiest second | CPU % | peak MiB |"
      print "|---|--:|--:|--:|--:|"
    }
    printf "| %s | %d | %d | %.1f | %.1f |\n", name, value("rate/" name), value("busiest/" name),
      value("cpu/" name), value("peak/" name)
  }
  if (("paint", 1) in values) {
    printf "\nWith 1,000 transfers remembered, the first name is seen %.0f ms after exec", value("paint")
    printf " (median of %d).\n", value_count["paint"]
  }
}

function print_targets() {
  target_of_ratio("HTTP: wall ≤ 1.25 × floor", "HTTP", "floor", 1, 1.25)
  target_of_ratio("HTTP: wall ≤ 0.8 × curl", "HTTP", "curl", 1, 0.8)
  target_of_ratio("HTTP: wall ≤ 0.6 × aria2", "HTTP", "aria2c", 1, 0.6)
  target_of_ratio("HTTP: wall ≤ 0.6 × axel", "HTTP", "axel", 1, 0.6)
  target_of_ratio("HTTPS: CPU ≤ 1.0 × curl", "HTTPS", "curl", 2, 1.0)
  target_of_ratio("Small files: wall ≤ 1.1 × curl -Z", "Small files", "curl", 1, 1.1)
  target_of_ratio("Small files: wall ≤ 1.1 × wget2", "Small files", "wget2", 1, 1.1)
  target_of_value("Ten transfers on the screen: ≤ 600 bytes a second", "rate/winch", 600)
  target_of_value("Nothing to do: 0 bytes in five seconds", "idle", 0)
  target_of_value("First paint with 1,000 entries: ≤ 150 ms", "paint", 150)
  target_of_value("5 GiB over 8 connections: peak ≤ 40 MiB", "memory", 40)
}

function target_line(words, place, measured, limit) {
  if (!targets++) {
    print "\n## Targets\n"
    print "| target | where | measured | |"
    print "|---|---|--:|---|"
  }
  printf "| %s | %s | %s | %s |\n", words, place, measured,
    measured + 0 <= limit ? "reached" : "**not reached**"
}

function target_of_ratio(words, table, peer, column, limit,    row) {
  row = table ", into memory" FS peer
  if (is_good(row)) target_line(words, "memory", sprintf("%.2f", ratio(row, column)), limit)
  row = table ", onto disk" FS peer ", then sync"
  if (is_good(row)) {
    target_line(words, "disk, both durable", sprintf("%.2f", ratio(row, column)), limit)
  }
}

function target_of_value(words, name, limit) {
  if ((name, 1) in values) target_line(words, "", sprintf("%.4g", value(name)), limit)
}
