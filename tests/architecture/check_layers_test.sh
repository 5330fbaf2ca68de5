#!/usr/bin/env bash
# The layer check passes on the tree, counts what it checked, and fails on planted violations.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $1"; exit 1; }

checked=$("$root/script/check_layers" | sed -n 's/^layers: \([0-9]*\) includes.*/\1/p')
[ "$checked" -gt 200 ] || fail "only $checked includes checked"

expect_violation() { # file, include line, text that the message must hold
  rm -rf "$work/supple" && cp -r "$root/supple" "$work/supple"
  printf '%s\n' "$2" >>"$work/supple/$1"
  if "$root/script/check_layers" "$work/supple" >"$work/log"; then fail "accepted in $1: $2"; fi
  grep -qF "$3" "$work/log" || fail "message for $1 lacks '$3': $(cat "$work/log")"
}
expect_violation base/vec.h '#include "supple/rig/pose.h"' 'base may not include rig'
expect_violation deform/skin.h '#include "supple/files/load.h"' 'deform may not include files'
expect_violation rig/pose.h '#include <nlohmann/json.hpp>' 'rig may not include <nlohmann/json.hpp>'
expect_violation files/ply.h '#include <gdcmReader.h>' 'files may not include <gdcmReader.h>'
expect_violation imaging/volume_file.h '#include <gdc.h>' 'imaging may not include <gdc.h>'
expect_violation rig/pose.h '  #  include "pose.h"' 'must be written'

# What the table grants and nobody includes is a violation too.
rm -rf "$work/supple" && cp -r "$root/supple" "$work/supple"
sed -i 's/^geometry: \( *\)base /geometry: \1base serve /' "$work/supple/layers.txt"
if "$root/script/check_layers" "$work/supple" >"$work/log"; then fail "accepted a grant that nobody uses"; fi
grep -qF 'geometry may include serve, and never does' "$work/log" || fail "message lacks the unused grant: $(cat "$work/log")"

mkdir -p "$work/empty" && cp "$root/supple/layers.txt" "$work/empty/"
if "$root/script/check_layers" "$work/empty" >/dev/null 2>&1; then fail "a check of nothing passed"; fi
echo "$checked includes checked; planted violations found"
