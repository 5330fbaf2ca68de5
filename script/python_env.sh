# An environment of Python with packages by name. Source this file, then: python_env FOLDER PACKAGE ...
python_env() {
  local folder=$1
  shift
  [ -x "$folder/bin/python" ] || "${PYTHON:-python3}" -m venv "$folder"
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
}
