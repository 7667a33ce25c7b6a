# Joins static libraries into one: cmake -D OUTPUT=… -D AR=… -D ARCHIVES=a.a,b.a -P join_archives.cmake
string(REPLACE "," ";" ARCHIVES "${ARCHIVES}")
set(script "create ${OUTPUT}.partial\n") # renamed at the end: programs may be linked with it at any time
foreach(archive IN LISTS ARCHIVES)
    string(APPEND script "addlib ${archive}\n")
endforeach()
file(WRITE ${OUTPUT}.mri "${script}save\nend\n")
execute_process(COMMAND ${AR} -M INPUT_FILE ${OUTPUT}.mri COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE ${OUTPUT}.mri)
file(RENAME ${OUTPUT}.partial ${OUTPUT})
