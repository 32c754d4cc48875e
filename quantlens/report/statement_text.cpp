// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/statement_text.h"

#include <string_view>
#include <unordered_map>

#include "quantlens/base/json_line.h"
#include "quantlens/report/sentences/sentences.h"

namespace quantlens {
namespace {

using Sentences = std::unordered_map<std::string_view, const Sentence*>;

const Sentences& all_sentences() {
  static const Sentences kAll = [] {
    Sentences all;
    for (const auto& group : {value_sentences(), model_sentences(), change_sentences(),
                              cause_sentences(), observation_sentences(), verdict_sentences(),
                              speed_sentences(), comparison_sentences()}) {
      for (const Sentence& one : group) all.emplace(one.says, &one);
    }
    return all;
  }();
  return kAll;
}

std::string sentence_of(const Statement& statement) {
  const auto found = all_sentences().find(statement.says);
  if (found != all_sentences().end()) return found->second->sentence(Figures(statement));
  return statement.says + " " + json::line(json::encode(statement.figures));
}

/// Some sentences of findings begin sentences of the verdict.
void raise_first(std::string& sentence) {
  if (sentence.empty() || sentence.front() < 'a' || sentence.front() > 'z') return;
  sentence.front() = static_cast<char>(sentence.front() - 'a' + 'A');
}

}  // namespace

std::string text_of(std::span<const Statement> statements) {
  std::string text;
  bool begins = false;
  for (const Statement& statement : statements) {
    std::string sentence = sentence_of(statement);
    if (begins) raise_first(sentence);
    begins = statement.says == "begin";
    text += sentence;
  }
  return text;
}

boost::json::object diagnosis_json(const Diagnosis& diagnosis) {
  boost::json::object object = json::encode(diagnosis).as_object();
  object["verdict"] = text_of(diagnosis.conclusions);
  boost::json::array& findings = object["findings"].as_array();
  for (std::size_t i = 0; i < findings.size(); ++i) {
    findings[i].as_object()["because"] = text_of(diagnosis.findings[i].reasons);
  }
  return object;
}

}  // namespace quantlens
