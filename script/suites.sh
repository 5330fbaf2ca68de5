# Tests as script/test runs them: all of a suite in one process, which makes once what its tests begin with and starts once
# (under sanitizers a start takes a tenth of a second or more). Each test of the command line and of Slurm stays by itself:
# they run beside each other. Source this file, then: make_suites BUILD [FILE] writes BUILD/suites, a folder for ctest.

# Without the tests that FILE leaves out, by lines of a regular expression over their names, two blanks and the reason.
make_suites() { # build folder, file
  local all line pattern
  all=$(ctest --test-dir "$1" -N -V)
  mkdir -p "$1/suites"
  : >"$1/suites/left_out"
  if [ -n "${2:-}" ]; then
    while IFS= read -r line; do
      case $line in '#'* | '') continue ;; esac
      pattern="^(${line%%  *})"
      sed -nE 's/^ *Test +#[0-9]+: //p' <<<"$all" | grep -E "$pattern" | grep -vxFf "$1/suites/left_out" >"$1/suites/more" || true
      echo "not repeated: $(wc -l <"$1/suites/more") tests, ${line#*  }"
      cat "$1/suites/more" >>"$1/suites/left_out"
    done <"$2"
  fi
  awk -v left_out="$1/suites/left_out" '
    BEGIN { while ((getline line < left_out) > 0) skipped[line] = 1 }
    function quoted(text) { return "[==[" text "]==]" }
    /^[0-9]+: Test command: / { command = $0; sub(/^[0-9]+: Test command: /, "", command); next }
    /^[0-9]+: Working Directory: / { folder = $0; sub(/^[0-9]+: Working Directory: /, "", folder); next }
    /^ *Test +#[0-9]+: / {
      name = $0
      sub(/^ *Test +#[0-9]+: /, "", name)
      if (name in skipped) next
      words = split(command, word, /" "|" *$| "/)
      filter = word[2]
      is_suite = sub(/^--gtest_filter=/, "", filter) && name !~ /^(cli|farm)\./
      # The layer and the suite: what is before the second dot.
      if (is_suite) match(name, /^[^.]*\.[^.]*/)
      key = is_suite ? substr(name, 1, RLENGTH) : name
      sub(/ +#.*/, "", key)
      if (!(key in program)) { order[++count] = key; program[key] = word[1]; place[key] = folder; suite[key] = is_suite }
      if (is_suite) filters[key] = filters[key] (filters[key] == "" ? "" : ":") filter
      else for (w = 2; w <= words; ++w) if (word[w] != "") arguments[key] = arguments[key] " " quoted(word[w])
    }
    END {
      for (i = 1; i <= count; ++i) {
        key = order[i]
        if (suite[key]) arguments[key] = " " quoted("--gtest_filter=" filters[key])
        print "add_test(" quoted(key) " " quoted(program[key]) arguments[key] ")"
        print "set_tests_properties(" quoted(key) " PROPERTIES WORKING_DIRECTORY " quoted(place[key]) \
              (suite[key] ? "" : " SKIP_REGULAR_EXPRESSION " quoted("\\[  SKIPPED \\]")) ")"
      }
    }' <<<"$all" >"$1/suites/CTestTestfile.cmake"
}

# Tests that said of themselves that they were skipped, and how many of all passed, from what ctest kept of the last run.
tell_tests() { # build folder
  local log=$1/suites/Testing/Temporary/LastTest.log
  echo "$(grep -cE '^\[       OK \]' "$log") tests of suites passed; skipped:"
  sed -nE 's/^\[  SKIPPED \] ([^ ]+) \([0-9]+ ms\)$/  \1/p' "$log" | sort -u
}

# Seconds and name of every test of the last run.
test_times() { # build folder
  sed -nE -e 's/^[0-9]+\/[0-9]+ Testing: ([^. ]+)\..*/layer \1/p' -e 's/^\[       OK \] ([^ ]+) \(([0-9]+) ms\)$/\2 \1/p' "$1/suites/Testing/Temporary/LastTest.log" |
    awk '$1 == "layer" { layer = $2; next } { printf "%.2f %s.%s\n", $1 / 1000, layer, $2 }'
}
