# The server: nginx with a configuration, folder and ports of its own, on the loopback only.
#
#   served       the folder whose files it has; /slow/ is the folder `slow`, throttled
#   http, https  the base of the links, without a slash at the end

readonly slow_rate=100k # a second, for each connection

served='' http='' https='' port=''

make_certificate() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \
    -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 \
    -keyout "$memory/nginx/key.pem" -out "$memory/nginx/cert.pem" 2>"$memory/log" ||
    complain "openssl made no certificate: $(cat "$memory/log")"
}

write_configuration() {
  local prefix=$memory/nginx user=''
  ((EUID != 0)) || user='user root;'
  cat >"$prefix/nginx.conf" <<END
daemon off; $user
worker_processes auto;
pid $prefix/pid;
error_log $prefix/error.log;
events { worker_connections 1024; }
http {
  client_body_temp_path $prefix/t1; proxy_temp_path $prefix/t2; fastcgi_temp_path $prefix/t3;
  uwsgi_temp_path $prefix/t4; scgi_temp_path $prefix/t5;
  access_log off;
  default_type application/octet-stream;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
  server {
    listen 127.0.0.1:$1 backlog=1024;
    listen 127.0.0.1:$2 ssl backlog=1024;
    ssl_certificate $prefix/cert.pem;
    ssl_certificate_key $prefix/key.pem;
    root $served;
    location /slow/ { limit_rate $slow_rate; }
  }
}
END
}

# True as soon as the server takes connections on port $1, false if it ended instead.
answers() {
  local tries
  for ((tries = 0; tries < 500; tries++)); do
    kill -0 "$server" 2>/dev/null || return 1
    (: <>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return
    sleep 0.01
  done
  return 1
}

start_server() {
  local tries ports
  for ((tries = 0; tries < 10; tries++)); do
    mapfile -t ports < <("$bin/ports" 2)
    write_configuration "${ports[@]}"
    setpriv --pdeathsig TERM nginx -p "$memory/nginx" -c "$memory/nginx/nginx.conf" \
      -e "$memory/nginx/error.log" </dev/null >"$memory/log" 2>&1 &
    server=$!
    if answers "${ports[0]}"; then
      port=${ports[0]} http=http://127.0.0.1:${ports[0]} https=https://127.0.0.1:${ports[1]}
      return
    fi
    stop_server
  done
  complain "nginx does not start:" "$(cat "$memory/log" "$memory/nginx/error.log")"
}

stop_server() {
  [[ -n $server ]] || return 0
  kill "$server" 2>/dev/null || true
  wait "$server" 2>/dev/null || true
  server=''
}

# All that is served stands in memory, so that no run waits for the disk to read it.
prepare_server() {
  served=$memory/served
  mkdir -p "$served/small" "$served/slow" "$memory/nginx"
  make_certificate
  start_server
}

serve_large() {
  [[ ! -e $served/large.bin ]] || return 0
  say "making a file of $large_mib MiB"
  head -c "${large_mib}M" /dev/urandom >"$served/large.bin"
}

# $small_count files of 4 KiB, and their lists for each kind of reader.
serve_small() {
  [[ ! -e $memory/links ]] || return 0
  say "making $small_count files of 4 KiB"
  head -c $((small_count * 4096)) /dev/urandom |
    split -b 4096 -a 5 -d --additional-suffix=.bin - "$served/small/small-"
  (cd "$served/small" && printf '%s\n' small-*.bin) | sed "s|^|$http/small/|" >"$memory/links"
  sed 's/.*/url = "&"/' "$memory/links" >"$memory/links.curl"
}
