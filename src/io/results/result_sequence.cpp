#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "cuttle/error.h"
#include "cuttle/io/result_file.h"
#include "io/results/csv_field.h"
#include "io/results/result_block.h"

namespace cuttle {
namespace {

template <typename Named>
const Named& named(const std::vector<Named>& all, const std::string& name, ResultSequence::Kind kind) {
  for (const Named& one : all) {
    if (one.name == name) return one;
  }
  throw ArgumentError(fmt::format("result: found no {}/{}, expected one", sequence_kind_name(kind), name));
}

std::size_t row_of(const Sample& sample) { return static_cast<std::size_t>(sample.time); }

}  // namespace

const char* sequence_kind_name(ResultSequence::Kind kind) {
  switch (kind) {
    case ResultSequence::Kind::path:
      return "path";
    case ResultSequence::Kind::table:
      return "table";
    case ResultSequence::Kind::modes:
      return "modes";
    case ResultSequence::Kind::simulation:
      break;
  }
  return "simulation";
}

const SequenceColumn& ResultSequence::column(const std::string& name) const { return named(columns, name, kind); }
const SequenceVector& ResultSequence::vector(const std::string& name) const { return named(vectors, name, kind); }

void check_sequence(const ResultSequence& sequence, std::size_t rows) {
  const auto check = [&](const std::string& name, std::size_t found) {
    if (found == rows) return;
    throw ArgumentError(fmt::format("result: {}/{}: found {} rows, expected {}, as there are samples",
                                    sequence_kind_name(sequence.kind), name, found, rows));
  };
  for (const SequenceColumn& column : sequence.columns) check(column.name, column.values.size());
  for (const SequenceVector& vector : sequence.vectors) {
    check(vector.name, static_cast<std::size_t>(vector.values.rows()));
  }
}

std::vector<ResultBlock> sequence_blocks(const ResultSequence& sequence) {
  std::vector<ResultBlock> blocks;
  const std::string group = std::string(sequence_kind_name(sequence.kind)) + "/";
  for (const SequenceColumn& column : sequence.columns) {
    ResultBlock block{
        group + column.name, true, {{column.name, column.unit, column.name}}, [&column](const Sample& s, double* row) {
          *row = column.values[row_of(s)];
        }};
    block.labels = column.labels;
    blocks.push_back(std::move(block));
  }
  for (const SequenceVector& vector : sequence.vectors) {
    ResultBlock block{group + vector.name, false, {}, [&vector](const Sample& s, double* row) {
                        const auto values = vector.values.row(static_cast<Eigen::Index>(row_of(s)));
                        std::copy(values.begin(), values.end(), row);
                      }};
    for (std::size_t i = 0; i < vector.columns.size(); ++i) {
      block.columns.push_back({vector.columns[i], vector.units[i], vector.name + "." + vector.columns[i]});
    }
    blocks.push_back(std::move(block));
  }
  return blocks;
}

std::string sequence_csv(const Model& model, const ResultSequence& sequence, const std::vector<Sample>& samples) {
  check_sequence(sequence, samples.size());
  std::vector<ResultBlock> blocks;
  for (ResultBlock& block : result_blocks(model, {})) {
    if (!block.quantity->of_motion) blocks.push_back(std::move(block));
  }
  std::string text;
  const auto cell = [&text](const std::string& value) {
    if (!text.empty() && text.back() != '\n') text += ',';
    text += value;
  };
  for (const SequenceColumn& column : sequence.columns) cell(csv_field(column.name));
  for (const SequenceVector& vector : sequence.vectors) {
    for (const std::string& name : vector.columns) cell(csv_field(vector.name + "." + name));
  }
  std::size_t widest = 1;
  for (const ResultBlock& block : blocks) {
    for (const auto& column : block.columns) cell(csv_field(column.header));
    widest = std::max(widest, block.width());
  }
  text += '\n';
  std::vector<double> row(widest);
  const auto number = [&text](double value, bool first) {
    if (!first) text += ',';
    if (!std::isnan(value)) fmt::format_to(std::back_inserter(text), "{:.17g}", value);
  };
  for (std::size_t i = 0; i < samples.size(); ++i) {
    bool first = true;
    for (const SequenceColumn& column : sequence.columns) {
      const double value = column.values[i];
      if (column.labels.empty()) {
        number(value, first);
      } else {
        if (!first) text += ',';
        text += csv_field(column.labels[static_cast<std::size_t>(value)]);
      }
      first = false;
    }
    for (const SequenceVector& vector : sequence.vectors) {
      for (const double value : vector.values.row(static_cast<Eigen::Index>(i))) number(value, first), first = false;
    }
    for (const ResultBlock& block : blocks) {
      block.read(samples[i], row.data());
      for (std::size_t c = 0; c < block.width(); ++c) number(row[c], first), first = false;
    }
    text += '\n';
  }
  return text;
}

}  // namespace cuttle
