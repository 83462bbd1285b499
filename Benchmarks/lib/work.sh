# The places the measurements use, and how they are left: every folder removed, the server gone.
#
#   memory   a folder in /dev/shm: what is served, and the targets "into memory"
#   disk     a folder below $TMPDIR or /var/tmp: the targets "onto disk"; empty if none
#   bin      the compiled programs of tools/

memory='' disk='' bin='' server=''

complain() {
  printf 'bench: %s\n' "$@" >&2
  exit 1
}

say() {
  printf 'bench: %s\n' "$*" >&2
}

clean_up() {
  stop_server
  [[ -z $memory ]] || rm -rf "$memory"
  [[ -z $disk ]] || rm -rf "$disk"
}

# True if the folder $1 can take $2 MiB more.
has_room() {
  (($(df --output=avail -m "$1" | tail -1) > $2))
}

# True if the system can spare $1 MiB of memory.
has_memory() {
  (($(awk '/^MemAvailable/ { print int($2 / 1024) }' /proc/meminfo) > $1))
}

make_folders() {
  local place=${TMPDIR:-/var/tmp}
  trap clean_up EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  has_room /dev/shm 3000 && has_memory 3500 ||
    complain "the measurements need 3.5 GB of free memory, and 3 GB of room in /dev/shm."
  memory=$(mktemp -d /dev/shm/winch-bench.XXXXXX)
  if [[ $(stat -f -c %T "$place") =~ ^(tmpfs|ramfs)$ ]] || ! has_room "$place" 3000; then
    say "no real disk with 3 GB of room at TMPDIR: nothing is measured onto disk."
  else
    disk=$(mktemp -d "$place/winch-bench.XXXXXX")
  fi
  mkdir "$memory/bin" "$memory/home"
  bin=$memory/bin
  data=$memory/data
  : >"$data"
}

compile_tools() {
  local source
  for source in "$here"/tools/*.c; do
    gcc -O2 -Wall -Wextra -D_GNU_SOURCE -o "$bin/$(basename "$source" .c)" "$source" -lutil
  done
}

# The tools see no configuration and no proxy of the user.
isolate() {
  export HOME=$memory/home LC_ALL=C.UTF-8 PATH=$PATH:/usr/sbin:/sbin
  unset "${!XDG_@}" http_proxy https_proxy all_proxy no_proxy \
    HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY
}
