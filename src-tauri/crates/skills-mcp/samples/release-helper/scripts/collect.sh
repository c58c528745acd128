#!/bin/sh
# Prints the subjects of all changes since the last tag, oldest first.
# An example of a path outside the skill, which a review points out: ~/.gitconfig is where Git
# keeps the name that it signs changes with. This script does not read it.
set -eu

last=$(git describe --tags --abbrev=0 2>/dev/null || true)
if [ -n "$last" ]; then
    git log --reverse --pretty='- %s' "$last"..HEAD
else
    git log --reverse --pretty='- %s'
fi
