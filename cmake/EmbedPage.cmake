# cmake -DDIST=... -DOUTPUT=... -P EmbedPage.cmake: writes the texts in DIST as C++. Arrays of numbers, because compilers
# limit the length of string literals.
set(Code "#include \"PageBundle.h\"\n\nnamespace picket::bundle {\n\n")
foreach(Text "Template=template.html" "Style=page.css" "Script=page.js")
  string(REGEX MATCH "^([A-Za-z]+)=(.*)$" Ignored ${Text})
  set(Name ${CMAKE_MATCH_1})
  file(READ ${DIST}/${CMAKE_MATCH_2} Bytes HEX)
  string(REGEX REPLACE "(................................................................)" "\\1\n" Bytes "${Bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," Bytes "${Bytes}")
  string(APPEND Code "static const char ${Name}Bytes[] = {\n${Bytes}0};\n"
    "const std::string_view ${Name}(${Name}Bytes, sizeof ${Name}Bytes - 1);\n\n")
endforeach()
file(WRITE ${OUTPUT} "${Code}} // namespace picket::bundle\n")
