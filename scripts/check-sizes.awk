# Reads Swift files with the formatting that `make format` gives them; see scripts/check-sizes.
# Braces are matched on lines whose strings and comments have been taken out.

BEGIN {
  file_limit = 400
  file_warning = 250
  function_limit = 40
  unsafe_limit = 5
  safety_reach = 8
  mark = "TO" "DO|FIX" "ME"
}

FNR == 1 {
  end_file()
  start_file()
}

{
  if ($0 ~ "(^|[^A-Za-z])(" mark ")([^A-Za-z]|$)") error(FNR, "work left to do is marked here")
  if ($0 ~ /\/\/.*Safety:/) safety_line = FNR
  if ($0 ~ /^[ \t]*\/\/ size: [^ ]/) size_note = 1
  line = code_of($0)
  if (line ~ /^[ \t]*$/) next
  count_unsafe()
  if (opens_declaration(line)) drop_requirement()
  if (opens_function(line)) push_function()
  scan_braces()
  if (line !~ /^[ \t]*@[^{]*$/) size_note = 0
}

END {
  end_file()
  report()
}

function start_file() {
  name = FILENAME
  is_source = name ~ /^Sources\//
  depth = parens = functions = in_text = size_note = 0
  safety_line = -safety_reach - 1
}

function end_file() {
  if (name == "") return
  if (depth != 0) error(lines, "the braces of this file could not be matched")
  if (lines > file_limit) error(lines, "file of " lines " lines; the limit is " file_limit)
  else if (lines > file_warning)
    printf "%s:%d: warning: file of %d lines; aim below %d\n", name, lines, lines, file_warning
}

# The line without text literals and comment. A text literal of several lines is left out whole.
function code_of(text,   closes) {
  lines = FNR
  if (in_text) {
    if (text !~ /"""/) return ""
    in_text = 0
    sub(/^.*"""#*/, "", text)
  }
  gsub(/#"[^"]*"#/, "", text)
  if (text ~ /"""/) {
    in_text = 1
    sub(/#*""".*$/, "", text)
  }
  gsub(/"([^"\\]|\\.)*"/, "", text)
  sub(/\/\/.*$/, "", text)
  return text
}

function count_unsafe() {
  if (!is_source || line !~ /@unchecked Sendable|nonisolated\(unsafe\)/) return
  unsafe++
  if (FNR - safety_line > safety_reach) error(FNR, "unsafe without a Safety: comment above it")
}

function opens_function(text) {
  if (text ~ /(^|[ \t])func[ \t]/) return 1
  if (text ~ /^[ \t]*((public|internal|private|fileprivate|convenience|required|override|nonisolated)[ \t]+)*(init[?]?[(<]|deinit[ \t]|subscript[(<])/) return 1
  return text ~ /(^|[ \t])var [A-Za-z_`]+:[^=]*\{[ \t]*$/
}

function opens_declaration(text) {
  return text ~ /^[ \t]*([a-z]+[ \t]+)*(var|let|case|typealias|associatedtype|func)[ \t]/ || opens_function(text)
}

function is_waiting_for_body() {
  return functions > 0 && body_depth[functions] == 0 && parens == base_parens[functions]
}

# A requirement of a protocol has no body: the next declaration or brace shows it.
function drop_requirement() {
  if (is_waiting_for_body()) functions--
}

function push_function() {
  functions++
  start[functions] = FNR
  body_depth[functions] = 0
  base_parens[functions] = parens
  excused[functions] = size_note
}

function scan_braces(   i, character) {
  for (i = 1; i <= length(line); i++) {
    character = substr(line, i, 1)
    if (character == "(") parens++
    else if (character == ")") parens--
    else if (character == "{") open_brace()
    else if (character == "}") close_brace()
  }
}

function open_brace() {
  depth++
  if (is_waiting_for_body()) body_depth[functions] = depth
}

function close_brace() {
  drop_requirement()
  if (functions > 0 && body_depth[functions] == depth) end_function()
  depth--
}

function end_function(   size) {
  size = FNR - start[functions] + 1
  if (is_source) sizes[size]++
  if (is_source) total++
  if (size > function_limit && !excused[functions])
    error(start[functions], "function of " size " lines; the limit is " function_limit)
  functions--
}

function quantile(share,   size, seen) {
  for (size = 1; size < 10000; size++) {
    seen += sizes[size]
    if (seen >= share * total) return size
  }
  return 0
}

function error(at, text) {
  printf "%s:%d: error: %s\n", name, at, text
  broken++
}

function report() {
  if (unsafe > unsafe_limit) {
    name = "Sources"
    error(0, unsafe " unsafe declarations; the limit is " unsafe_limit)
  }
  printf "sizes: %d functions, median %d lines, nine in ten at most %d; %d of %d unsafe declarations\n",
    total, quantile(0.5), quantile(0.9), unsafe, unsafe_limit
  if (broken) exit 1
}
