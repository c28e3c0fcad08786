#include "glassformer/files/base64.hpp"

#include <openssl/evp.h>

#include <algorithm>

namespace glassformer {

std::string base64_of(std::span<const std::byte> bytes) {
  constexpr std::size_t kPiece = 3 << 20;  // OpenSSL counts in int; three bytes become four letters, without a rest
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');  // OpenSSL ends it with a NUL
  std::size_t written = 0;
  for (std::size_t begin = 0; begin < bytes.size(); begin += kPiece) {
    const std::span<const std::byte> piece = bytes.subspan(begin, std::min(kPiece, bytes.size() - begin));
    written += static_cast<std::size_t>(EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data() + written),
                                                        reinterpret_cast<const unsigned char*>(piece.data()),
                                                        static_cast<int>(piece.size())));
  }
  text.resize(written);
  return text;
}

}  // namespace glassformer
