# Debian packages by CPack, a component each: embedscale, the command, and libembedscale-dev. The
# first depends on the libraries that it is linked to, the other on what its headers and archives
# need of each component of find_package.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "embedscale")
set(CPACK_PACKAGE_CONTACT "embedscale maintainers <maintainers@users.noreply.embedscale.example>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_SOURCE_DIR}/build")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL command development)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME embedscale)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS python3) # embedscale cite, the clients
set(CPACK_COMPONENT_COMMAND_DESCRIPTION
    "The command audits and ports configurations, tries functions of any language
under the properties of the project, and checks what documentation says of its
claims.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libembedscale-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(needed librandom123-dev)
if(EMBEDSCALE_PROPERTIES)
  list(APPEND needed libboost-dev libgmp-dev libgtest-dev libmpfr-dev librapidcheck-dev)
endif()
if(EMBEDSCALE_FAST)
  list(APPEND needed libhwy-dev libtbb-dev)
endif()
list(JOIN needed ", " CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "Headers of the primitives, the compiled properties that try to refute claims
about them, and the vector versions.")

# What Debian has beside each package's files: its licence, and a changelog, which tells where ours
# is.
find_program(EMBEDSCALE_GZIP gzip)
mark_as_advanced(EMBEDSCALE_GZIP)
if(NOT EMBEDSCALE_GZIP)
  return()
endif()
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(part IN ITEMS COMMAND DEVELOPMENT)
  set(name "${CPACK_DEBIAN_${part}_PACKAGE_NAME}")
  string(TOLOWER ${part} component)
  set(changelog "${PROJECT_BINARY_DIR}/package/${name}/changelog")
  file(WRITE "${changelog}" "embedscale (${PROJECT_VERSION}) unstable; urgency=medium\n\n"
    "  * ${PROJECT_HOMEPAGE_URL}/blob/main/CHANGELOG.md\n\n"
    " -- ${CPACK_PACKAGE_CONTACT}  ${now}\n")
  execute_process(COMMAND "${EMBEDSCALE_GZIP}" -9nf "${changelog}" COMMAND_ERROR_IS_FATAL ANY)
  install(FILES "${changelog}.gz" DESTINATION "share/doc/${name}" COMPONENT ${component})
  install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "share/doc/${name}" RENAME copyright
          COMPONENT ${component})
endforeach()
include(CPack)
