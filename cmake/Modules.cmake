# The modules of the program. Each is a folder with a CMakeLists.txt that calls
#
#   picket_module(NAME [HOT] [DEPENDS module...] [LIBRARIES target...] SOURCES file...)
#
# and is compiled as the target module_NAME (with _ for each / of the name). DEPENDS names the modules whose headers it may include: all of
# them, since what they depend on in turn is not visible to it. They must have been declared before it, so there is no cycle. HOT:
# optimised as far as possible, and with profiles (cmake/training). LIBRARIES: of others.
#
# The declarations go to modules.json in the build folder. scripts/modules compares them with the sources before anything is compiled,
# and draws docs/images/modules.svg.

# picket_declare_module(NAME DEPENDS module... SOURCES file...): what a module is, without a target.
function(picket_declare_module Name)
  cmake_parse_arguments(PARSE_ARGV 1 Module "" "" "DEPENDS;SOURCES")
  foreach(Other ${Module_DEPENDS})
    get_property(Known GLOBAL PROPERTY PICKET_MODULE_NAMES)
    if(NOT Other IN_LIST Known)
      message(FATAL_ERROR "module ${Name} depends on ${Other}, which is not declared before it: see ${CMAKE_SOURCE_DIR}/CMakeLists.txt")
    endif()
  endforeach()
  file(RELATIVE_PATH Folder ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  list(TRANSFORM Module_SOURCES PREPEND ${Folder}/)
  foreach(List DEPENDS SOURCES)
    set(${List} "")
    if(Module_${List})
      list(JOIN Module_${List} "\", \"" Joined)
      set(${List} "\"${Joined}\"")
    endif()
  endforeach()
  set_property(GLOBAL APPEND PROPERTY PICKET_MODULE_NAMES ${Name})
  set_property(GLOBAL APPEND PROPERTY PICKET_MODULES
    "{\"name\": \"${Name}\", \"folder\": \"${Folder}\", \"depends\": [${DEPENDS}], \"sources\": [${SOURCES}]}")
endfunction()

function(picket_module Name)
  cmake_parse_arguments(PARSE_ARGV 1 Module "HOT" "" "DEPENDS;LIBRARIES;SOURCES")
  picket_declare_module(${Name} DEPENDS ${Module_DEPENDS} SOURCES ${Module_SOURCES})
  if(NOT Module_SOURCES) # headers only
    return()
  endif()
  string(REPLACE / _ Target module_${Name})
  add_library(${Target} OBJECT ${Module_SOURCES})
  target_link_libraries(${Target} PRIVATE picket_options ${Module_LIBRARIES})
  add_dependencies(${Target} picket_modules_checked)
  if(Module_HOT)
    picket_optimise(${Target} ${Module_SOURCES})
    list(TRANSFORM Module_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    set_property(GLOBAL APPEND PROPERTY PICKET_HOT_SOURCES ${Module_SOURCES})
    set_property(GLOBAL APPEND PROPERTY PICKET_HOT_OBJECTS $<TARGET_OBJECTS:${Target}>)
  else()
    set_property(GLOBAL APPEND PROPERTY PICKET_OBJECTS $<TARGET_OBJECTS:${Target}>)
  endif()
endfunction()

# picket_take_objects(HOT|"" VARIABLE): the objects of the modules declared since the last time.
macro(picket_take_objects Which Variable)
  get_property(${Variable} GLOBAL PROPERTY PICKET_${Which}OBJECTS)
  set_property(GLOBAL PROPERTY PICKET_${Which}OBJECTS)
endmacro()

# picket_check_modules(): writes modules.json, after all modules were declared, and adds the target that compares it with the sources.
function(picket_check_modules)
  get_property(All GLOBAL PROPERTY PICKET_MODULES)
  list(JOIN All ",\n  " All)
  set(Description ${CMAKE_BINARY_DIR}/modules.json)
  file(CONFIGURE OUTPUT ${Description} CONTENT "[\n  @All@\n]\n" @ONLY)
  set(Stamp ${CMAKE_BINARY_DIR}/modules.checked)
  add_custom_command(OUTPUT ${Stamp}
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/scripts/modules check --description ${Description} --stamp ${Stamp}
    DEPENDS ${Description} ${CMAKE_SOURCE_DIR}/scripts/modules DEPFILE ${Stamp}.d
    COMMENT "Comparing includes with the modules' dependencies" VERBATIM)
  add_custom_target(picket_modules_checked DEPENDS ${Stamp})
endfunction()
