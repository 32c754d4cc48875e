// A profile that ONNX Runtime 1.31 wrote of a Conv, a Sigmoid and a QuantizeLinear in four runs;
// only figures of memory are left out. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace quantlens::imports {

// clang-format off
inline constexpr std::string_view kRealProfile = R"json([
{"cat" : "Session","pid" :1,"tid" :1,"dur" :476,"ts" :8,"ph" : "X","name" :"model_loading_uri","args" : {}},
{"cat" : "Session","pid" :1,"tid" :1,"dur" :2828,"ts" :515,"ph" : "X","name" :"session_initialization","args" : {}},
{"cat" : "Node","pid" :1,"tid" :1,"dur" :111,"ts" :3556,"ph" : "X","name" :"conv1_kernel_time","args" : {"input_type_shape" : [{"float":[1,3,8,8]},{"float":[4,3,3,3]}],"thread_scheduling_stats" : "","provider" : "CPUExecutionProvider","output_type_shape" : [{"float":[1,4,6,6]}],"node_index" : "0","op_name" : "Conv","parameter_size" : "432"}},
{"cat" : "Node","pid" :1,"tid" :1,"dur" :16,"ts" :3672,"ph" : "X","name" :"act_kernel_time","args" : {"op_name" : "Sigmoid","output_type_shape" : [{"float":[1,4,6,6]}],"provider" : "CPUExecutionProvider","thread_scheduling_stats" : "","input_type_shape" : [{"float":[1,4,6,6]}],"node_index" : "1","parameter_size" : "0"}},
{"cat" : "Node","pid" :1,"tid" :1,"dur" :14,"ts" :3690,"ph" : "X","name" :"y_QuantizeLinear_kernel_time","args" : {"parameter_size" : "5","op_name" : "QuantizeLinear","output_type_shape" : [{"uint8":[1,4,6,6]}],"provider" : "CPUExecutionProvider","input_type_shape" : [{"float":[1,4,6,6]},{"float":[]},{"uint8":[]}],"node_index" : "2","thread_scheduling_stats" : ""}},
{"cat" : "Session","pid" :1,"tid" :1,"dur" :159,"ts" :3553,"ph" : "X","name" :"SequentialExecutor::Execute","args" : {}},
{"cat" : "Session","pid" :1,"tid" :1,"dur" :177,"ts" :3539,"ph" : "X","name" :"model_run","args" : {}},
{"cat" : "Node","pid" :1,"tid" :1,"dur" :7,"ts" :3964,"ph" : "X","name" :"conv1_kernel_time","args" : {"thread_scheduling_stats" : "","provider" : "CPUExecutionProvider","node_index" : "0","input_type_shape" : [{"float":[1,3,8,8]},{"float":[4,3,3,3]}],"parameter_size" : "432","op_name" : "Conv","output_type_shape" : [{"float":[1,4,6,6]}]}},
{"cat" : "Node","pid" :1,"tid" :1,"dur" :3,"ts" :3976,"ph" : "X","name" :"act_kernel_time","args" : {"provider" : "CPUExecutionProvider","op_name" : "Sigmoid","thread_scheduling_stats" : "","output_type_shape" : [{"float":[1,4,6,6]}],"node_index" : "1","parameter_size" : "0","input_type_shape" : [{"float":[1,4,6,6]}]}},
{"cat" : "Node","pid" :1,"tid" :1,"dur" :3,"ts" :3983,"ph" : "X","name" :"y_QuantizeLinear_kernel_time","args" : {"output_type_shape" : [{"uint8":[1,4,6,6]}],"node_index" : "2","op_name" : "QuantizeLinear","provider" : "CPUExecutionProvider","thread_scheduling_stats" : "","parameter_size" : "5","input_type_shape" : [{"float":[1,4,6,6]},{"float":[]},{"uint8":[]}]}},
{"cat" : "Session","pid" :1,"tid" :1,"dur" :25,"ts" :3963,"ph" : "X","name" :"SequentialExecutor::Execute","args" : {}},
{"cat" : "Session","pid" :1,"tid" :1,"dur" :29,"ts" :3961,"ph" : "X","name" :"model_run","args" : {}},
{"cat" : "Node","pid" :1,"tid" :1,"dur" :4,"ts" :4000,"ph" : "X","name" :"conv1_kernel_time","args" : {"input_type_shape" : [{"float":[1,3,8,8]},{"float":[4,3,3,3]}],"thread_scheduling_stats" : "","provider" : "CPUExecutionProvider","op_name" : "Conv","node_index" : "0","output_type_shape" : [{"float":[1,4,6,6]}],"parameter_size" : "432"}},
{"cat" : "Node","pid" :1,"tid" :1,"dur" :2,"ts" :4008,"ph" : "X","name" :"act_kernel_time","args" : {"thread_scheduling_stats" : "","provider" : "CPUExecutionProvider","input_type_shape" : [{"float":[1,4,6,6]}],"node_index" : "1","op_name" : "Sigmoid","output_type_shape" : [{"float":[1,4,6,6]}],"parameter_size" : "0"}},
{"cat" : "Node","pid" :1,"tid" :1,"dur" :2,"ts" :4018,"ph" : "X","name" :"y_QuantizeLinear_kernel_time","args" : {"input_type_shape" : [{"float":[1,4,6,6]},{"float":[]},{"uint8":[]}],"parameter_size" : "5","thread_scheduling_stats" : "","node_index" : "2","provider" : "CPUExecutionProvider","op_name" : "QuantizeLinear","output_type_shape" : [{"uint8":[1,4,6,6]}]}},
{"cat" : "Session","pid" :1,"tid" :1,"dur" :22,"ts" :4000,"ph" : "X","name" :"SequentialExecutor::Execute","args" : {}},
{"cat" : "Session","pid" :1,"tid" :1,"dur" :24,"ts" :3999,"ph" : "X","name" :"model_run","args" : {}},
{"cat" : "Node","pid" :1,"tid" :1,"dur" :4,"ts" :4035,"ph" : "X","name" :"conv1_kernel_time","args" : {"thread_scheduling_stats" : "","output_type_shape" : [{"float":[1,4,6,6]}],"node_index" : "0","input_type_shape" : [{"float":[1,3,8,8]},{"float":[4,3,3,3]}],"provider" : "CPUExecutionProvider","parameter_size" : "432","op_name" : "Conv"}},
{"cat" : "Node","pid" :1,"tid" :1,"dur" :2,"ts" :4047,"ph" : "X","name" :"act_kernel_time","args" : {"node_index" : "1","output_type_shape" : [{"float":[1,4,6,6]}],"input_type_shape" : [{"float":[1,4,6,6]}],"provider" : "CPUExecutionProvider","thread_scheduling_stats" : "","parameter_size" : "0","op_name" : "Sigmoid"}},
{"cat" : "Node","pid" :1,"tid" :1,"dur" :2,"ts" :4051,"ph" : "X","name" :"y_QuantizeLinear_kernel_time","args" : {"input_type_shape" : [{"float":[1,4,6,6]},{"float":[]},{"uint8":[]}],"parameter_size" : "5","provider" : "CPUExecutionProvider","output_type_shape" : [{"uint8":[1,4,6,6]}],"op_name" : "QuantizeLinear","node_index" : "2","thread_scheduling_stats" : ""}},
{"cat" : "Session","pid" :1,"tid" :1,"dur" :22,"ts" :4035,"ph" : "X","name" :"SequentialExecutor::Execute","args" : {}},
{"cat" : "Session","pid" :1,"tid" :1,"dur" :24,"ts" :4034,"ph" : "X","name" :"model_run","args" : {}}
]
)json";
// clang-format on

}  // namespace quantlens::imports
