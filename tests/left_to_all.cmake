# ctest reads this after the tests of a folder: the label `all` for those that the ordinary run leaves to tests/run.sh --all,
# which are in left_to_all.txt as patterns of GoogleTest. Programs that the ordinary run does not build are left, too.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/left_to_all.txt left REGEX "^[^#]")
list(TRANSFORM left REPLACE "\\." "\\\\.")
list(TRANSFORM left REPLACE "\\*" ".*")
list(JOIN left "|" left)
foreach(program base model workloads plan log run inspect predict executor nestbed)
    foreach(test IN LISTS ${program}_tests_TESTS)
        if(test MATCHES "^(${left})( |$)")
            set_tests_properties("${test}" PROPERTIES LABELS all)
        endif()
    endforeach()
endforeach()
set_tests_properties(races_tests_NOT_BUILT detector_tests_NOT_BUILT runtime_tests_NOT_BUILT program_tests_NOT_BUILT PROPERTIES LABELS all)
