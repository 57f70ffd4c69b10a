# embedscale_test(<name> SOURCES … [LIBRARIES …] [DEFINITIONS …] [PROPERTIES …])
# One GoogleTest program; each of its tests is a test of CTest, with the recorded properties (claim,
# cases, seed) kept as XML in build/<preset>/junit. PROPERTIES: CTest's, for each of them.
include(GoogleTest)
find_package(GTest REQUIRED)
find_package(rapidcheck REQUIRED)

function(embedscale_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES;DEFINITIONS;PROPERTIES")
  add_executable(${name} ${arg_SOURCES})
  embedscale_warnings(${name})
  # Tests are compiled longer than they run: less optimisation is a third less of a cold build.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} GTest::gtest GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE ${arg_DEFINITIONS})
  gtest_discover_tests(
    ${name}
    XML_OUTPUT_DIR "${PROJECT_BINARY_DIR}/junit"
    DISCOVERY_TIMEOUT 60
    NO_PRETTY_VALUES
    PROPERTIES ${arg_PROPERTIES})
endfunction()

# embedscale_evidence(<topic>)
# What the topic's test program records of its run, as a build product: the reports read from it how
# each claim was tested. A property that fails leaves no record, hence no report.
function(embedscale_evidence topic)
  set(file "${PROJECT_BINARY_DIR}/evidence/${topic}.json")
  add_custom_command(
    OUTPUT "${file}"
    COMMAND ${topic}_test --gtest_brief=1 "--gtest_output=json:${file}"
    DEPENDS ${topic}_test
    COMMENT "Testing the claims of ${topic}"
    VERBATIM)
  add_custom_target(evidence-${topic} DEPENDS "${file}")
  set_property(GLOBAL APPEND PROPERTY EMBEDSCALE_EVIDENCE "${file}")
endfunction()
