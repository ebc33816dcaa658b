#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/view/shown_run.h"

namespace CUTTLE_API cuttle {

struct ReportOptions {
  std::string title;  ///< empty: the runs' labels
  /// Most frames of each run that the page can draw; of a longer run they are evenly spaced, while plots have every
  /// sample.
  std::size_t frames = 1500;
};

/// The viewer's page with runs in it: one HTML file that needs nothing else.
/// @param page  the viewer as Vite builds it; its element `cuttle-page` receives the data.
/// @throws ArgumentError: no run, a run without samples, a page without that element.
std::string report_page(std::string_view page, const std::vector<ShownRun>& runs, const ReportOptions& options = {});

/// Puts data, an object of JSON, into the viewer's page.
std::string page_with_data(std::string_view page, const std::string& json);

}  // namespace cuttle
