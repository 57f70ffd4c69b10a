# embedscale_suites(<program> [TOPIC <topic>] [LABEL <label>] [PROPERTIES …])
# Each suite of a GoogleTest program is a test of CTest. Those of the properties and those that spend
# the ledger have the label recorded: what they did (claim, cases, seed) is kept as JSON in
# build/<preset>/suites, for the record of the tests. PROPERTIES: CTest's, for each suite.
add_custom_target(recorded)

function(embedscale_suites program)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TOPIC;LABEL" "PROPERTIES")
  set(list "${CMAKE_CURRENT_BINARY_DIR}/${program}_suites.cmake")
  get_target_property(libraries ${program} LINK_LIBRARIES)
  if(libraries MATCHES "embedscale_testing|_properties")
    list(APPEND arg_PROPERTIES LABELS "\"recorded\;${arg_LABEL}\"" FIXTURES_SETUP recorded)
    add_dependencies(recorded ${program})
  endif()
  add_custom_command(
    TARGET ${program} POST_BUILD
    COMMAND
      ${CMAKE_COMMAND} -D "PROGRAM=$<TARGET_FILE:${program}>" -D "LIST=${list}" -D
      "RECORDS=${PROJECT_BINARY_DIR}/suites" -D "TOPIC=${arg_TOPIC}" -D
      "PROPERTIES=${arg_PROPERTIES}" -P "${PROJECT_SOURCE_DIR}/cmake/list_suites.cmake"
    BYPRODUCTS "${list}"
    VERBATIM)
  set(include "${CMAKE_CURRENT_BINARY_DIR}/${program}_include.cmake")
  file(WRITE "${include}" "include(\"${list}\" OPTIONAL)\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${include}")
endfunction()

# embedscale_test(<name> [AT_ONCE] [OPTIMISED] SOURCES … [LIBRARIES …] [DEFINITIONS …] [PROPERTIES …]
#                 [EACH <parameter>…])
# One GoogleTest program. AT_ONCE: it is one test of CTest, where its suites share what takes long.
# EACH: one for each parameter of its tests.
# OPTIMISED: it runs longer than it is compiled.
find_package(GTest REQUIRED)
find_package(rapidcheck REQUIRED)

function(embedscale_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "AT_ONCE;OPTIMISED" "LABEL" "SOURCES;LIBRARIES;DEFINITIONS;PROPERTIES;EACH")
  add_executable(${name} ${arg_SOURCES})
  if(arg_OPTIMISED)
    embedscale_compiled(${name} optimised_tests)
  else()
    embedscale_compiled(${name} tests)
    embedscale_unoptimised(${name})
  endif()
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} GTest::gtest GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE ${arg_DEFINITIONS})
  if(arg_AT_ONCE)
    add_test(NAME ${name}
             COMMAND ${name})
  elseif(arg_EACH)
    foreach(each IN LISTS arg_EACH)
      add_test(NAME ${each}_${name}
               COMMAND ${name} "--gtest_filter=*/${each}")
    endforeach()
  else()
    embedscale_suites(${name} LABEL "${arg_LABEL}" PROPERTIES ${arg_PROPERTIES})
  endif()
endfunction()

# Before a command: nothing of what the environment may ask of a test program, other seeds, more or
# fewer cases, some of the tests.
set(EMBEDSCALE_AS_COMMITTED ${CMAKE_COMMAND} -E env)
foreach(variable IN ITEMS EMBEDSCALE_CASES EMBEDSCALE_OBSERVATIONS EMBEDSCALE_SEED
                          GTEST_ALSO_RUN_DISABLED_TESTS GTEST_FAIL_FAST GTEST_FILTER GTEST_REPEAT
                          GTEST_SHARD_INDEX GTEST_SHUFFLE GTEST_TOTAL_SHARDS)
  list(APPEND EMBEDSCALE_AS_COMMITTED --unset=${variable})
endforeach()
