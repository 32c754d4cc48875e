// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/recipe/predecessors.h"

#include <algorithm>
#include <array>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens {
namespace {

using boost::json::object;

constexpr std::string_view kTuning =
    "a recipe says how one model is made; what tune looks for is in its own options";
constexpr std::string_view kOptimised =
    "the file keeps the ops of the model, and the runtime optimises all of it when it loads it";
constexpr std::string_view kWeightOnly = "it is for weight-only quantization";
constexpr std::string_view kOwnData =
    "--data says what samples are read, --metric what is measured";

constexpr std::array kIdleOptions = {
    Idle{"device", "cpu", "models are quantized for, and measured on, the CPU"},
    Idle{"backend", "default", "only ONNX Runtime's own kernels for the CPU are known here"},
    Idle{"domain", "auto", "no model is rewritten for a domain before it is quantized"},
    Idle{"excluded_precisions", "*", ""},
    Idle{"quant_level", "auto|1", kTuning},
    Idle{"accuracy_criterion", "", kTuning},
    Idle{"tuning_criterion", "", kTuning},
    Idle{"strategy", "basic", kTuning},
    Idle{"strategy_kwargs", "", kTuning},
    Idle{"objective", "performance", kTuning},
    Idle{"timeout", "0", kTuning},
    Idle{"max_trials", "", kTuning},
    Idle{"performance_only", "*", ""},
    Idle{"diagnosis", "false", "say --diagnose on the command line"},
    Idle{"ni_workload_name", "quantization", "say --name on the command line"},
    Idle{"inputs", "", "say --inputs on the command line, for a TensorFlow model"},
    Idle{"outputs", "", "say --outputs on the command line, for a TensorFlow model"},
    Idle{"example_inputs", "", "it is for tracing PyTorch models"},
    Idle{"graph_optimization_level", "default", kOptimised},
};

constexpr std::array kIdleRecipes = {
    Idle{"layer_wise_quant", "false", "weights are read from the file one at a time anyway"},
    Idle{"weight_correction", "false", "this version corrects no weights"},
    Idle{"gemm_to_matmul", "false", "Gemm has an integer kernel of its own"},
    Idle{"graph_optimization_level", "default", kOptimised},
    Idle{"add_qdq_pair_to_weight", "false",
         "weights are stored as codes; a float weight and a QuantizeLinear behind it would only "
         "make the file larger"},
    Idle{"dedicated_qdq_pair", "false",
         "ONNX Runtime gives each reader a DequantizeLinear of its own when it loads the file"},
    Idle{"scale_propagation_max_pooling", "true", "MaxPool gives codes of the scale that it reads"},
    Idle{"scale_propagation_concat", "false", "Concat converts its inputs to its own scale"},
    Idle{"rtn_args", "", kWeightOnly},
    Idle{"awq_args", "", kWeightOnly},
    Idle{"gptq_args", "", kWeightOnly},
    Idle{"teq_args", "", kWeightOnly},
    Idle{"autoround_args", "", kWeightOnly},
};

constexpr std::string_view kFolding =
    "a Mul of its own stands before the ops that it is for, whatever makes their input";
constexpr std::string_view kOwnAlphas = "alpha may be a list to choose from";

constexpr std::array kIdleSmoothing = {
    Idle{"folding", "false", kFolding},
    Idle{"default_alpha", "", kOwnAlphas},
    Idle{"alpha_min", "", kOwnAlphas},
    Idle{"alpha_max", "", kOwnAlphas},
    Idle{"alpha_step", "", kOwnAlphas},
    Idle{"auto_alpha_args", "", kOwnAlphas},
    Idle{"shared_criterion", "", kOwnAlphas},
    Idle{"do_blockwise", "false", "the error of each op is estimated by itself"},
    Idle{"scales_per_op", "false", "ops that read the same value share one Mul"},
};

constexpr std::array kYamlModel = {
    Idle{"name", "*", ""},
    Idle{"inputs", "", "say --inputs on the command line, for a TensorFlow model"},
    Idle{"outputs", "", "say --outputs on the command line, for a TensorFlow model"},
};

constexpr std::array kYamlTuning = {
    Idle{"strategy", "basic", kTuning},
    Idle{"accuracy_criterion", "", kTuning},
    Idle{"objective", "performance", kTuning},
    Idle{"multi_objectives", "", kTuning},
    Idle{"exit_policy", "", kTuning},
    Idle{"random_seed", "", "say --seed on the command line"},
    Idle{"workspace", "", "say --workspace on the command line"},
    Idle{"diagnosis", "", "say --diagnose on the command line"},
};

/// The frameworks of their YAML files which name a form.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kFrameworkForms = {{
    {"onnxrt_qlinearops", "qoperator"},
    {"onnxrt_qdqops", "qdq"},
    {"onnxrt_qdq", "qdq"},
}};

std::vector<std::string> keys_of(std::span<const Idle> options,
                                 std::initializer_list<const char*> more) {
  std::vector<std::string> keys(more.begin(), more.end());
  for (const Idle& option : options) keys.emplace_back(option.key);
  return keys;
}

std::string as_text(const json::Value& value) {
  if (value.is_string()) return std::string(value.get_string());
  return boost::json::serialize(value);
}

