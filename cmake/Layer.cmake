# layer(NAME [DEPS layer...] [LIBS library...]): one folder of weft/ (or of the root) as one static library, its tests
# (they stand beside the code) as one program per layer. Files are listed in its files.cmake.
function(layer name)
  cmake_parse_arguments(LAYER "" "" "DEPS;LIBS" ${ARGN})
  set(SOURCES)
  set(HEADERS)
  set(TESTS)
  set(folder ${PROJECT_SOURCE_DIR}/weft/${name})
  if(NOT EXISTS ${folder})  # server/ stands beside weft/
    set(folder ${PROJECT_SOURCE_DIR}/${name})
  endif()
  include(${folder}/files.cmake)
  foreach(list SOURCES HEADERS TESTS)
    list(TRANSFORM ${list} PREPEND ${folder}/)
  endforeach()
  list(TRANSFORM LAYER_DEPS PREPEND weft_ OUTPUT_VARIABLE below)
  if(SOURCES)
    add_library(weft_${name} STATIC ${SOURCES})
    target_sources(weft_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}
                                                        FILES ${HEADERS})
    target_link_libraries(weft_${name} PUBLIC ${below} PRIVATE ${LAYER_LIBS} weft_warnings)
    set_target_properties(weft_${name} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
  else()
    add_library(weft_${name} INTERFACE)
    target_include_directories(weft_${name} INTERFACE ${PROJECT_SOURCE_DIR})
    target_link_libraries(weft_${name} INTERFACE ${below} ${LAYER_LIBS})
  endif()
  if(TESTS AND WEFT_BUILD_TESTS)
    weft_test(${name}_tests LABEL ${name} SOURCES ${TESTS} LINK weft_${name} ${LAYER_LIBS})
  endif()
endfunction()

# weft_test(TARGET LABEL name SOURCES file... LINK target...): a GoogleTest program. Suites whose name
# ends in "Threads" are those that the thread sanitizer runs (the preset tsan picks them by name).
function(weft_test target)
  cmake_parse_arguments(TEST "" "LABEL" "SOURCES;LINK" ${ARGN})
  add_executable(${target} ${TEST_SOURCES})
  target_link_libraries(${target} PRIVATE ${TEST_LINK} weft_warnings GTest::gmock_main)
  # Where tests look for the data of others unless the environment says (WEFT_TESTDATA).
  target_compile_definitions(${target} PRIVATE
                             WEFT_TESTDATA_DEFAULT="${PROJECT_SOURCE_DIR}/../shared/testdata")
  gtest_discover_tests(${target} TEST_PREFIX "${TEST_LABEL}."
                       PROPERTIES LABELS ${TEST_LABEL} TIMEOUT 300 DISCOVERY_MODE PRE_TEST)
endfunction()
