#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cuttle/identification/identification.h"
#include "cuttle/io/visual.h"

namespace cuttle {

/// What a page about an identification shows.
struct IdentificationPage {
  struct Data {
    std::string rows;   ///< fitted | left out | held out
    std::string label;  ///< as it stands in the output
    Experiment* experiment;
    const ExperimentFit* fit;
  };
  std::string title;
  const FreedRobot& robot;  ///< with what was found
  std::vector<LinkVisual> visuals;
  const Identification& found;
  std::vector<Data> data;
  std::optional<double> length;  ///< errors in percent of it [m]
};

/// One HTML file that needs nothing else: numbers with intervals, what the data cannot tell, how far model and data are
/// apart, data and model over each other in 3D, and residuals by channel.
std::string identification_page(const IdentificationPage& page);

}  // namespace cuttle
