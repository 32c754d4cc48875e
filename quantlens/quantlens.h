// The tour: every public noun and verb of quantlens, in the order in which a model flows through.
// Include the one header you need; include this one to look around. docs/architecture.md has the
// picture, each header its contracts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The order is that of the flow.
// clang-format off

// ---- What all the rest stands on
#include "quantlens/base/error.h"             // Error, Errc: the one exception; exit_code
#include "quantlens/base/progress.h"          // Progress: long work tells, and is stopped
#include "quantlens/base/store.h"             // Store, MappedFile; write_atomic
#include "quantlens/base/memory_store.h"      // MemoryStore: a Store without a disk, for tests
#include "quantlens/base/cores.h"             // Cores: the budget of threads; available_cores
#include "quantlens/base/json.h"              // json::encode, decode, dump, parse: records
#include "quantlens/base/yaml.h"              // parse_yaml: what people write, as a json::Value
#include "quantlens/base/text.h"              // numbers, names and hints as people read them

// ---- Numbers
#include "quantlens/tensor/dtype.h"           // DType: the element types
#include "quantlens/tensor/shape.h"           // Shape; element_count
#include "quantlens/tensor/tensor.h"          // Tensor, TensorMap: shaped, immutable, cheap to copy
#include "quantlens/tensor/npy.h"             // read_npy, write_npy: NumPy's file format
#include "quantlens/quant/scheme.h"           // Scheme: dtype, affine or not, axis, bits
#include "quantlens/quant/params.h"           // Range, QParams; choose_params, quantize, dequantize

// ---- A file becomes a Model
#include "quantlens/graph/kind.h"             // Kind: what an op does, in any framework
#include "quantlens/graph/model.h"            // Model, Graph, Node, ValueInfo; op_id, op_name
#include "quantlens/graph/order.h"            // GraphIndex: producers and uses; topological_order
#include "quantlens/frontend/frontend.h"      // frontend::read: any known format, found by content
#include "quantlens/runtime/formats.h"        // Formats: read and apply, of formats of workers, too

// ---- Data become batches
#include "quantlens/dataset/dataset.h"        // Dataset, Sample, InputSpec
#include "quantlens/dataset/open.h"           // open_data: what --data takes
#include "quantlens/dataset/reader.h"         // BatchReader, Batch: read ahead, in order, bounded

// ---- Models run; what their tensors hold is gathered while they do
#include "quantlens/stats/exact_sum.h"        // ExactSum: sums that no order of addition changes
#include "quantlens/stats/samples.h"          // SampleSet, WorstSamples; block_of
#include "quantlens/stats/moments.h"          // Moments: extremes, mean, variance, NaN, inf
#include "quantlens/stats/channel.h"          // ChannelMoments: the same for each index of an axis
#include "quantlens/stats/histogram.h"        // FloatHistogram, CodeHistogram
#include "quantlens/stats/pair_stats.h"       // PairStats: mse, sqnr_db, cosine, clip_rate
#include "quantlens/record/tap_state.h"       // TapState: all that taps gathered; to_bytes, merge
#include "quantlens/runtime/run.h"            // Run, TapSpec, Isolation: the seam where models run
#include "quantlens/runtime/open.h"           // open: one model, or two in lockstep; runtimes
#include "quantlens/runtime/remote/serve.h"   // serve: what a worker program calls
#include "quantlens/runtime/feed.h"           // feed: the one loop; FeedResult, OutputSink

