// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "server/assets/assets.h"

namespace quantlens::server {

struct ReportPage {
  std::string title;
  std::string
      summary;       ///< plain text: what is read before the pages are there, and without scripts
  std::string data;  ///< of write_report_data, as Packed has it
};

/// The pages themselves in one file, with what they show inside, so that a browser opens it from
/// the disk with the network off. Throws Errc::unsupported for a program that was built without its
/// pages.
std::string report_page(const std::vector<Asset>& assets, const ReportPage& page);

}  // namespace quantlens::server
