# Installs the Debian packages a script needs, by name and only those that are missing. Source this file, then:
#   install_packages core|cli|scan|test|node|fuzz|wasm|browser|python|cuda|gif ...
set -euo pipefail

say() { printf '\033[1m== %s\033[0m\n' "$*"; }

packages_of() {
  case $1 in
    core) echo g++ cmake ninja-build libgtest-dev ;;
    cli) echo g++ cmake ninja-build libcli11-dev libfmt-dev nlohmann-json3-dev libdraco-dev libmeshoptimizer-dev libstb-dev libegl-dev libgles-dev libegl1 libgl1-mesa-dri ;;
    scan) echo libgdcm-dev zlib1g-dev ;;
    test) echo blender libgtest-dev libbenchmark-dev clang-format-14 calculix-ccx slurm-wlm munge python3-numpy ;;
    node) command -v npm >/dev/null && [ "$(node -p 'process.versions.node.split(".")[0]')" -ge 18 ] || echo nodejs npm ;;
    browser) echo chromium ;;
    python) echo python3-dev python3-venv ;;
    cuda) echo libbenchmark-dev python3-venv ;;
    gif) echo imagemagick ffmpeg fonts-dejavu-core ;;
    fuzz) echo clang-19 libclang-rt-19-dev lld-19 libgtest-dev ;;
    wasm) echo emscripten nlohmann-json3-dev cmake ninja-build ;;
    *) echo "packages.sh: no group '$1'" >&2; return 2 ;;
  esac
}

install_packages() {
  local group name missing=()
  for group in "$@"; do
    for name in $(packages_of "$group"); do
      dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || missing+=("$name")
    done
  done
  [ ${#missing[@]} = 0 ] && return 0
  local root=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || { echo "please install these packages first, or run as root: ${missing[*]}" >&2; return 1; }
    root=(sudo)
  fi
  say "installing ${missing[*]}"
  "${root[@]}" apt-get update -qq
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# Configures the build under sanitizers, anew where another compiler made its folder: CMake would forget the preset's settings.
configure_sanitize() {
  grep -qs '^CMAKE_CXX_COMPILER:.*clang++-19' build-sanitize/CMakeCache.txt || rm -rf build-sanitize
  cmake --preset sanitize >/dev/null
}
