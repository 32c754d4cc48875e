// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantlens/report/profile_tables.h"
#include "quantlens/report/tables.h"

namespace quantlens {

/// How a run is shown.
struct RunView {
  ActivationOrder order = ActivationOrder::sqnr;
  ProfileRows rows = ProfileRows::nodes;
  bool markdown = false;  ///< tables in Markdown; else for a terminal, by `text`
  TextOptions text;
};

/// A table in that form, ended by a newline.
inline std::string shown(const Table& table, const RunView& view) {
  return view.markdown ? to_markdown(table) + "\n" : to_text(table, view.text);
}

}  // namespace quantlens
