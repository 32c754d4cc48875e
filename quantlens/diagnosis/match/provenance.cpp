// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/match/provenance.h"

#include "quantlens/base/error.h"
#include "quantlens/base/json.h"

namespace quantlens {

Provenance read_provenance(const Model& quantized) {
  Provenance provenance;
  const auto found = quantized.metadata.find("quantlens.names");
  if (found == quantized.metadata.end()) return provenance;
  json::Value document;
  try {
    document = json::parse(found->second, "quantlens.names");
  } catch (const Error&) {
    return provenance;
  }
  const auto* object = document.if_object();
  const json::Value* values = object ? object->if_contains("values") : nullptr;
  if (!values || !values->is_object()) return provenance;
  for (const auto& entry : values->get_object()) {
    if (entry.value().is_string()) {
      provenance.values[std::string(entry.key())] = std::string(entry.value().get_string());
    }
  }
  return provenance;
}

}  // namespace quantlens
