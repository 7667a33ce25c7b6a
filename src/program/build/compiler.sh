#!/bin/sh
# g++, gcc, c++ and cc of a build by `nestbed cpu -- COMMAND` and `nestbed races -- COMMAND`: the next one of that name on the PATH. Where the
# build links objects of nvcc itself (g++ my.o -L/usr/local/cuda/lib64 -lcudart), the executor stands for CUDA's libraries. Folders of a
# CUDA toolkit that the build names are left out, as `nestbed nvcc` does.
here=$(dirname -- "$(readlink -f -- "$0")")
name=$(basename -- "$0")

compiler='' path=''
IFS=:
for folder in $PATH; do
    [ "$(readlink -f -- "$folder")" = "$here" ] && continue
    path=$path:$folder # a ccache that comes next must not find this script again
    [ -z "$compiler" ] && [ -f "$folder/$name" ] && [ -x "$folder/$name" ] && compiler=$folder/$name
done
unset IFS
if [ -z "$compiler" ]; then
    echo "nestbed: there is no $name on the PATH besides $here/$name" >&2
    exit 1
fi

for word in "$@"; do
    case $word in
    # A real nvcc has called it, which needs its own toolkit.
    -D__NVCC__* | -D__CUDACC__* | *tmpxft_* | *_dlink.o) PATH=${path#:} exec "$compiler" "$@" ;;
    esac
done

is_toolkit() {
    [ "$(readlink -f -- "$1")" != "$(readlink -f -- "$here/../include")" ] || return 1
    for file in cuda_runtime.h libcudart.so libcudart_static.a libcudadevrt.a; do
        [ ! -e "$1/$file" ] || return 0
    done
    return 1
}

executor=false links=true option=''
first=true
for word in "$@"; do
    $first && set -- && first=false
    if [ -n "$option" ]; then
        is_toolkit "$word" || set -- "$@" "$option" "$word"
        option=''
        continue
    fi
    case $word in
    -c | -E | -S | -M | -MM | -shared | -r) links=false ;;
    esac
    case $word in
    -I | -L | -isystem) option=$word ;;
    -I* | -L*) is_toolkit "${word#-?}" || set -- "$@" "$word" ;;
    -lcudart | -lcudart_static | -lcudadevrt | -lculibos | -lcublas | -lcublas_static | -lcusparse | -lcusparse_static) executor=true ;;
    */libcudart.so* | */libcudart_static.a | */libcudadevrt.a | */libcublas.so* | */libcusparse.so*) executor=true ;;
    *) set -- "$@" "$word" ;;
    esac
done
# A shared library takes the executor from the program that it is linked to: there must be only one.
if $executor && $links; then
    [ "$NESTBED_WATCH" = 1 ] && libraries=$here/../lib/races || libraries=$here/../lib
    set -- "$@" "-L$libraries" "-L$here/.." -lcudart -lstdc++ -lm
fi
PATH=${path#:} exec "$compiler" "$@"
