#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace glassformer {

/// If the first bytes of a file are those of another format: its name, and how to turn it into UTF-8 text, such
/// as "UTF-16; convert it with iconv -f UTF-16 -t UTF-8". Recognises UTF-16 and UTF-32 (with and without a byte order
/// mark), compressed files, archives, PDF and Office documents. std::nullopt for text, and for any other format.
std::optional<std::string> other_format(std::string_view beginning);

/// A hint for a line that is not UTF-8: the command that converts it, if it may be Windows-1252 or Latin-1, where
/// each letter of a Western European language is one byte; otherwise "".
std::string hint_about_encoding(std::string_view line);

}  // namespace glassformer
