# Deletes from FOLDER the lists and the modules of workloads that are not among ROOMS (separated by |): those that the source had
# under other names. The program would still offer the strategies of such a list.
cmake_minimum_required(VERSION 3.25)
string(REPLACE "|" ";" ROOMS "${ROOMS}")
file(GLOB found RELATIVE ${FOLDER} ${FOLDER}/*.txt ${FOLDER}/workload_*.so ${FOLDER}/races_*.so ${FOLDER}/traced_*.so)
foreach(file IN LISTS found)
    string(REGEX REPLACE "^(workload|races|traced)_" "" room ${file})
    cmake_path(REMOVE_EXTENSION room)
    if(NOT room IN_LIST ROOMS)
        file(REMOVE ${FOLDER}/${file})
    endif()
endforeach()
