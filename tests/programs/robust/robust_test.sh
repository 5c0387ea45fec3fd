#!/bin/sh
# Runs `picket robust` on every row of expected.tsv and compares the answers; under SC every program must be right.
# Usage: robust_test.sh path/to/picket path/to/this/directory
set -u
picket=$1
directory=$2
seconds=60
tab=$(printf '\t')
failures=0
checks=0
known=" "

# run command model program flags: sets output and code.
run() {
  checks=$((checks + 1))
  if [ "$4" = - ]; then
    output=$(timeout "$seconds" "$picket" "$1" --quiet --model "$2" "$directory/$3.c" 2>&1)
  else
    # shellcheck disable=SC2086 # several flags on purpose
    output=$(timeout "$seconds" "$picket" "$1" --quiet --model "$2" "$directory/$3.c" -- $4 2>&1)
  fi
  code=$?
}

fail() { # fail program flags model expected got
  failures=$((failures + 1))
  echo "FAIL: $1 ($2) under $3: expected $4, got $5"
  echo "$output" | sed 's/^/    /' | head -n 10
}

answer() { # what the last run of `picket robust` says, if its exit code says the same
  case "$code $output" in
  "0 "*": robust: "*) echo robust ;;
  "1 "*": not robust"*) echo not-robust ;;
  *) echo "exit code $code" ;;
  esac
}

while IFS=$tab read -r program flags model expected; do
  case $program in "" | "#"*) continue ;; esac
  case $known in
  *" $program$flags "*) ;;
  *)
    run check sc "$program" "$flags"
    [ "$code" -eq 0 ] || fail "$program" "$flags" sc "exit code 0" "exit code $code"
    known="$known$program$flags "
    ;;
  esac
  run robust "$model" "$program" "$flags"
  got=$(answer)
  [ "$got" = "$expected" ] || fail "$program" "$flags" "$model" "$expected" "$got"
done <"$directory/expected.tsv"

for file in "$directory"/*.c; do
  program=$(basename "$file" .c)
  case $known in
  *" $program- "*) ;;
  *) failures=$((failures + 1)) && echo "FAIL: $program is not in expected.tsv" ;;
  esac
done

if [ "$failures" -ne 0 ]; then
  echo "$failures failures in $checks runs"
  exit 1
fi
echo "$checks runs, all as expected"
