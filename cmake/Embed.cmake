# picket_embed(OUTPUT HEADER NAMESPACE Name=file...): a rule that makes OUTPUT, a C++ file that defines the texts of files, which HEADER
# declares as std::string_views.
function(picket_embed Output Header Namespace)
  set(Texts)
  set(Files)
  foreach(Text ${ARGN})
    string(REGEX MATCH "^([A-Za-z]+)=(.*)$" Ignored ${Text})
    get_filename_component(File ${CMAKE_MATCH_2} ABSOLUTE)
    list(APPEND Texts ${CMAKE_MATCH_1}=${File})
    list(APPEND Files ${File})
  endforeach()
  list(JOIN Texts "," Texts)
  get_filename_component(Name ${Output} NAME)
  add_custom_command(OUTPUT ${Output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${Output} -DHEADER=${Header} -DNAMESPACE=${Namespace} -DTEXTS=${Texts}
      -P ${CMAKE_SOURCE_DIR}/cmake/EmbedTexts.cmake
    DEPENDS ${Files} ${CMAKE_SOURCE_DIR}/cmake/EmbedTexts.cmake
    COMMENT "Embedding texts: ${Name}" VERBATIM)
endfunction()
