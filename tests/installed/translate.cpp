#include <iostream>

#include "glassformer/evaluation/evaluation.hpp"
#include "glassformer/setup/loaded_model.hpp"

int main(int, char** argv) {
  const glassformer::LoadedModel loaded(argv[1]);
  const std::string line = "she sleeps .";
  std::cout << translate_lines(loaded.model, loaded.tokenizers, loaded.config.decoding, {&line, 1}).front();
}
