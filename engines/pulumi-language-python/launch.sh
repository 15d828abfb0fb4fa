#!/bin/sh
# Starts the host that lies beside it, under an interpreter that has the SDK: the one that FOURLEAF_ENGINE_PYTHON names, else that
# of the active virtualenv, else python3.
here=$(dirname "$(readlink -f "$0")")
python=${FOURLEAF_ENGINE_PYTHON:-${VIRTUAL_ENV:+$VIRTUAL_ENV/bin/python}}
exec "${python:-python3}" -u "$here/pulumi-language-python.py" "$@"
