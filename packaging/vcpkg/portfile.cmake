# An overlay port of the tree that it stands in: vcpkg install embedscale --overlay-ports=PATH
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
vcpkg_check_features(
  OUT_FEATURE_OPTIONS features
  FEATURES fast EMBEDSCALE_FAST
           properties EMBEDSCALE_PROPERTIES)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS ${features} -DEMBEDSCALE_ANALYSES=OFF -DEMBEDSCALE_COMMAND=OFF -DEMBEDSCALE_TESTS=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME embedscale CONFIG_PATH lib/cmake/embedscale)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