// ---- Statistics become ranges, ranges a plan, the plan a file
#include "quantlens/record/recipe.h"          // Recipe: all that a user may ask of the quantizer
#include "quantlens/record/ranges.h"          // Ranges: what was chosen for each value
#include "quantlens/record/plan.h"            // Plan: what becomes int8, how, or why not
#include "quantlens/quantizer/recipe/read_recipe.h"  // read_recipe: YAML or JSON
#include "quantlens/quantizer/recipe/recipe_fragment.h" // with_fragment: a remedy laid over a recipe
#include "quantlens/calib/calibrate.h"        // calibrate: one pass over data
#include "quantlens/quant/distribution.h"     // Distribution: a value as searches for ranges see it
#include "quantlens/quantizer/ranges/choose_ranges.h"    // choose_ranges: statistics to ranges
#include "quantlens/quantizer/analyze/prepare.h"      // prepare: patterns, folds, float regions
#include "quantlens/quantizer/analyze/capability.h"   // Capabilities: what runtimes run in int8
#include "quantlens/quantizer/plan/make_plan.h"    // values_to_calibrate, make_plan: the decision
#include "quantlens/quantizer/plan/correct_bias.h" // correct_biases: what rounding shifts, taken back
// ... and frontend::apply, above, writes the Plan's model.

// ---- Two models become a diagnosis
#include "quantlens/record/pairing.h"         // Pairing: what stands for what, leftovers
#include "quantlens/record/diagnosis.h"       // Diagnosis: rows of activations and weights
#include "quantlens/record/statement.h"       // Statement: what findings say, by words and figures
#include "quantlens/diagnosis/match/pair.h"         // pair, taps_for
#include "quantlens/diagnosis/diagnose.h"     // diagnose: tables from what the taps gathered
#include "quantlens/diagnosis/judge.h"        // judge: a whole diagnosis of stored states

// ---- Answers become an accuracy
#include "quantlens/record/accuracy.h"        // Accuracy, AccuracyRecord, Flip
#include "quantlens/record/accuracy_state.h"  // AccuracyState: what an accuracy was made of
#include "quantlens/accuracy/metric.h"        // Metric, MetricFigure; parse_metric, make_metric
#include "quantlens/accuracy/evaluate.h"      // AccuracySink, AccuracyPairSink: sinks of feed
#include "quantlens/record/scores.h"          // Scores: what later models are paired with
#include "quantlens/accuracy/against_scores.h" // ScoresSink, AgainstScoresSink
#include "quantlens/accuracy/command.h"       // command_accuracy: a program says the figure
#include "quantlens/stats/rate_interval.h"   // rate_interval, paired_rate_interval: 95 %
#include "quantlens/stats/jackknife.h"        // jackknife_interval, SampleBlocks: of other figures
#include "quantlens/accuracy/correlation.h"   // ranks, spearman
#include "quantlens/accuracy/match_boxes.h"   // match_boxes, interpolated_precision: what map is of
#include "quantlens/accuracy/embedding_pairs.h"  // EmbeddingPairs: what spearman_cosine keeps

// ---- Models are timed
#include "quantlens/runtime/timed.h"          // TimedRun, open_timed: a model run for its time alone
#include "quantlens/runtime/workers.h"        // Workers: processes in which a job's models are timed
#include "quantlens/record/profile.h"         // Profile, NodeTime, OpTime, ProfileRecord
#include "quantlens/profiling/profile.h"      // profile: where the time goes
#include "quantlens/profiling/wall_time.h"    // wall_time, ratio_of_rounds: percentiles, intervals
#include "quantlens/profiling/attribute.h"    // attribute: which ops a node computes
#include "quantlens/profiling/pair/join.h"         // join: two models, op by op
#include "quantlens/profiling/pair/speed_findings.h" // speed_findings: why int8 is no faster
#include "quantlens/profiling/pair/try_remedies.h" // try_remedies: what makes it faster, timed
#include "quantlens/profiling/import/import.h"       // import_profile: what other tools have timed
#include "quantlens/profiling/trace.h"        // trace_json: for Perfetto

// ---- Recipes are searched
#include "quantlens/record/study.h"           // Goal, Trial, Study: what was asked, tried, found
#include "quantlens/tuning/space.h"           // Space: what may vary
#include "quantlens/tuning/goal.h"            // loss_of, is_within, is_better
#include "quantlens/record/prices.h"          // Prices: what each op's precision costs
#include "quantlens/tuning/prices.h"          // learn_prices, predict_us, cheapest
#include "quantlens/tuning/strategy.h"        // Search, Strategy: what to try next

