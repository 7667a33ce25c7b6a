# A package of Debian has no plugins: its postinst makes them for the g++ that is installed. The archive has those of the g++ that built it.
if(CPACK_GENERATOR STREQUAL "DEB")
    if(NOT CPACK_NESTBED_PROGRAM_COMPILER MATCHES "/g\\+\\+-[0-9]+$")
        message(FATAL_ERROR "nestbed: NESTBED_PROGRAM_COMPILER=${CPACK_NESTBED_PROGRAM_COMPILER} is of no package that this package can require; "
                            "allowed: a g++ whose name has its version, such as -DNESTBED_PROGRAM_COMPILER=/usr/bin/g++-12")
    endif()
    file(GLOB plugins ${CPACK_TEMPORARY_DIRECTORY}/usr/libexec/nestbed/program/*_plugin.so)
    file(REMOVE ${plugins})
endif()