bool asks_for_nothing(const json::Value& value, std::string_view met) {
  if (met == "*" || value.is_null()) return true;
  if (value.is_array() && value.get_array().empty()) return true;
  if (value.is_object() && value.get_object().empty()) return true;
  const json::Value* first = first_of(&value);
  const std::string said = first == nullptr ? std::string() : as_text(*first);
  while (!met.empty()) {
    const std::string_view word = met.substr(0, met.find('|'));
    if (said == word) return true;
    met.remove_prefix(std::min(word.size() + 1, met.size()));
  }
  return false;
}

/// Their YAML file, entry by entry, in our words.
class YamlFile {
 public:
  YamlFile(const json::Value& document, const std::string& where, std::vector<std::string>& notes)
      : where_(where), notes_(notes), flat_(document.get_object()) {}

  json::Value run() {
    flat_.erase("version");
    if (const auto part = taken(flat_, "model")) read_model(*part);
    if (const auto part = taken(flat_, "quantization")) read_quantization(*part);
    if (const auto part = taken(flat_, "tuning")) read_tuning(*part);
    if (taken(flat_, "evaluation")) note("evaluation", kOwnData);
    for (const char* key : {"graph_optimization", "mixed_precision"}) {
      if (taken(flat_, key)) note(key, "this version only quantizes");
    }
    return std::move(flat_);
  }

 private:
  static std::optional<json::Value> taken(object& from, std::string_view key) {
    const auto at = from.find(key);
    if (at == from.end()) return std::nullopt;
    json::Value value = std::move(at->value());
    from.erase(at);
    return value;
  }

  void note(std::string_view key, std::string_view why) {
    notes_.push_back(fmt::format("recipe option {} has no effect: {}", key, why));
  }

  void set(std::string_view key, const json::Value* value, std::string_view said_as) {
    if (value == nullptr) return;
    if (!flat_.emplace(key, *value).second) {
      throw Error(Errc::usage, fmt::format("{}: '{}' is said twice, once as '{}'; say it once",
                                           where_, key, said_as));
    }
  }

  void read_model(const json::Value& value) {
    const Section model(value, where_ + ".model",
                        keys_of(kYamlModel, {"framework", "quant_format"}));
    add_idle(model, kYamlModel, "model.", notes_);
    set("quant_format", model.find("quant_format"), "model.quant_format");
    const std::string framework = model.text("framework").value_or("");
    const auto* form = std::ranges::find(kFrameworkForms, framework,
                                         &std::pair<std::string_view, std::string_view>::first);
    if (form == kFrameworkForms.end() || flat_.contains("quant_format")) return;
    flat_["quant_format"] = form->second;
  }

  void read_quantization(const json::Value& value) {
    const Section section(value, where_ + ".quantization",
                          {"approach", "calibration", "recipes", "model_wise", "optype_wise",
                           "op_wise", "reduce_range", "quant_format", "train", "advance"});
    for (const char* key : {"approach", "recipes", "reduce_range", "quant_format"}) {
      set(key, section.find(key), fmt::format("quantization.{}", key));
    }
    set("op_type_dict", section.find("optype_wise"), "quantization.optype_wise");
    set("op_name_dict", section.find("op_wise"), "quantization.op_wise");
    if (const json::Value* part = section.find("model_wise")) {
      const Section all(*part, section.where("model_wise"), {"activation", "weight", "weights"});
      for (const char* key : {"activation", "weight", "weights"}) {
        set(key, all.find(key), fmt::format("quantization.model_wise.{}", key));
      }
    }
    if (const json::Value* part = section.find("calibration")) {
      const Section calibration(*part, section.where("calibration"),
                                {"sampling_size", "dataloader"});
      set("calibration_sampling_size", calibration.find("sampling_size"),
          "quantization.calibration.sampling_size");
      if (calibration.find("dataloader")) note("quantization.calibration.dataloader", kOwnData);
    }
    for (const char* key : {"train", "advance"}) {
      if (section.find(key)) note(fmt::format("quantization.{}", key), "nothing is trained here");
    }
  }

  void read_tuning(const json::Value& value) {
    const Section tuning(value, where_ + ".tuning", keys_of(kYamlTuning, {"tensorboard"}));
    add_idle(tuning, kYamlTuning, "tuning.", notes_);
    set("tensorboard", tuning.find("tensorboard"), "tuning.tensorboard");
  }

  const std::string& where_;
  std::vector<std::string>& notes_;
  object flat_;
};

}  // namespace

std::span<const Idle> idle_options() {
  return kIdleOptions;
}

std::span<const Idle> idle_recipes() {
  return kIdleRecipes;
}

std::span<const Idle> idle_smoothing() {
  return kIdleSmoothing;
}

void add_idle(const Section& section, std::span<const Idle> options, std::string_view prefix,
              std::vector<std::string>& notes) {
  for (const Idle& option : options) {
    const json::Value* value = section.find(option.key);
    if (value == nullptr || asks_for_nothing(*value, option.met)) continue;
    notes.push_back(
        fmt::format("recipe option {}{} has no effect: {}", prefix, option.key, option.why));
  }
}

json::Value flattened(const json::Value& document, const std::string& where,
                      std::vector<std::string>& notes) {
  if (!document.is_object()) return document;
  const object& parts = document.get_object();
  constexpr std::array kSections = {"model",      "quantization",       "tuning",
                                    "evaluation", "graph_optimization", "mixed_precision"};
  const bool has_sections =
      std::ranges::any_of(kSections, [&](const char* key) { return parts.contains(key); });
  return has_sections ? YamlFile(document, where, notes).run() : document;
}

}  // namespace quantlens
