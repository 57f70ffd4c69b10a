# Run after a test program is linked: writes LIST, a CTest test for each of its suites.
#   cmake -D PROGRAM=… -D LIST=<program>_suites.cmake -D RECORDS=directory [-D TOPIC=…]
#         [-D PROPERTIES=…] -P list_suites.cmake
# A suite of a claim, topic_predicate, is named by its id, topic.predicate; another one behind its
# program, as two programs may have suites of one name.
execute_process(COMMAND "${PROGRAM}" --gtest_list_tests OUTPUT_VARIABLE tests
                COMMAND_ERROR_IS_FATAL ANY TIMEOUT 60)
string(REGEX MATCHALL "(^|\n)[A-Za-z0-9_/]+\\." suites "${tests}")
get_filename_component(program "${PROGRAM}" NAME_WE)
string(REGEX REPLACE "_test$" "" program "${program}")
set(text)
foreach(suite IN LISTS suites)
  string(REGEX REPLACE "[\n.]" "" suite "${suite}")
  string(REPLACE "/" "." name "${program}.${suite}")
  if(TOPIC AND suite MATCHES "^(${TOPIC})_")
    string(REGEX REPLACE "^(${TOPIC})_" "\\1." name "${suite}")
  endif()
  string(APPEND text "add_test([==[${name}]==] [==[${PROGRAM}]==] [==[--gtest_filter=${suite}.*]==] "
                     "[==[--gtest_output=json:${RECORDS}/${name}.json]==])\n")
  if(PROPERTIES)
    string(JOIN " " properties ${PROPERTIES})
    string(APPEND text "set_tests_properties([==[${name}]==] PROPERTIES ${properties})\n")
  endif()
endforeach()
file(WRITE "${LIST}" "${text}")
