# A package of Debian has no plugins: its postinst makes them for the g++ that is installed. The archive has those of the g++ that built it.
if(CPACK_GENERATOR STREQUAL "DEB")
    file(GLOB plugins ${CPACK_TEMPORARY_DIRECTORY}/usr/libexec/nestbed/program/*_plugin.so)
    file(REMOVE ${plugins})
endif()
