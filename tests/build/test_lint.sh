# SPDX-License-Identifier: BSD-3-Clause
# The style, and the static analyser at zero findings, with whatever release there is.
. "$(dirname "$0")/shell.sh"

has "clang-format and clang-tidy" lint || finish
# Each release has a taste of its own in layout; the tree follows one.
release=14
version=$(scripts/lint version format)
if [ "$version" = "version $release" ]; then
    check "clang-format" scripts/lint format
else
    skip "clang-format" "the tree follows release $release, this is $version"
fi
check "clang-tidy" scripts/lint tidy
finish