// ---- Models are benchmarked
#include "quantlens/record/benchmark.h"       // Benchmark: latencies, samples a second, ratios
#include "quantlens/profiling/benchmark/rounds.h"       // time_loading: one model or two, anew
#include "quantlens/profiling/benchmark/core_layout.h"  // core_layout: which cores an instance is bound to
#include "quantlens/profiling/benchmark/topology.h"     // read_topology: nodes and hyperthreads
#include "quantlens/profiling/benchmark/instances.h"    // Instances: processes that time at the same time
#include "quantlens/profiling/benchmark/instance.h"     // serve_instance: what such a process does
#include "quantlens/profiling/benchmark/benchmark.h"    // benchmark_result, benchmark_ratio

// ---- Records become tables, and stay on disk
#include "quantlens/report/table.h"           // Table; to_text, to_csv, to_markdown
#include "quantlens/report/tables.h"          // activations_table, weights_table, ...
#include "quantlens/report/profile_tables.h"  // profiling_table, joined_table
#include "quantlens/report/statement_text.h"  // text_of: sentences of statements
#include "quantlens/report/benchmark_text.h"  // benchmark_text, benchmark_table
#include "quantlens/record/workload.h"        // Workload: one run's own record
#include "quantlens/workspace/workspace.h"    // Workspace, WorkloadWriter: the folder of all runs
#include "quantlens/workspace/read_record.h"  // WorkloadReader, ListReader: one record, one page
#include "quantlens/workspace/read_run.h"     // read_run: all that a run has stored
#include "quantlens/record/run_records.h"     // RunRecords: what a run is told by
#include "quantlens/report/run_text.h"        // run_text, run_json: what a run tells
#include "quantlens/report/gate.h"            // sqnr_gate: whether a run keeps enough of its signal
#include "quantlens/report/loss_gate.h"       // accuracy_gate: and of its accuracy
#include "quantlens/report/summary_markdown.h"  // summary_markdown: a run for a pull request
#include "quantlens/record/comparison.h"      // Comparison: what is different in the second of two runs
#include "quantlens/compare/compare.h"        // compare: makes it of what both runs have stored
#include "quantlens/report/comparison_text.h"  // comparison_text: tells it
#include "quantlens/report/junit.h"           // junit_xml: a run as tests
#include "quantlens/report/sarif.h"           // sarif_json: a run for code scanning
#include "quantlens/record/run_folder.h"      // RunFolder: the files of a run
#include "quantlens/workspace/read_folder.h"  // read_folder: which of them are there
#include "quantlens/report/kept_run.h"        // kept_run: all that is kept of a run, as one object

// ---- The verbs with their inputs and outputs in the workspace: what doors call
#include "quantlens/flow/session.h"           // flow::Session: store, progress, threads of a door
#include "quantlens/flow/part.h"              // flow::Part: some of the samples
#include "quantlens/flow/quantize.h"          // flow::quantize: calibrate, plan, apply
#include "quantlens/flow/calibrate.h"         // flow::calibrate: statistics, of all samples or some
#include "quantlens/flow/merge.h"             // flow::merge: statistics of some become those of all
#include "quantlens/flow/diagnose.h"          // flow::diagnose: pair and compare any two models
#include "quantlens/flow/judge.h"             // flow::judge: stored runs, or parts of one, anew
#include "quantlens/flow/tune.h"              // flow::tune: search, build, score, keep the best
#include "quantlens/flow/profile.h"           // flow::profile: where the time goes
#include "quantlens/flow/evaluate.h"          // flow::evaluate: an accuracy, alone or paired
#include "quantlens/flow/benchmark.h"         // flow::benchmark: time one model, or two in turn
#include "quantlens/flow/inspect.h"           // flow::inspect: what would be int8, why not
#include "quantlens/flow/doctor.h"            // flow::doctor: which runtimes are there, why one is not
#include "quantlens/flow/demo.h"              // flow::demo: the main job on a network of our own
#include "quantlens/flow/steps/passes/measure.h"           // flow::measure: the pass that both share
#include "quantlens/flow/version.h"           // kVersion

// clang-format on
