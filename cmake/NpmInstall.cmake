# picket_npm_install(SOURCE BUILD COMMENT [options of npm ci]): a rule that installs what SOURCE/package-lock.json lists into
# BUILD/node_modules. It makes the file BUILD/installed, on which whatever needs the packages has to depend, in the same
# CMakeLists.txt. NPM is the program.
find_program(NPM npm)
if(NOT NPM)
  message(FATAL_ERROR "npm was not found. The page that shows counterexamples is built with it: "
    "install Node.js (18 or newer) and npm, for example with scripts/install-deps.")
endif()

function(picket_npm_install Source Build Comment)
  set(Package ${Source}/package.json ${Source}/package-lock.json)
  add_custom_command(
    OUTPUT ${Build}/installed
    COMMAND ${CMAKE_COMMAND} -E make_directory ${Build}
    COMMAND ${CMAKE_COMMAND} -E copy ${Package} ${Build}
    COMMAND ${CMAKE_COMMAND} -E chdir ${Build} ${NPM} ci --silent --no-audit --no-fund --prefer-offline ${ARGN}
    COMMAND ${CMAKE_COMMAND} -E touch ${Build}/installed
    DEPENDS ${Package}
    COMMENT "${Comment}" VERBATIM)
endfunction()
