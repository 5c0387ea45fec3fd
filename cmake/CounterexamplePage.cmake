# Builds counterexample-page/ with npm, in a copy in the build directory, and turns what comes out into C++.
# Afterwards PAGE_BUNDLE_SOURCE names the generated file, which defines the texts of server/PageBundle.h.

set(PAGE_SOURCE_DIR ${CMAKE_SOURCE_DIR}/counterexample-page)
set(PAGE_BUILD_DIR ${CMAKE_BINARY_DIR}/counterexample-page)
set(PAGE_BUNDLE_SOURCE ${PAGE_BUILD_DIR}/PageBundle.cpp)
set(PAGE_DIST ${PAGE_BUILD_DIR}/dist/template.html ${PAGE_BUILD_DIR}/dist/page.css ${PAGE_BUILD_DIR}/dist/page.js)

file(GLOB PAGE_SOURCES CONFIGURE_DEPENDS ${PAGE_SOURCE_DIR}/src/* ${PAGE_SOURCE_DIR}/scripts/*)

picket_npm_install(${PAGE_SOURCE_DIR} ${PAGE_BUILD_DIR} "Installing what the counterexample page is built with")
add_custom_command(
  OUTPUT ${PAGE_DIST}
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${PAGE_BUILD_DIR}/src ${PAGE_BUILD_DIR}/scripts ${PAGE_BUILD_DIR}/dist
  COMMAND ${CMAKE_COMMAND} -E copy_directory ${PAGE_SOURCE_DIR}/src ${PAGE_BUILD_DIR}/src
  COMMAND ${CMAKE_COMMAND} -E copy_directory ${PAGE_SOURCE_DIR}/scripts ${PAGE_BUILD_DIR}/scripts
  COMMAND ${CMAKE_COMMAND} -E chdir ${PAGE_BUILD_DIR} ${NPM} run --silent build
  DEPENDS ${PAGE_BUILD_DIR}/installed ${PAGE_SOURCES}
  COMMENT "Building the counterexample page" VERBATIM)
picket_embed(${PAGE_BUNDLE_SOURCE} PageBundle.h picket::bundle Template=${PAGE_BUILD_DIR}/dist/template.html
  Style=${PAGE_BUILD_DIR}/dist/page.css Script=${PAGE_BUILD_DIR}/dist/page.js)

# In a browser: see counterexample-page/test.
add_test(NAME Page.Tests COMMAND ${CMAKE_COMMAND} -DSOURCE=${PAGE_SOURCE_DIR} -DBUILD=${PAGE_BUILD_DIR}
  -DPARTS=src,scripts,test -DNPM=${NPM} -P ${CMAKE_SOURCE_DIR}/cmake/NpmTest.cmake)
set_tests_properties(Page.Tests PROPERTIES LABELS full)
