#!/bin/sh
# Runs `picket check` on inputs that cannot be checked or never end. Each must give the right exit code, a sentence
# that names the thing, the place if there is one, well-formed JSON, and no crash; time and memory stay bounded.
# Usage: bad_input_test.sh path/to/picket path/to/bad
set -u
picket=$1
bad=$2
seconds=1800 # for what never ends: a busy machine takes long, too
processor=unlimited # seconds
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failures=0
checks=0

fail() {
  failures=$((failures + 1))
  echo "FAIL: $1"
  sed 's/^/    /' "$scratch/output" | head -n 20
}

run() { # run arguments...: output and exit code of the check
  checks=$((checks + 1))
  (ulimit -t "$processor" && exec timeout "$seconds" "$picket" check "$@") >"$scratch/stdout" 2>"$scratch/stderr"
  code=$?
  cat "$scratch/stdout" "$scratch/stderr" >"$scratch/output"
}

# A signal ends the shell's view of a process with 128 + its number; timeout(1) reports 124.
checkCode() { # checkCode name expected
  if [ "$code" -eq 124 ]; then
    fail "$1: did not end within $seconds s"
  elif [ "$code" -ge 128 ]; then
    fail "$1: ended by signal $((code - 128))"
  elif [ "$code" -ne "$2" ]; then
    fail "$1: exit code $code instead of $2"
  fi
}

haveJson=0
if command -v python3 >/dev/null 2>&1; then
  haveJson=1
else
  echo "python3 is not installed: the JSON output is not validated"
fi

# expect name file code sentence [place]: sentence and place are extended regular expressions, ignoring case.
expect() {
  name=$1 file=$2 want=$3 sentence=$4 place=${5-}
  run "$file"
  checkCode "$name" "$want"
  grep -Eiq -- "$sentence" "$scratch/output" || fail "$name: the output does not say '$sentence'"
  if [ -n "$place" ]; then
    grep -Eq -- "$place" "$scratch/output" || fail "$name: the output does not name the place '$place'"
  fi
  if grep -Eq 'PLEASE submit a bug report|Stack dump|Assertion .* failed|terminate called' "$scratch/output"; then
    fail "$name: looks like a crash"
  fi

  run --format json "$file"
  checkCode "$name as JSON" "$want"
  if [ "$haveJson" -eq 1 ]; then
    python3 -m json.tool "$scratch/stdout" >/dev/null 2>"$scratch/complaint" ||
      fail "$name as JSON: $(cat "$scratch/complaint")"
  fi
  grep -q '"verdict"' "$scratch/stdout" || fail "$name as JSON: no verdict"
}

# stops name file: ends with the time limit. Three models with 200 ms each and the compiler have enough with five seconds of
# processor time; a busy machine does not make it more.
stops() {
  name=$1 file=$2
  processor=5
  run --timeout 200ms --format json "$file"
  processor=unlimited
  checkCode "$name in time" 4
  grep -q "the time limit was reached" "$scratch/stdout" || fail "$name: does not say that the time limit was reached"
}

expect "missing file" "$bad/no_such_file.c" 3 "no such file|does not exist|cannot (open|read)" "no_such_file\.c"
expect "directory" "$bad" 3 "directory"
expect "empty file" "$bad/empty.c" 3 "no 'main'" "empty\.c"
expect "no main" "$bad/no_main.c" 3 "no 'main'" "no_main\.c"
expect "binary file" "$bad/binary.c" 3 "." "binary\.c"
expect "syntax error" "$bad/syntax_error.c" 3 "expected expression" "syntax_error\.c:4:13"
expect "missing header" "$bad/missing_header.c" 3 "no_such_header\.h" "missing_header\.c:2"
expect "infinite recursion" "$bad/infinite_recursion.c" 1 "stack" "infinite_recursion\.c:[678]"
expect "endless loop" "$bad/endless_loop.c" 4 "loop|step|limit" "endless_loop\.c:[4-8]"
expect "endless stores" "$bad/endless_stores.c" 0 "up to 8 iterations of the loop at line 4"
expect "endless reads" "$bad/endless_reads.c" 0 "up to 8 iterations of the loop at line 4"
stops "too many executions" "$bad/too_many_executions.c"
expect "10 GB malloc" "$bad/huge_malloc.c" 3 "10 ?G|10737418240|10,737,418,240" "huge_malloc\.c:5"
expect "unknown external" "$bad/unknown_external.c" 3 "launch_rocket" "unknown_external\.c:6"
expect "inline assembly" "$bad/inline_asm.c" 3 "cpuid" "inline_asm\.c:4"
expect "nondeterministic value" "$bad/nondet.c" 3 "__VERIFIER_nondet_int" "nondet\.c:7"
expect "trouble that is not reached" "$bad/unreached_trouble.c" 0 "verified"

for arguments in "" "--no-such-option $bad/no_main.c" "--model nonsense $bad/no_main.c" "--unroll many $bad/no_main.c"; do
  # shellcheck disable=SC2086 # several arguments on purpose
  run $arguments
  checkCode "bad usage: check $arguments" 2
  [ -s "$scratch/output" ] || fail "bad usage: check $arguments: says nothing"
done

if [ "$failures" -ne 0 ]; then
  echo "$failures failures in $checks runs"
  exit 1
fi
echo "$checks runs, all as expected"
