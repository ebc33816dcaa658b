#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "view/shaded_mesh.h"

namespace cuttle {

/// A glTF 2.0 document that is being written: its JSON, and the one buffer with all numbers.
class GltfFile {  // NOLINT(bugprone-exception-escape): checks of the JSON library in its move
 public:
  using Json = nlohmann::ordered_json;
  enum class Use { none, vertices, indices };

  Json root;  ///< nodes, meshes, .. as they are added

  /// Adds an entry to one of the root's lists. @return its index.
  int add(const char* list, Json entry);

  /// Accessors. `width`: numbers an element, 1, 3, 4 or 16. `bounds`: writes min and max, as positions and times need.
  int add_floats(std::span<const float> values, int width, Use use, bool bounds = false);
  int add_indices(const std::vector<std::uint32_t>& indices);
  int add_joints(const std::vector<std::array<std::uint16_t, 4>>& joints);

  /// Material of a color as seen on a screen (sRGB). @param rgb  0xrrggbb.
  int material(const std::string& name, unsigned rgb, double opacity = 1.0);

  /// Attributes POSITION, NORMAL and the indices of a mesh.
  Json primitive(const ShadedMesh& mesh, int material);

  /// The container: header, JSON, numbers.
  std::string binary() const;

 private:
  int add_bytes(std::string_view bytes, Use use);
  std::string bytes_;
};

}  // namespace cuttle
