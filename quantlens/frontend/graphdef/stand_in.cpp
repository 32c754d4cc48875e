// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "quantlens/frontend/graphdef/encode.h"
#include "quantlens/frontend/graphdef/graphdef.h"
#include "quantlens/frontend/graphdef/source.h"
#include "quantlens/frontend/probe_models.h"

namespace quantlens::graphdef {
namespace {

Type type_number(DType dtype) {
  return static_cast<Type>(number_of_dtype(dtype));
}

}  // namespace

Model stand_in(const Model& model) {
  Pieces bytes;
  for (const ValueInfo& input : model.graph.inputs) {
    AttributeWriter attributes;
    attributes.type("dtype", type_number(*input.dtype));
    bytes.field(GraphDef::node, encode(NewNode{.name = input.name,
                                               .type = "Placeholder",
                                               .inputs = {},
                                               .attributes = attributes.take()}));
  }
  const ValueInfo& first = model.graph.inputs.front();
  AttributeWriter attributes;
  attributes.type("T", type_number(*first.dtype)).type("out_type", type_number(DType::int64));
  bytes.field(GraphDef::node, encode(NewNode{.name = frontend::kStandInValue,
                                             .type = "Shape",
                                             .inputs = {first.name},
                                             .attributes = attributes.take()}));
  Fields fields(model.file.text());
  for (Field field; fields.next(field);) {
    if (field.key == bytes_key(GraphDef::versions)) bytes.view(field.whole);
  }
  return read(model.path, MappedFile::from_bytes(bytes.str()));
}

}  // namespace quantlens::graphdef
