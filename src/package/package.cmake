# `cpack --preset package`: a package of Debian, and an archive that runs from any folder.
set(CPACK_PACKAGE_NAME nestbed)
if(NESTBED_HAS_CUDA)
    set(CPACK_PACKAGE_NAME nestbed-cuda)
    set(CPACK_DEBIAN_PACKAGE_PROVIDES nestbed)
    set(CPACK_DEBIAN_PACKAGE_CONFLICTS nestbed)
    set(CPACK_DEBIAN_PACKAGE_REPLACES nestbed)
endif()
set(CPACK_PACKAGE_VENDOR nestbed)
set(CPACK_PACKAGE_CONTACT "the nestbed authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_DESCRIPTION "nestbed measures GPU work that decides as it runs what runs next: kernels that launch kernels, and other ways
to do that. It runs CUDA programs without a GPU, and finds their races.")
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_THREADS 0)
set(CPACK_ARCHIVE_FILE_NAME ${CPACK_PACKAGE_NAME}-${PROJECT_VERSION}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_FILE_NAME ${CPACK_ARCHIVE_FILE_NAME}) # also the folder in the archive
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)
# g++ for users' programs, and what makes GCC's plugins: postinst.
cmake_path(GET NESTBED_PROGRAM_COMPILER FILENAME compiler)
string(REGEX REPLACE "^g\\+\\+" gcc gcc ${compiler})
set(CPACK_NESTBED_PROGRAM_COMPILER ${NESTBED_PROGRAM_COMPILER}) # for before_build.cmake
set(CPACK_DEBIAN_PACKAGE_DEPENDS "${compiler}, ${gcc}-plugin-dev")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-matplotlib, python3-pandas, python3-scipy") # for figures
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-plotly")
# A new g++ of the same name, from an update of the system, needs new plugins; so does one that use_compiler chose.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/package/triggers CONTENT "interest-noawait /usr/lib/gcc/${CMAKE_CXX_LIBRARY_ARCHITECTURE}\n")
foreach(script postinst prerm)
    configure_file(src/package/${script} ${PROJECT_BINARY_DIR}/package/${script} @ONLY)
endforeach()
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/package/postinst ${PROJECT_BINARY_DIR}/package/prerm ${PROJECT_BINARY_DIR}/package/triggers)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/src/package/before_build.cmake)
include(CPack)
