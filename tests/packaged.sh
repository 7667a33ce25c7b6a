#!/usr/bin/env bash
# What a user does with an installed nestbed: tests/bare_debian.sh.
#
#     packaged.sh PREFIX    nestbed is on the PATH, and its other files are under PREFIX
set -euo pipefail
prefix=$1
folder=$(mktemp -d)
cd "$folder"

cat >my.cu <<'END'
#include <cstdio>

__global__ void child(const int* sum, int* seen)
{
    *seen = *sum;
}

__global__ void parent(int* sum, int* seen)
{
    atomicAdd(sum, 1);
    if (threadIdx.x == 0)
        child<<<1, 1>>>(sum, seen); // the other threads may not have added yet
}

int main()
{
    int *numbers, seen;
    cudaMalloc(&numbers, 2 * sizeof(int));
    cudaMemset(numbers, 0, 2 * sizeof(int));
    parent<<<1, 4>>>(numbers, numbers + 1);
    cudaMemcpy(&seen, numbers + 1, sizeof(int), cudaMemcpyDeviceToHost);
    std::printf("seen: %d\n", seen);
}
END

# finds TEXT COMMAND...: a race, which is an exit code of 3 and a report.
finds() {
    local failed=0
    "${@:2}" >said 2>&1 || failed=$?
    cat said
    ((failed == 3))
    grep -q -- "$1" said
}

nestbed --version
# The first run, which finds nothing in the cache, takes less than 5 s; on a busy machine, at the second try.
for try in 1 2; do
    begin=$EPOCHREALTIME
    XDG_CACHE_HOME=$folder/cache_$try finds '^  read   my.cu:5  depth 1, block 0, thread 0' nestbed races my.cu
    end=$EPOCHREALTIME
    took=$((${end/./} - ${begin/./}))
    echo "packaged.sh: the first nestbed races took $took us"
    ((took >= 5000000)) || break
done
((took < 5000000))
nestbed cpu my.cu | grep '^seen: [1-4]$'

nestbed build --new quadrature
nestbed build quadrature
case=(--load quadrature --strategy quadrature_nested --grid 2 --block 32)
nestbed run "${case[@]}" --backend cpu --repeat 2 -o -
nestbed races "${case[@]}"
finds nested/reduce/nosync.cu nestbed races --strategy nosync --grid 1 --block 16

nestbed run "$prefix/share/nestbed/experiments/quick.cfg" --backend cpu -o quick.csv
bash -c '. "$0"; complete -p nestbed' "$prefix/share/bash-completion/completions/nestbed"
! command -v man || man -M "$prefix/share/man" nestbed | grep races
rm -r "$folder"
