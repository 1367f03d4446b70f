# SPDX-License-Identifier: BSD-3-Clause
# Set-up says nothing when nothing is missing, and one line when something is and cannot be had.
. "$(dirname "$0")/shell.sh"

# A machine with a shell but no compiler, no cmake, and nobody who may install.
mkdir "$scratch/bin"
for tool in sh env id cat printf ls; do
    ln -s "$(command -v $tool)" "$scratch/bin/$tool"
done

refused() { # refused FLAG...: the exit status and the one line
    local output status
    output=$(env -i PATH="$scratch/bin" sh scripts/setup "$@" build 2>&1)
    status=$?
    [[ $output =~ ^"setup: missing: "(gcc[^$'\n']*" cmake"[^$'\n']*)". To install: sudo apt-get install "(.*)$ &&
        ${BASH_REMATCH[1]} = "${BASH_REMATCH[2]}" ]] || { echo "it said: $output" && return 1; }
    return $status
}

fails() {
    ! "$@"
}

check_silent "says nothing when all is there" scripts/setup build
check_silent "and with an empty environment" env -i PATH="$PATH" scripts/setup build
check "names what is missing in one line and fails" fails refused
check_silent "which is indeed that line" refused --try
finish
