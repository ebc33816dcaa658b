#pragma once

#include "bodies/body_packing.h"
#include "bodies/rod/rod_tables.h"

namespace cuttle {

class RodPacking final : public BodyPacking {
 public:
  static constexpr std::string_view k_kind = "rod";

  explicit RodPacking(const RodTables<double>& tables) : tables_(&tables) {}

  std::string_view kind() const override { return k_kind; }
  std::string difference(const BodyPacking& other) const override;
  /// Where its steps start and which of them end at ports.
  std::vector<std::size_t> arrangement() const override;

  const RodTables<double>& tables() const { return *tables_; }

 private:
  const RodTables<double>* tables_;
};

}  // namespace cuttle
