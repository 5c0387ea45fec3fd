# cmake -DSOURCE=... -DBUILD=... -DPARTS=a,b -DNPM=... -P NpmTest.cmake: copies parts of SOURCE to BUILD, where packages are
# installed, and runs `npm test` there.
string(REPLACE "," ";" Parts ${PARTS})
foreach(Part ${Parts})
  file(REMOVE_RECURSE ${BUILD}/${Part})
  file(COPY ${SOURCE}/${Part} DESTINATION ${BUILD})
endforeach()
execute_process(COMMAND ${NPM} test --silent WORKING_DIRECTORY ${BUILD} RESULT_VARIABLE Failed)
if(Failed)
  message(FATAL_ERROR "the tests of ${SOURCE} failed")
endif()
