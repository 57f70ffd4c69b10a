# embedscale_analysis(<topic> [LIBRARIES …] [DEPENDS …])
# One analysis: a library of its room, the folder of its name (the program of all topics and tests
# link it), and its page as a build product in build/<preset>/site/reports, measured or copied:
# cli/page.sh.
set(EMBEDSCALE_SITE "${PROJECT_BINARY_DIR}/site")

function(embedscale_analysis topic)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES;DEPENDS")
  file(GLOB room CONFIGURE_DEPENDS ${topic}/*.cpp)
  add_library(${topic}_analysis STATIC ${room})
  embedscale_compiled(${topic}_analysis fmt)
  embedscale_one_unit(${topic}_analysis)
  target_link_libraries(${topic}_analysis PUBLIC embedscale_cli ${arg_LIBRARIES})

  set(words "${CMAKE_CURRENT_SOURCE_DIR}/${topic}/words.md")
  set(evidence "${PROJECT_SOURCE_DIR}/properties/record.json")  # what the tests did, as committed
  set(reports "${EMBEDSCALE_SITE}/reports")
  file(GLOB headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/analyses/*/*.hpp")
  set(page "${reports}/${topic}.md")
  set(data "${reports}/data/${topic}.json")
  set(made_by "${PROJECT_SOURCE_DIR}/analyses/cli/page.sh")
  add_custom_command(
    OUTPUT "${page}" "${data}"
    COMMAND "${made_by}" ${topic} "${reports}" "${PROJECT_BINARY_DIR}/copied/${topic}"
            $<TARGET_FILE:analyses> ${topic} --words "${words}" --evidence "${evidence}"
            --out "${reports}"
    # A page that came out the same keeps its time; CMake needs to see that it was made.
    COMMAND ${CMAKE_COMMAND} -E touch "${page}" "${data}"
    # What it is measured by, not the program: a change of another topic leaves it as it is, but for
    # its headers, which page.sh counts.
    DEPENDS ${topic}_analysis embedscale_cli embedscale_report embedscale_claims ${arg_LIBRARIES}
            ${made_by} "${words}" ${evidence} ${headers} ${arg_DEPENDS}
    VERBATIM
    COMMENT "Measuring ${topic}")
  add_custom_target(report-${topic} DEPENDS "${page}" "${data}")
  set_property(GLOBAL APPEND PROPERTY EMBEDSCALE_ANALYSIS_TOPICS ${topic})
  set_property(GLOBAL APPEND PROPERTY EMBEDSCALE_DATA "${data}")
endfunction()

# embedscale_page_of_checks()
# The page about the checks takes minutes and is made only when it is named, in
# build/<preset>/apart/trust/reports: from counts.json there, which is simulated, and inputs.json:
# what the code declares, the record of the tests, hashes of the sources that are simulated, the
# score of source mutation, what ./dev identity found.
function(embedscale_page_of_checks)
  set(apart "${PROJECT_BINARY_DIR}/apart/trust")
  set(declared "${apart}/declared.json")
  set(inputs "${apart}/inputs.json")
  set(counts "${apart}/counts.json")
  set(page "${apart}/reports/trust.md")
  set(data "${apart}/reports/data/trust.json")
  set(words "${CMAKE_CURRENT_SOURCE_DIR}/trust.md")
  set(record "${PROJECT_SOURCE_DIR}/properties/record.json")
  file(GLOB sources CONFIGURE_DEPENDS trust*.cpp trust*.hpp trust*.py
       "${PROJECT_SOURCE_DIR}/properties/evidence/*.hpp"
       "${PROJECT_SOURCE_DIR}/properties/evidence/*.cpp")
  list(APPEND sources "${words}" "${PROJECT_SOURCE_DIR}/properties/ledger.hpp"
       "${PROJECT_SOURCE_DIR}/lib/embedscale/random.hpp")
  file(GLOB read CONFIGURE_DEPENDS report/*.py
       "${PROJECT_SOURCE_DIR}/properties/mutation/score.json"
       "${PROJECT_SOURCE_DIR}/properties/mutation/equivalent.txt"
       "${PROJECT_SOURCE_DIR}/analyses/identity/record.json")
  set(python "${EMBEDSCALE_PYTHON}" -B)
  add_custom_command(
    OUTPUT "${inputs}"
    COMMAND trust --declared "${declared}"
    COMMAND ${python} "${CMAKE_CURRENT_SOURCE_DIR}/trust_inputs.py" --source
            "${PROJECT_SOURCE_DIR}" --records "${record}" --declared "${declared}" --inputs
            ${sources} --out "${inputs}"
    DEPENDS trust "${record}" ${sources} ${read}
    VERBATIM
    COMMENT "Collecting what trust is made of")
  add_custom_command(
    OUTPUT "${counts}"
    COMMAND ${CMAKE_COMMAND} -E rm -rf "${apart}/reports"  # of a figure that has another name now
    COMMAND trust --counts "${counts}"
    COMMAND ${CMAKE_COMMAND} -E touch "${counts}"
    DEPENDS trust
    VERBATIM
    COMMENT "Simulating checks")
  add_custom_command(
    OUTPUT "${page}" "${data}"
    COMMAND ${python} "${CMAKE_CURRENT_SOURCE_DIR}/trust.py" --words "${words}" --inputs
            "${inputs}" --counts "${counts}" --out "${apart}/reports"
    DEPENDS "${inputs}" "${counts}"
    VERBATIM
    COMMENT "Writing trust")
  add_custom_target(trust-inputs DEPENDS "${inputs}")
  add_custom_target(report-trust DEPENDS "${page}" "${data}")
endfunction()
