#include <onnx/checker.h>
#include <onnx/shape_inference/implementation.h>

#include <exception>
#include <iostream>

/// Has ONNX's own library look at files: whether they are models, and whether the types and shapes of all tensors fit.
///
///   onnx_checker FILE...
int main(int argc, char** argv) try {
  for (int i = 1; i < argc; ++i) {
    const std::string file = argv[i];
    onnx::checker::check_model(file);
    constexpr bool kCheckTypes = true;
    constexpr int kStrict = 1;
    onnx::shape_inference::InferShapes(file, file + ".inferred", onnx::OpSchemaRegistry::Instance(),
                                       {kCheckTypes, kStrict, /*data_propagation=*/true});
  }
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
