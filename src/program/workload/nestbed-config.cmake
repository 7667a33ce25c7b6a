# The CMake package of an installed nestbed.
#
#     find_package(nestbed REQUIRED)
#     nestbed_add_workload(quadrature quadrature.cu)
#
# The target nestbed::nestbed is the program. nestbed_add_workload(NAME FILE...) makes the target NAME, which builds from .cu files what
# `nestbed build` builds from a folder: the module of a workload, and its twin for the race detector. `nestbed run --load FOLDER` and
# the other commands take them from FOLDER, the target's property NESTBED_FOLDER: NAME in the current build folder.
if(CMAKE_VERSION VERSION_LESS 3.21)
    set(nestbed_FOUND FALSE)
    set(nestbed_NOT_FOUND_MESSAGE "nestbed needs CMake 3.21 or later, and this is ${CMAKE_VERSION}")
    return()
endif()
cmake_path(SET NESTBED_PREFIX NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../../..)
cmake_path(SET NESTBED_PROGRAM_FOLDER NORMALIZE ${NESTBED_PREFIX}/libexec/nestbed/program)
if(NOT TARGET nestbed::nestbed)
    add_executable(nestbed::nestbed IMPORTED)
    set_target_properties(nestbed::nestbed PROPERTIES IMPORTED_LOCATION ${NESTBED_PREFIX}/bin/nestbed)
endif()

# The words of a list in workload.json, which says how workloads are built. @ stands for the folder `program`.
function(_nestbed_words result key)
    file(READ ${NESTBED_PROGRAM_FOLDER}/workload/workload.json json)
    string(JSON type TYPE ${json} ${key})
    set(words)
    if(type STREQUAL "STRING")
        string(JSON words GET ${json} ${key})
    else()
        string(JSON count LENGTH ${json} ${key})
        while(count GREATER 0)
            math(EXPR count "${count} - 1")
            string(JSON word GET ${json} ${key} ${count})
            string(REPLACE "@" "${NESTBED_PROGRAM_FOLDER}" word "${word}")
            list(PREPEND words ${word})
        endwhile()
    endif()
    set(${result} ${words} PARENT_SCOPE)
endfunction()

# Writes what the compilers get: the kernels and launches as nestbed has them.
function(_nestbed_rewrite rewritten source mode)
    add_custom_command(OUTPUT ${rewritten} DEPENDS ${source} DEPFILE ${rewritten}.d VERBATIM
        COMMAND ${NESTBED_PROGRAM_FOLDER}/nestbed_rewrite ${mode} ${source} ${rewritten})
endfunction()

# Compiles a file; its object is appended to `objects`.
function(_nestbed_compile objects object source)
    add_custom_command(OUTPUT ${object} DEPENDS ${source} DEPFILE ${object}.d VERBATIM COMMENT "nestbed: compiling ${source}"
        COMMAND ${ARGN} -I ${NESTBED_PROGRAM_FOLDER}/workload/include -I ${CMAKE_CURRENT_SOURCE_DIR} -MD -MF ${object}.d -c ${source} -o ${object})
    set(${objects} ${${objects}} ${object} PARENT_SCOPE)
endfunction()

# Links a module. The new one takes the name at the end: a run may have loaded the old one.
function(_nestbed_link module objects)
    add_custom_command(OUTPUT ${module} DEPENDS ${objects} VERBATIM COMMENT "nestbed: linking ${module}"
        COMMAND ${ARGN} ${objects} -o ${module}.new
        COMMAND ${CMAKE_COMMAND} -E rename ${module}.new ${module})
endfunction()

function(nestbed_add_workload name)
    if(NOT ARGN)
        message(FATAL_ERROR "nestbed_add_workload(${name}): no file was given; allowed: nestbed_add_workload(NAME FILE.cu...)")
    endif()
    set(build ${CMAKE_CURRENT_BINARY_DIR}/${name}/build)
    file(MAKE_DIRECTORY ${build})
    foreach(key compiler flags watched_flags link_flags nvcc nvcc_flags nvcc_link_flags)
        _nestbed_words(${key} ${key})
    endforeach()
    _nestbed_compile(executor ${build}/interface.o ${NESTBED_PROGRAM_FOLDER}/workload/interface.cpp ${compiler} -fPIC -std=c++20)
    set(watched ${executor})
    set(linker ${compiler} ${link_flags})
    if(nvcc AND EXISTS ${nvcc})
        set(linker ${nvcc} ${nvcc_link_flags})
    endif()
    foreach(file IN LISTS ARGN)
        cmake_path(ABSOLUTE_PATH file)
        if(NOT EXISTS ${file})
            message(FATAL_ERROR "nestbed_add_workload(${name}): ${file} does not exist; allowed: .cu files")
        endif()
        cmake_path(GET file STEM stem)
        _nestbed_rewrite(${build}/${stem}.cpu.cu ${file} workload-executor)
        _nestbed_compile(executor ${build}/${stem}.cpu.o ${build}/${stem}.cpu.cu ${compiler} ${flags})
        if(watched_flags)
            _nestbed_compile(watched ${build}/${stem}.races.o ${build}/${stem}.cpu.cu ${compiler} ${watched_flags})
        endif()
        if(nvcc AND EXISTS ${nvcc})
            _nestbed_rewrite(${build}/${stem}.cuda.cu ${file} workload-cuda)
            _nestbed_compile(executor ${build}/${stem}.cuda.o ${build}/${stem}.cuda.cu ${nvcc} ${nvcc_flags})
        endif()
    endforeach()
    _nestbed_link(${build}/workload.so "${executor}" ${linker})
    set(modules ${build}/workload.so)
    if(watched_flags)
        _nestbed_link(${build}/races.so "${watched}" ${compiler} ${link_flags})
        list(APPEND modules ${build}/races.so)
    endif()
    add_custom_target(${name} ALL DEPENDS ${modules})
    set_target_properties(${name} PROPERTIES NESTBED_FOLDER ${CMAKE_CURRENT_BINARY_DIR}/${name})
endfunction()
