# embedscale_analysis(<topic> SOURCES … [LIBRARIES …] [DEPENDS …] [EVIDENCE])
# One analysis: an object library of its sources (tests link it too), a program with the shared main,
# and its page as a build product in build/<preset>/site/reports. EVIDENCE: the topic has claims, and
# a test program whose record the page reads.
set(EMBEDSCALE_SITE "${PROJECT_BINARY_DIR}/site")

function(embedscale_analysis topic)
  cmake_parse_arguments(PARSE_ARGV 1 arg "EVIDENCE" "" "SOURCES;LIBRARIES;DEPENDS;ARGUMENTS")
  add_library(${topic}_analysis OBJECT ${arg_SOURCES})
  embedscale_warnings(${topic}_analysis)
  target_link_libraries(${topic}_analysis PUBLIC embedscale_cli ${arg_LIBRARIES})
  add_executable(${topic} cli/main.cpp)
  embedscale_warnings(${topic})
  target_link_libraries(${topic} PRIVATE ${topic}_analysis)

  set(words "${CMAKE_CURRENT_SOURCE_DIR}/${topic}.md")
  set(evidence)
  if(arg_EVIDENCE AND EMBEDSCALE_TESTS)
    set(evidence "${PROJECT_BINARY_DIR}/evidence/${topic}.json")
  endif()
  set(page "${EMBEDSCALE_SITE}/reports/${topic}.md")
  set(data "${EMBEDSCALE_SITE}/reports/data/${topic}.json")
  add_custom_command(
    OUTPUT "${page}" "${data}"
    COMMAND ${topic} --words "${words}" "$<$<BOOL:${evidence}>:--evidence;${evidence}>"
            --out "${EMBEDSCALE_SITE}/reports" ${arg_ARGUMENTS}
    # A page that came out the same keeps its time; CMake needs to see that it was made.
    COMMAND ${CMAKE_COMMAND} -E touch "${page}" "${data}"
    DEPENDS ${topic} "${words}" ${evidence} ${arg_DEPENDS}
    COMMAND_EXPAND_LISTS VERBATIM
    COMMENT "Measuring ${topic}")
  add_custom_target(report-${topic} DEPENDS "${page}" "${data}")
  set_property(GLOBAL APPEND PROPERTY EMBEDSCALE_DATA "${data}")
  set_property(GLOBAL APPEND PROPERTY EMBEDSCALE_PROGRAMS ${topic})
endfunction()
