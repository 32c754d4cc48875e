// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/demo_text.h"

#include <fmt/format.h>

#include "quantlens/report/diagnosis_text.h"

namespace quantlens {

DemoSummary demo_summary(const RunRecords& per_tensor, const RunRecords& per_channel) {
  DemoSummary summary;
  BrokenDemoRun& broken = summary.per_tensor;
  broken.workload = per_tensor.run.id;
  broken.accuracy = per_tensor.accuracy.value();
  broken.worst_op = per_tensor.diagnosis.value().activations.at(0).op.name;
  broken.worst_weight = per_tensor.diagnosis->weights.at(0).op.name;
  summary.per_channel = {.workload = per_channel.run.id, .accuracy = per_channel.accuracy.value()};
  return summary;
}

std::string demo_text(const RunRecords& per_tensor, const RunRecords& per_channel,
                      const RunView& view) {
  const Diagnosis& diagnosis = per_tensor.diagnosis.value();
  const WeightRow& weight = diagnosis.weights.at(0);
  const std::string between(view.markdown ? "" : "\n");  // paragraphs of Markdown end in one
  const auto sentence = [&](const std::string& text) {
    return told_paragraph(text, view) + between;
  };
  return sentence(
             "A small digit classifier with one outlier channel, quantized with one scale per "
             "weight tensor:") +
         told(accuracy_text(per_tensor.accuracy.value()), view) + between +
         diagnosis_text(diagnosis, view) + between +
         sentence(fmt::format(
             "The first row names the culprit: {}. Its weight {} has a channel {:.0f} times as "
             "wide "
             "as the median one, so one scale for all of them leaves the others hardly any codes. "
             "With one scale per channel:",
             diagnosis.activations.at(0).op.name, weight.weight, weight.channel_spread)) +
         told(accuracy_text(per_channel.accuracy.value()), view);
}

}  // namespace quantlens
