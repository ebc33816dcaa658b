#include "doc.h"

#include <deque>
#include <string>

namespace cuttle::python {

const char* doc(Documented entity, const char* more) {
  static std::deque<std::string> texts;  // a deque: those that are there stay where they are
  std::string text = entity.text();
  const std::size_t line = text.find("\n---");  // under the title of the first section: parameters, ..
  if (line == std::string::npos) return texts.emplace_back(text + "\n\n" + more).c_str();
  const std::size_t end =
      line > 0 ? text.rfind('\n', line - 1) : std::string::npos;  // .. that stands after an empty line
  return texts.emplace_back(text.insert(end == std::string::npos ? 0 : end + 1, std::string(more) + "\n\n")).c_str();
}

}  // namespace cuttle::python
