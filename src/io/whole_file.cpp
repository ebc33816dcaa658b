#include "cuttle/io/whole_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "cuttle/error.h"
#include "io/results/output_file.h"

namespace cuttle {

void write_whole_file(const std::string& path, std::string_view bytes) {
  OutputFile output(path);
  output.prepare();
  std::ofstream file(output.current(), std::ios::binary);
  if (!file) throw FileError(path + ": cannot create the file: " + std::strerror(errno));
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) throw FileError(path + ": cannot be written: " + std::strerror(errno));
  output.keep();
}

}  // namespace cuttle
