# cmake -DSOURCE=... -DBUILD=... -DNPM=... -P TestPage.cmake: runs the tests of the counterexample page in its build directory.
foreach(Part src scripts test)
  file(REMOVE_RECURSE ${BUILD}/${Part})
  file(COPY ${SOURCE}/${Part} DESTINATION ${BUILD})
endforeach()
execute_process(COMMAND ${NPM} test --silent WORKING_DIRECTORY ${BUILD} RESULT_VARIABLE Failed)
if(Failed)
  message(FATAL_ERROR "the tests of the counterexample page failed")
endif()
