# Installation, in two components: headers, the CMake package and its properties (development); the
# command with its data, man page and completions (command).
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
set(package "${CMAKE_INSTALL_LIBDIR}/cmake/embedscale")

install(TARGETS embedscale EXPORT embedscale-targets FILE_SET HEADERS)
install(
  EXPORT embedscale-targets
  NAMESPACE embedscale::
  DESTINATION "${package}")
install(FILES "${PROJECT_SOURCE_DIR}/cmake/FindRandom123.cmake" DESTINATION "${package}")

if(EMBEDSCALE_PROPERTIES)
  install(TARGETS embedscale_expected embedscale_expected_command
          EXPORT embedscale-properties-targets FILE_SET HEADERS)
  install(TARGETS embedscale_claims embedscale_evidence embedscale_exact embedscale_properties
          EXPORT embedscale-properties-targets)
  install(FILES "${PROJECT_SOURCE_DIR}/cmake/FindGMP.cmake"
                "${PROJECT_SOURCE_DIR}/cmake/FindMPFR.cmake" DESTINATION "${package}")
  install(
    EXPORT embedscale-properties-targets
    NAMESPACE embedscale::
    DESTINATION "${package}")
  install(
    DIRECTORY "${PROJECT_SOURCE_DIR}/properties/"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/embedscale/properties"
    FILES_MATCHING
    PATTERN "*.hpp"
    PATTERN "subject" EXCLUDE
    PATTERN "self_test" EXCLUDE
    PATTERN "expected" EXCLUDE
    PATTERN "test" EXCLUDE)
endif()

if(EMBEDSCALE_FAST)
  install(TARGETS embedscale_fast EXPORT embedscale-fast-targets FILE_SET HEADERS)
  install(
    EXPORT embedscale-fast-targets
    NAMESPACE embedscale::
    DESTINATION "${package}")
endif()

if(EMBEDSCALE_COMMAND)
  set(share "${CMAKE_INSTALL_DATADIR}/embedscale")
  install(TARGETS embedscale_command COMPONENT command)
  if(TARGET embedscale_check)
    install(TARGETS embedscale_check COMPONENT command)
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/properties/subject/clients" DESTINATION "${share}"
            COMPONENT command)
  endif()
  install(FILES "${PROJECT_SOURCE_DIR}/reports/release.json"
                "${PROJECT_SOURCE_DIR}/reports/results.json" DESTINATION "${share}"
          COMPONENT command)
  install(PROGRAMS "${PROJECT_SOURCE_DIR}/analyses/cite/cite.py" DESTINATION "${share}/cite"
          COMPONENT command)
  install(FILES "${PROJECT_SOURCE_DIR}/analyses/cite/published.py" DESTINATION "${share}/cite"
          COMPONENT command)
  install(
    DIRECTORY "${PROJECT_SOURCE_DIR}/analyses/systems" "${PROJECT_SOURCE_DIR}/analyses/model_types"
    DESTINATION "${share}"
    COMPONENT command
    FILES_MATCHING
    PATTERN "*.toml")
  if(EMBEDSCALE_MAN_PAGE)
    install(FILES "${EMBEDSCALE_MAN_PAGE}" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1"
            COMPONENT command)
  endif()
  if(EMBEDSCALE_COMPLETIONS) # where each shell of Debian looks
    foreach(completion IN ITEMS bash-completion/completions/embedscale
                                zsh/vendor-completions/_embedscale
                                fish/vendor_completions.d/embedscale.fish)
      get_filename_component(place "${CMAKE_INSTALL_DATADIR}/${completion}" DIRECTORY)
      install(FILES "${EMBEDSCALE_COMPLETIONS}/${completion}" DESTINATION "${place}"
              COMPONENT command)
    endforeach()
  endif()
endif()

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/embedscale-config.cmake.in"
                              "${PROJECT_BINARY_DIR}/embedscale-config.cmake"
                              INSTALL_DESTINATION "${package}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/embedscale-config-version.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/embedscale-config.cmake"
              "${PROJECT_BINARY_DIR}/embedscale-config-version.cmake" DESTINATION "${package}")
