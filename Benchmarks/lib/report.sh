# The page of results: the machine, then what report.awk makes of the data.

describe_machine() {
  local name versions='' disk_kind='not measured'
  [[ -z $disk ]] || disk_kind=$(findmnt -no FSTYPE -T "$disk")
  for name in nginx curl wget2 aria2c axel; do
    versions+=", $name $(version_of "$name")"
  done
  cat <<END
# Measured

Written by \`Benchmarks/run\`; [README.md](README.md) says what the rows are and how to read them.

| | |
|---|---|
| processor | $(nproc) × $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1) |
| kernel | $(uname -s) $(uname -r) |
| disk | $disk_kind |
| others at work | load average $load_before before, $(cut -d ' ' -f 1 /proc/loadavg) after |
| winch | $(version_of winch) |
| beside | ${versions#, } |
| files | $large_mib MiB once; $small_count of 4 KiB |
| pairs | $pairs for each row |
END
}

report() {
  describe_machine
  awk -f "$here/lib/report.awk" "$data"
}
