# SPDX-License-Identifier: BSD-3-Clause
# The style, and the static analyser at zero findings.
. "$(dirname "$0")/shell.sh"

has "clang-format and clang-tidy" lint || finish
# Each release has a taste of its own in layout and finds other faults; the tree follows one.
release=14
for tool in format tidy; do
    version=$(clang-$tool --version | grep -o 'version [0-9]*')
    if [ "$version" = "version $release" ]; then
        check "clang-$tool" scripts/lint $tool
    else
        skip "clang-$tool" "the tree follows release $release, this is $version"
    fi
done
finish
