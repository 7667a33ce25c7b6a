#!/usr/bin/env bash
# What a user does with an installed nestbed, in the folder of nested_reduce_nosync.cu: tests/bare_debian.sh.
#
#     packaged.sh PREFIX    nestbed is on the PATH, and its other files under PREFIX
set -euo pipefail
prefix=$1

nestbed --version
SECONDS=0
failed=0
nestbed races nested_reduce_nosync.cu >said || failed=$?
took=$SECONDS
cat said
[[ $failed == 3 ]] && grep -q '^race: write and read of numbers\[1\]' said
echo "the first nestbed races took $took s"
((took <= 5))
[[ $(nestbed cpu nested_reduce_nosync.cu) == "right: 32640"* ]]

nestbed build --new quadrature
nestbed build quadrature
nestbed run --load quadrature --strategy quadrature_nested --backend cpu --grid 2 --block 32 --repeat 2 -o -
nestbed races --load quadrature --strategy quadrature_nested --grid 2 --block 32
nestbed races --strategy nosync --grid 1 --block 16 >said || failed=$?
[[ $failed == 3 ]] && grep -q 'nested/reduce/nosync.cu' said

nestbed run "$prefix/share/nestbed/experiments/quick.cfg" --backend cpu -o quick.csv
man "$prefix/share/man/man1/nestbed.1" >manual || ! command -v man
[[ ! -s manual ]] || grep -q 'nestbed run' manual
bash -c '. "$0"; complete -p nestbed' "$prefix/share/bash-completion/completions/nestbed"
rm -r quadrature quick.csv* said manual
