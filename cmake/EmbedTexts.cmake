# cmake -DOUTPUT=file.cpp -DHEADER=file.h -DNAMESPACE=... -DTEXTS=Name=file,Name=file -P EmbedTexts.cmake: writes the texts of files as
# C++, as the std::string_views that the header declares. Arrays of numbers, because compilers limit the length of string literals.
set(Code "#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n\n")
string(REPLACE "," ";" TEXTS "${TEXTS}")
foreach(Text ${TEXTS})
  string(REGEX MATCH "^([A-Za-z]+)=(.*)$" Ignored ${Text})
  set(Name ${CMAKE_MATCH_1})
  file(READ ${CMAKE_MATCH_2} Bytes HEX)
  string(REGEX REPLACE "(................................................................)" "\\1\n" Bytes "${Bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," Bytes "${Bytes}")
  string(APPEND Code "static const char ${Name}Bytes[] = {\n${Bytes}0};\n"
    "const std::string_view ${Name}(${Name}Bytes, sizeof ${Name}Bytes - 1);\n\n")
endforeach()
file(WRITE ${OUTPUT} "${Code}} // namespace ${NAMESPACE}\n")
