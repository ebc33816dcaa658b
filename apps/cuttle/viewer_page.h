#pragma once

#include <string_view>

namespace cuttle {

/// The viewer's page: one HTML file that needs nothing else, built from viewer/ and embedded in this program. What it
/// shows is the JSON of viewer/src/contract.ts in the place of its line
/// `<script type="application/json" id="cuttle-page">null</script>`. Unpacked at the first call.
std::string_view viewer_page();

}  // namespace cuttle
