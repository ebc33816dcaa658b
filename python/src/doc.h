#pragma once

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "docstrings.h"

namespace cuttle::python {

/// Something of the public headers that has a comment, by its C++ name: "Model::nq". A name that is none does not
/// compile.
class Documented {
 public:
  consteval Documented(const char* name)  // NOLINT(google-explicit-constructor): doc("Model::nq")
      : text_(found(name)) {}
  const char* text() const { return text_; }

 private:
  static consteval const char* found(std::string_view name) {
    const auto* entry = std::ranges::lower_bound(k_docstrings, name, {}, &Docstring::name);
    if (entry == std::end(k_docstrings) || entry->name != name) throw std::out_of_range("no comment of that name");
    return entry->text;
  }
  const char* text_;
};

/// The docstring that scripts/make_docstrings.py made of its comment.
inline const char* doc(Documented entity) { return entity.text(); }
/// .. and what Python adds to it or does otherwise, before parameters and errors. Kept until the program ends.
const char* doc(Documented entity, const char* more);

}  // namespace cuttle::python
