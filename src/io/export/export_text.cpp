// What texts of all formats share: numbers and meshes.
#include <fmt/format.h>

#include "io/export/export_tree.h"

namespace cuttle {

std::string number_list(const std::vector<double>& numbers) {
  std::string text;
  for (const double number : numbers) text += fmt::format("{}{}", text.empty() ? "" : " ", number + 0.0);  // no -0
  return text;
}

std::string vector_text(const Vector3& v) { return number_list({v.x, v.y, v.z}); }

std::string mesh_file(const TriangleMesh& mesh, const std::string& name, FileTexts& files) {
  std::string text;
  for (const Vector3& p : mesh.points) text += "v " + vector_text(p) + "\n";
  for (const auto& corners : mesh.triangles) {
    text += fmt::format("f {} {} {}\n", corners[0] + 1, corners[1] + 1, corners[2] + 1);
  }
  for (const auto& [file, known] : files) {
    if (known == text) return file;
  }
  std::string plain;
  for (const char letter : name) plain += letter == '/' || letter == ' ' ? '_' : letter;
  std::string file = plain + ".obj";
  for (int i = 1; files.count(file) > 0; ++i) file = fmt::format("{}_{}.obj", plain, i);
  files[file] = std::move(text);
  return file;
}

}  // namespace cuttle
