# How each tool is told to do the work, quietly: each function sets the array `command`.
# The words after the name of a tool in a row ("winch -n 4") are options of that row.

# large_command ROW LINK FOLDER   one file, stored as FOLDER/large.bin
large_command() {
  local link=$2 file=$3/large.bin cert=$memory/nginx/cert.pem
  local believe=(--cacert "$cert") wget_believe=(--ca-certificate="$cert" --no-hsts --no-ocsp)
  [[ $link == https:* ]] || believe=() wget_believe=()
  case $1 in
    winch*) command=("$winch" get --state "$3/state" "${believe[@]}" -d "$3" ${1#winch} "$link") ;;
    curl) command=(curl -q -sS "${believe[@]}" -o "$file" "$link") ;;
    wget2) command=(wget2 --no-config -q "${wget_believe[@]}" -O "$file" "$link") ;;
    aria2c) command=(aria2c --no-conf -q "${wget_believe[@]:0:1}" -x4 -s4 -k1M
      --file-allocation=none -d "$3" -o large.bin "$link") ;;
    axel) command=(axel -q -k -n4 -o "$file" "$link") ;;
    floor) command=("$bin/floor" "$port" "${link#*//*/}" "$file") ;;
  esac
}

# small_command ROW FOLDER   the files of the list, stored below FOLDER/got
small_command() {
  local list=$memory/links
  case $1 in
    winch*) command=("$winch" get --state "$2/state" -j 16 -d "$2/got" -i "$list") ;;
    curl) command=(curl -q -sS -Z --parallel-max 16 --remote-name-all --output-dir "$2/got"
      -K "$list.curl") ;;
    wget2) command=(wget2 --no-config -q --no-hsts --max-threads=16 -P "$2/got" -i "$list") ;;
    aria2c) command=(aria2c --no-conf -q -j16 --file-allocation=none -d "$2/got" -i "$list") ;;
  esac
}

# slow_command ROW FOLDER LINK…   ten throttled files at once, on a screen
slow_command() {
  local folder=$2
  case $1 in
    winch*) command=("$winch" --state "$folder/state" -j 10 -d "$folder" "${@:3}") ;;
    aria2c) command=(aria2c --no-conf -j10 -x4 -s4 -k1M --file-allocation=none -Z
      -d "$folder" "${@:3}") ;;
    htop) command=(htop) ;;
  esac
}

version_of() {
  case $1 in
    winch) "$winch" --version ;;
    nginx) nginx -v 2>&1 ;;
    wget2) wget2 --no-config --version ;;
    *) "$1" --version ;;
  esac 2>/dev/null | head -1 | grep -oE '[0-9]+(\.[0-9]+)+' | head -1 || true
}
