// What is asked below /api/: a table of routes over a workspace. It knows no socket, computes
// nothing that could have been stored, and reads no more of a record than is asked for. Start with
// routes.cpp, which is the table.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "quantlens/workspace/workspace.h"
#include "server/api/answer.h"
#include "server/api/answer_cache.h"
#include "server/api/context.h"
#include "server/events.h"
#include "server/request.h"

namespace quantlens::server {

struct ApiOptions {
  std::size_t most_cached_bytes = std::size_t{32} << 20;  ///< of answers that are kept
  Jobs* jobs = nullptr;                                   ///< null: none are run
};

/// Answers requests over one workspace. Called from several threads at once.
class Api {
 public:
  /// REQUIRES: the store is the disk. All must outlive this.
  Api(Store& store, Workspace& workspace, Events& events, const ApiOptions& options = {});

  /// Neither throws: what goes wrong is an answer.
  BodyPlan plan_body(const Request& request);
  Response answer(const Request& request);
  Runs& runs() { return runs_; }
  Context& context() { return context_; }

 private:
  Response routed(const Request& request);
  Response finished(const Answer& answer, const Request& request, const std::string& asked);
  Response refusal() const;
  Response told(unsigned status, std::string sentence) const;

  Workspace& workspace_;
  Runs runs_;
  Labels labels_;
  RowIndexes rows_;
  KeptIndexes indexes_;
  SampleNames samples_;
  Context context_;
  AnswerCache cache_;
};

}  // namespace quantlens::server
