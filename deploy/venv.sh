#!/bin/sh
# A virtual environment with packages of this clone from wheels, and the locked versions of all they need, by hash.
#
#   sh deploy/venv.sh FOLDER PACKAGE...
#   sh deploy/venv.sh /opt/sextant sextant-worker sextant-lab     console, fleet listener, workers
#   sh deploy/venv.sh /opt/sextant-agent sextant-agent            a host's agent
#
# WHEELS=FOLDER: wheels of the clone as it is now, taken from there by one environment after the other, and put there.
#
# Needs uv, the Rust of engine/Cargo.toml for sextant-engine and sextant-twin, and Python 3.11 or newer (PYTHON says which).
# Also what deploy/Dockerfile runs.
set -eu

[ $# -ge 2 ] || { sed -n '2,11s/^# \{0,1\}//p' "$0" >&2; exit 2; }
case $1 in
    /*) folder=$1 ;;
    *) folder=$PWD/$1 ;;
esac
shift
cd "$(dirname "$0")/.."
uv=${UV:-uv}

packages='' # each as '--package NAME'
for package in "$@"; do
    packages="$packages --package $package"
done

work=$(mktemp -d)
wheels=${WHEELS:-$work/wheels}
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# shellcheck disable=SC2086 # a list of words
export_of() { "$uv" export --quiet --frozen --no-dev --no-editable $packages "$@"; }

export_of --no-emit-workspace >"$work/requirements.txt"
export_of --no-hashes | sed -n 's/^\.\///p' | while read -r member; do
    set -- "$wheels/sextant_$member"-*.whl
    [ -e "$1" ] || "$uv" build --quiet --wheel --out-dir "$wheels" "$member"
    echo "$wheels/sextant_$member"-*.whl >>"$work/wheels.txt"
done
"$uv" venv --quiet --clear --no-project ${PYTHON:+--python "$PYTHON"} "$folder"
"$uv" pip install --quiet --python "$folder/bin/python" --require-hashes -r "$work/requirements.txt"
"$uv" pip install --quiet --python "$folder/bin/python" --no-deps -r "$work/wheels.txt"
