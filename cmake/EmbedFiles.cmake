# Writes a C++ file that holds other files as text; see src/page/page.hpp.
#
#   cmake -D ROOT=DIR -D FILES=src/a.cpp,src/b.hpp -D OUTPUT=embedded_files.cpp -P EmbedFiles.cmake

string(REPLACE "," ";" files "${FILES}")
set(text "// Made by cmake/EmbedFiles.cmake.\n#include \"page/page.hpp\"\n\n")
string(APPEND text "namespace glassformer {\n\n")
string(APPEND text "const std::map<std::string_view, std::string_view>& embedded_files() {\n")
string(APPEND text "  static const std::map<std::string_view, std::string_view> files{\n")
foreach(file IN LISTS files)
  file(READ "${ROOT}/${file}" content)
  string(APPEND text "      {\"${file}\", R\"__EMBED__(${content})__EMBED__\"},\n")
endforeach()
string(APPEND text "  };\n  return files;\n}\n\n}  // namespace glassformer\n")
file(WRITE "${OUTPUT}" "${text}")
