# embedscale_analysis(<topic> [SOURCES …] [LIBRARIES …] [DEPENDS …] [ARGUMENTS …] [CLAIMS] [APART])
# One analysis: a library of its room, the folder of its name, and of SOURCES (the program of all
# topics and tests link it), and its page as a build product in build/<preset>/site/reports, measured
# or copied: cli/page.sh. ARGUMENTS: further ones of the program that makes the page. CLAIMS: the
# page reads the record of the tests. APART: the page takes minutes and is made only when it is
# named, in build/<preset>/apart/<topic>/reports, from inputs.json there.
set(EMBEDSCALE_SITE "${PROJECT_BINARY_DIR}/site")

function(embedscale_analysis topic)
  cmake_parse_arguments(PARSE_ARGV 1 arg "APART;CLAIMS" "" "SOURCES;LIBRARIES;DEPENDS;ARGUMENTS")
  file(GLOB room CONFIGURE_DEPENDS ${topic}/*.cpp)
  add_library(${topic}_analysis STATIC ${room} ${arg_SOURCES})
  embedscale_compiled(${topic}_analysis fmt)
  embedscale_one_unit(${topic}_analysis)
  target_link_libraries(${topic}_analysis PUBLIC embedscale_cli ${arg_LIBRARIES})
  set_property(GLOBAL APPEND PROPERTY EMBEDSCALE_ANALYSIS_ROOMS ${topic})

  set(words "${CMAKE_CURRENT_SOURCE_DIR}/${topic}/words.md")
  if(arg_APART)
    set(words "${CMAKE_CURRENT_SOURCE_DIR}/${topic}.md")
  endif()
  # What the tests did, as committed.
  set(evidence)
  if(arg_CLAIMS)
    set(evidence "${PROJECT_SOURCE_DIR}/properties/record.json")
  endif()
  set(reports "${EMBEDSCALE_SITE}/reports")
  if(arg_APART)
    set(evidence "${PROJECT_BINARY_DIR}/apart/${topic}/inputs.json")
    set(reports "${PROJECT_BINARY_DIR}/apart/${topic}/reports")
  endif()
  file(GLOB headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/analyses/*/*.hpp")
  set(page "${reports}/${topic}.md")
  set(data "${reports}/data/${topic}.json")
  set(program $<TARGET_FILE:analyses>)
  if(NOT arg_APART)
    set(made_by "${PROJECT_SOURCE_DIR}/analyses/cli/page.sh")
    list(PREPEND program "${made_by}" ${topic} "${reports}" "${PROJECT_BINARY_DIR}/copied/${topic}")
  endif()
  add_custom_command(
    OUTPUT "${page}" "${data}"
    COMMAND ${program} ${topic} --words "${words}" "$<$<BOOL:${evidence}>:--evidence;${evidence}>"
            --out "${reports}" ${arg_ARGUMENTS}
    # A page that came out the same keeps its time; CMake needs to see that it was made.
    COMMAND ${CMAKE_COMMAND} -E touch "${page}" "${data}"
    # What it is measured by, not the program: a change of another topic leaves it as it is, but for
    # its headers, which page.sh counts.
    DEPENDS ${topic}_analysis embedscale_cli embedscale_report embedscale_claims ${arg_LIBRARIES}
            ${made_by} "${words}" ${evidence} ${headers} ${arg_DEPENDS}
    COMMAND_EXPAND_LISTS VERBATIM
    COMMENT "Measuring ${topic}")
  add_custom_target(report-${topic} DEPENDS "${page}" "${data}")
  if(NOT arg_APART)
    set_property(GLOBAL APPEND PROPERTY EMBEDSCALE_ANALYSIS_TOPICS ${topic})
    set_property(GLOBAL APPEND PROPERTY EMBEDSCALE_DATA "${data}")
  endif()
endfunction()

# embedscale_trust_inputs(SOURCES <file> …)
# What the page about the checks is made of, collected as a build product: the record of the tests,
# hashes of the sources that are simulated, the score of source mutation, what ./dev identity found.
function(embedscale_trust_inputs)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "SOURCES")
  set(inputs "${PROJECT_BINARY_DIR}/apart/trust/inputs.json")
  set(record "${PROJECT_SOURCE_DIR}/properties/record.json")
  file(GLOB score CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/properties/mutation/score.json"
       "${PROJECT_SOURCE_DIR}/properties/mutation/equivalent.txt"
       "${PROJECT_SOURCE_DIR}/analyses/identity/record.json")
  add_custom_command(
    OUTPUT "${inputs}"
    COMMAND trust_inputs --source "${PROJECT_SOURCE_DIR}" --records "${record}" --inputs
            ${arg_SOURCES} --out "${inputs}"
    COMMAND ${CMAKE_COMMAND} -E touch "${inputs}"
    DEPENDS trust_inputs "${record}" ${arg_SOURCES} ${score}
    VERBATIM
    COMMENT "Collecting what trust is made of")
  add_custom_target(trust-inputs DEPENDS "${inputs}")
endfunction()
