#!/bin/sh
# The host compiler of nvcc in a build by `nestbed count` or `nestbed trace`. nvcc calls it three times for a CUDA file: twice to preprocess
# it, for the host and for the GPU, and then to compile. What the preprocessor makes is rewritten so that launches are
# counted. All other calls go to the compiler unchanged.
#   NESTBED_HOST_COMPILER  the C++ compiler to call; default: the next one of the same name on the PATH
#   NESTBED_COUNT_LOG      a file that gets a line for each rewritten file: the number of launches and its path
here=$(dirname -- "$(readlink -f -- "$0")")
name=$(basename -- "$0")

compiler=$NESTBED_HOST_COMPILER
if [ -z "$compiler" ]; then
    IFS=:
    for folder in $PATH; do
        [ "$(readlink -f -- "$folder")" = "$here" ] && continue
        [ -f "$folder/$name" ] && [ -x "$folder/$name" ] && compiler=$folder/$name && break
    done
    unset IFS
fi
if [ -z "$compiler" ]; then
    echo "nestbed: there is no $name on the PATH; allowed: NESTBED_HOST_COMPILER=/path/of/g++" >&2
    exit 1
fi

preprocesses=false is_cuda=false is_of_nvcc=false lists_files=false output='' input='' previous=''
for word in "$@"; do
    [ "$previous" = -o ] && output=$word
    case $word in
    -E) preprocesses=true ;;
    -M | -MM) lists_files=true ;;
    -D__CUDACC__ | -D__CUDACC__=*) is_cuda=true ;;
    -D__NVCC__ | -D__NVCC__=*) is_of_nvcc=true ;;
    -*) ;;
    *) case $previous in -o | -include | -isystem | -x | -I | -D) ;; *) input=$word ;; esac ;;
    esac
    previous=$word
done
# Other files are not rewritten: what they launch by its address would lack the parameter that kernels get.
if $is_of_nvcc && ! $is_cuda && [ -f "$input" ]; then
    calls='cuda(LaunchKernel|LaunchCooperativeKernel|LaunchKernelEx|LaunchKernelExC|GraphAddKernelNode)'
    found=$(sed 's://.*::' -- "$input" | grep -noE "(^|[^[:alnum:]_.>])$calls *\(" |
        sed -nE "s#^([0-9]+):.*($calls) *\\(#\1: \2#p")
    if [ -n "$found" ]; then
        printf '%s\n' "$found" | while read -r call; do
            echo "$input:$call: its kernel would get wrong arguments, because this file is not counted; allowed: nvcc -x cu" >&2
        done
        exit 1
    fi
fi
if ! $preprocesses || ! $is_cuda || $lists_files || [ -z "$output" ]; then
    exec "$compiler" "$@"
fi

"$compiler" "$@" || exit
# Kernels of device code alone (-ptx, -cubin) are launched through the driver, often in files that are not rewritten: they stay as they are.
words_of_nvcc() { # of the command, the variables, and the files of options that it names
    process=$PPID
    for _ in 1 2; do # nvcc calls a shell
        if [ "$(cat "/proc/$process/comm" 2>/dev/null)" = nvcc ]; then
            tr '\0' '\n' <"/proc/$process/cmdline"
            printf '%s %s' "$NVCC_PREPEND_FLAGS" "$NVCC_APPEND_FLAGS" | tr ' ' '\n'
        fi
        process=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$process/status" 2>/dev/null)
    done
}
device_only='--?(ptx|cubin|fatbin|optix-ir|ltoir)'
words=$(words_of_nvcc)
option=$(printf '%s\n' "$words" | grep -Ex -m 1 -e "$device_only")
printf '%s\n' "$words" | sed -nE '/^(-optf|--options-file)$/{n;p;}; s/^(-optf|--options-file)=//p' | tr ',' '\n' >"$output.options"
while [ -z "$option" ] && read -r file; do
    option=$(tr -s '[:space:]' '\n' <"$file" | grep -Ex -m 1 -e "$device_only")
done <"$output.options"
rm -f -- "$output.options"
if [ -n "$option" ]; then
    echo "nestbed: $input: kernels of a build with $option are not counted" >&2
    [ -n "$NESTBED_COUNT_STRICT" ] && rm -f -- "$output" && exit 1
    [ -n "$NESTBED_COUNT_LOG" ] && printf '0 %s\n' "$(readlink -f -- "$input")" >>"$NESTBED_COUNT_LOG"
    exec sed -i -e 's/\(nestbed_rewritten = \)false/\1true/' -e '/^enum nestbed_rows_begin/,/^enum nestbed_rows_end/s/.*//' -- "$output"
fi
mode=count${NESTBED_COUNT_STRICT:+-strict}
grep -q '^enum nestbed_traced' -- "$output" && mode=trace
if ! "$here/../nestbed_rewrite" "$mode" "$output" "$output.nestbed"; then
    rm -f -- "$output" "$output.nestbed"
    exit 1
fi
mv -f -- "$output.nestbed" "$output" || exit
# A file without kernels needs no table of its own.
if ! grep -Eq '::nestbed_(count|trace)::Level nestbed_level|::nestbed_count::(before|pointer_launch|graph_launch_on_device)\(' -- "$output"; then
    sed -i '/^enum nestbed_rows_begin/,/^enum nestbed_rows_end/s/.*//' -- "$output" || exit
fi
if [ -n "$NESTBED_COUNT_LOG" ]; then
    launches=$(grep -Eo '::nestbed_count::(after|pointer_launch|launch_[a-z_]*|graph_launch[a-z_]*|with_level)\(|::nestbed_trace::Call nestbed_call\(' -- "$output" | wc -l)
    printf '%s %s\n' "$launches" "$(readlink -f -- "$input")" >>"$NESTBED_COUNT_LOG"
fi
