// What ops of TensorFlow give, by its registry (2.21).
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "quantlens/frontend/graphdef/source.h"

namespace quantlens::graphdef {

/// Outputs are "name:type", in order: the type is an attribute, behind `|` what it is where the
/// node does not say it, behind `=` the type itself. "name*N:type" are as many as the attribute N
/// says, "name[types]" one for each of a list of types.
struct OpRow {
  std::string_view type;
  std::string_view outputs;
};

namespace {

constexpr std::array kOpRows = {
    OpRow{"Abs", "y:T"},
    OpRow{"Acos", "y:T"},
    OpRow{"Acosh", "y:T"},
    OpRow{"Add", "z:T"},
    OpRow{"AddN", "sum:T"},
    OpRow{"AddV2", "z:T"},
    OpRow{"All", "output:=bool"},
    OpRow{"Angle", "output:Tout|float32"},
    OpRow{"Any", "output:=bool"},
    OpRow{"ApproximateEqual", "z:=bool"},
    OpRow{"ArgMax", "output:output_type|int64"},
    OpRow{"ArgMin", "output:output_type|int64"},
    OpRow{"Asin", "y:T"},
    OpRow{"Asinh", "y:T"},
    OpRow{"Assert", ""},
    OpRow{"Assign", "output_ref:T"},
    OpRow{"AssignAdd", "output_ref:T"},
    OpRow{"AssignAddVariableOp", ""},
    OpRow{"AssignSub", "output_ref:T"},
    OpRow{"AssignSubVariableOp", ""},
    OpRow{"AssignVariableOp", ""},
    OpRow{"Atan", "y:T"},
    OpRow{"Atan2", "z:T"},
    OpRow{"Atanh", "y:T"},
    OpRow{"AudioSpectrogram", "spectrogram:=float32"},
    OpRow{"AvgPool", "output:T"},
    OpRow{"AvgPool3D", "output:T"},
    OpRow{"BatchMatMul", "output:T"},
    OpRow{"BatchMatMulV2", "output:T"},
    OpRow{"BatchMatMulV3", "output:Tout"},
    OpRow{"BatchNormWithGlobalNormalization", "result:T"},
    OpRow{"BatchToSpace", "output:T"},
    OpRow{"BatchToSpaceND", "output:T"},
    OpRow{"BiasAdd", "output:T"},
    OpRow{"BiasAddV1", "output:T"},
    OpRow{"Bincount", "bins:T"},
    OpRow{"Bitcast", "output:type"},
    OpRow{"BitwiseAnd", "z:T"},
    OpRow{"BitwiseOr", "z:T"},
    OpRow{"BitwiseXor", "z:T"},
    OpRow{"BroadcastArgs", "r0:T|int32"},
    OpRow{"BroadcastTo", "output:T"},
    OpRow{"Bucketize", "output:=int32"},
    OpRow{"Case", "output[Tout]"},
    OpRow{"Cast", "y:DstT"},
    OpRow{"Ceil", "y:T"},
    OpRow{"CheckNumerics", "output:T"},
    OpRow{"CheckNumericsV2", "output:T"},
    OpRow{"ClipByValue", "output:T"},
    OpRow{"Concat", "output:T"},
    OpRow{"ConcatOffset", "offset*N:shape_type|int32"},
    OpRow{"ConcatV2", "output:T"},
    OpRow{"Const", "output:dtype"},
    OpRow{"ControlTrigger", ""},
    OpRow{"Conv", "output:T"},
    OpRow{"Conv2D", "output:T"},
    OpRow{"Conv2DBackpropFilter", "output:T"},
    OpRow{"Conv2DBackpropInput", "output:T"},
    OpRow{"Conv3D", "output:T"},
    OpRow{"Conv3DBackpropInputV2", "output:T"},
    OpRow{"Cos", "y:T"},
    OpRow{"Cosh", "y:T"},
    OpRow{"CropAndResize", "crops:=float32"},
    OpRow{"Cross", "product:T"},
    OpRow{"Cumprod", "out:T"},
    OpRow{"Cumsum", "out:T"},
    OpRow{"DataFormatDimMap", "y:T|int32"},
    OpRow{"DataFormatVecPermute", "y:T|int32"},
    OpRow{"DecodeBmp", "image:=uint8"},
    OpRow{"DecodeGif", "image:=uint8"},
    OpRow{"DecodeImage", "image:dtype|uint8"},
    OpRow{"DecodeJpeg", "image:=uint8"},
    OpRow{"DecodePng", "image:dtype|uint8"},
    OpRow{"DecodeRaw", "output:out_type"},
    OpRow{"DecodeWav", "audio:=float32 sample_rate:=int32"},
    OpRow{"DepthToSpace", "output:T"},
    OpRow{"DepthwiseConv2dNative", "output:T"},
    OpRow{"Dequantize", "output:dtype|float32"},
    OpRow{"Diag", "output:T"},
    OpRow{"DiagPart", "diagonal:T"},
    OpRow{"Dilation2D", "output:T"},
    OpRow{"Div", "z:T"},
    OpRow{"DivNoNan", "z:T"},
    OpRow{"DynamicPartition", "outputs*num_partitions:T"},
    OpRow{"DynamicStitch", "merged:T"},
    OpRow{"Einsum", "output:T"},
    OpRow{"Elu", "activations:T"},
    OpRow{"Empty", "output:dtype"},
    OpRow{"EnsureShape", "output:T"},
    OpRow{"Enter", "output:T"},
    OpRow{"Equal", "z:=bool"},
    OpRow{"Erf", "y:T"},
    OpRow{"Erfc", "y:T"},
    OpRow{"Exit", "output:T"},
    OpRow{"Exp", "y:T"},
    OpRow{"ExpandDims", "output:T"},
    OpRow{"Expm1", "y:T"},
    OpRow{"ExtractImagePatches", "patches:T"},
    OpRow{"FFT", "output:Tcomplex|complex64"},
    OpRow{"FakeParam", "output:dtype"},
    OpRow{"FakeQuantWithMinMaxArgs", "outputs:=float32"},
    OpRow{"FakeQuantWithMinMaxVars", "outputs:=float32"},
    OpRow{"FakeQuantWithMinMaxVarsPerChannel", "outputs:=float32"},
    OpRow{"Fill", "output:T"},
    OpRow{"Floor", "y:T"},
    OpRow{"FloorDiv", "z:T"},
    OpRow{"FloorMod", "z:T"},
    OpRow{"FractionalAvgPool", "output:T row_pooling_sequence:=int64 col_pooling_sequence:=int64"},
    OpRow{"FractionalMaxPool", "output:T row_pooling_sequence:=int64 col_pooling_sequence:=int64"},
    OpRow{"FusedBatchNorm",
          "y:T batch_mean:T batch_variance:T reserve_space_1:T reserve_space_2:T"},
    OpRow{"FusedBatchNormV2",
          "y:T batch_mean:U batch_variance:U reserve_space_1:U reserve_space_2:U"},
    OpRow{
        "FusedBatchNormV3",
        "y:T batch_mean:U batch_variance:U reserve_space_1:U reserve_space_2:U reserve_space_3:U"},
    OpRow{"FusedPadConv2D", "output:T"},
    OpRow{"FusedResizeAndPadConv2D", "output:T"},
    OpRow{"GRUBlockCell", "r:T u:T c:T h:T"},
    OpRow{"Gather", "output:Tparams"},
    OpRow{"GatherNd", "output:Tparams"},
    OpRow{"GatherV2", "output:Tparams"},
    OpRow{"Greater", "z:=bool"},
    OpRow{"GreaterEqual", "z:=bool"},
    OpRow{"GuaranteeConst", "output:T"},
    OpRow{"HashTableV2", "table_handle:=resource"},
    OpRow{"IFFT", "output:Tcomplex|complex64"},
    OpRow{"IRFFT", "output:Treal|float32"},
    OpRow{"Identity", "output:T"},
    OpRow{"IdentityN", "output[T]"},
    OpRow{"If", "output[Tout]"},
    OpRow{"Imag", "output:Tout|float32"},
    OpRow{"InTopK", "precision:=bool"},
    OpRow{"InTopKV2", "precision:=bool"},
    OpRow{"Inv", "y:T"},
    OpRow{"Invert", "y:T"},
    OpRow{"InvertPermutation", "y:T|int32"},
    OpRow{"IsFinite", "y:=bool"},
    OpRow{"IsInf", "y:=bool"},
    OpRow{"IsNan", "y:=bool"},
    OpRow{"L2Loss", "output:T"},
    OpRow{"LRN", "output:T|float32"},
    OpRow{"LSTMBlockCell", "i:T cs:T f:T o:T ci:T co:T h:T"},
    OpRow{"LeakyRelu", "activations:T|float32"},
    OpRow{"LeftShift", "z:T"},
    OpRow{"Less", "z:=bool"},
    OpRow{"LessEqual", "z:=bool"},
    OpRow{"LinSpace", "output:T"},
    OpRow{"ListDiff", "out:T idx:out_idx|int32"},
    OpRow{"Log", "y:T"},
    OpRow{"Log1p", "y:T"},
    OpRow{"LogSoftmax", "logsoftmax:T"},
    OpRow{"LogicalAnd", "z:=bool"},
    OpRow{"LogicalNot", "y:=bool"},
    OpRow{"LogicalOr", "z:=bool"},
    OpRow{"LookupTableFindV2", "values:Tout"},
    OpRow{"LoopCond", "output:=bool"},
    OpRow{"LowerBound", "output:out_type|int32"},
    OpRow{"MatMul", "product:T"},
    OpRow{"MatrixBandPart", "band:T"},
    OpRow{"MatrixDiag", "output:T"},
    OpRow{"MatrixDiagPart", "diagonal:T"},
    OpRow{"MatrixDiagPartV3", "diagonal:T"},
    OpRow{"MatrixDiagV3", "output:T"},
    OpRow{"MatrixInverse", "output:T"},
    OpRow{"MatrixSetDiagV3", "output:T"},
    OpRow{"Max", "output:T"},
    OpRow{"MaxPool", "output:T|float32"},
    OpRow{"MaxPool3D", "output:T"},
    OpRow{"MaxPoolV2", "output:T|float32"},
    OpRow{"MaxPoolWithArgmax", "output:T argmax:Targmax|int64"},
    OpRow{"Maximum", "z:T"},
    OpRow{"Mean", "output:T"},
    OpRow{"Merge", "output:T value_index:=int32"},
    OpRow{"Mfcc", "output:=float32"},
    OpRow{"Min", "output:T"},
    OpRow{"Minimum", "z:T"},
    OpRow{"MirrorPad", "output:T"},
    OpRow{"Mod", "z:T"},
    OpRow{"Mul", "z:T"},
    OpRow{"MulNoNan", "z:T"},
    OpRow{"Multinomial", "output:output_dtype|int64"},
    OpRow{"Neg", "y:T"},
    OpRow{"NextIteration", "output:T"},
    OpRow{"NoOp", ""},
    OpRow{"NonMaxSuppression", "selected_indices:=int32"},
    OpRow{"NonMaxSuppressionV2", "selected_indices:=int32"},
    OpRow{"NonMaxSuppressionV3", "selected_indices:=int32"},
    OpRow{"NonMaxSuppressionV4", "selected_indices:=int32 valid_outputs:=int32"},
    OpRow{"NonMaxSuppressionV5",
          "selected_indices:=int32 selected_scores:T|float32 valid_outputs:=int32"},
    OpRow{"NotEqual", "z:=bool"},
    OpRow{"OneHot", "output:T"},
    OpRow{"OnesLike", "y:T"},
    OpRow{"Pack", "output:T"},
    OpRow{"Pad", "output:T"},
    OpRow{"PadV2", "output:T"},
    OpRow{"PartitionedCall", "output[Tout]"},
    OpRow{"Placeholder", "output:dtype"},
    OpRow{"PlaceholderV2", "output:dtype"},
    OpRow{"PlaceholderWithDefault", "output:dtype"},
    OpRow{"Pow", "z:T"},
    OpRow{"PreventGradient", "output:T"},
    OpRow{"Print", "output:T"},
    OpRow{"PrintV2", ""},
    OpRow{"Prod", "output:T"},
    OpRow{"QuantizeAndDequantize", "output:T"},
    OpRow{"QuantizeAndDequantizeV2", "output:T"},
    OpRow{"QuantizeAndDequantizeV3", "output:T"},
    OpRow{"QuantizeAndDequantizeV4", "output:T"},
    OpRow{"QuantizeDownAndShrinkRange", "output:out_type output_min:=float32 output_max:=float32"},
    OpRow{"QuantizeV2", "output:T output_min:=float32 output_max:=float32"},
    OpRow{"QuantizedAdd", "z:Toutput|qint32 min_z:=float32 max_z:=float32"},
    OpRow{"QuantizedAvgPool", "output:T min_output:=float32 max_output:=float32"},
    OpRow{"QuantizedBiasAdd", "output:out_type min_out:=float32 max_out:=float32"},
    OpRow{"QuantizedConcat", "output:T output_min:=float32 output_max:=float32"},
    OpRow{"QuantizedConcatV2", "output:T output_min:=float32 output_max:=float32"},
    OpRow{"QuantizedConv2D", "output:out_type|qint32 min_output:=float32 max_output:=float32"},
    OpRow{"QuantizedConv2DAndRelu",
          "output:out_type|qint32 min_output:=float32 max_output:=float32"},
    OpRow{"QuantizedConv2DAndReluAndRequantize",
          "output:out_type|quint8 min_output:=float32 max_output:=float32"},
    OpRow{"QuantizedConv2DAndRequantize",
          "output:out_type|qint8 min_output:=float32 max_output:=float32"},
    OpRow{"QuantizedConv2DPerChannel",
          "output:out_type|qint32 min_output:=float32 max_output:=float32"},
    OpRow{"QuantizedConv2DWithBias",
          "output:out_type|qint32 min_output:=float32 max_output:=float32"},
    OpRow{"QuantizedConv2DWithBiasAndRelu",
          "output:out_type|qint32 min_output:=float32 max_output:=float32"},
    OpRow{"QuantizedConv2DWithBiasAndReluAndRequantize",
          "output:out_type|quint8 min_output:=float32 max_output:=float32"},
    OpRow{"QuantizedConv2DWithBiasAndRequantize",
          "output:out_type|qint8 min_output:=float32 max_output:=float32"},
    OpRow{"QuantizedConv2DWithBiasSumAndRelu",
          "output:out_type|qint32 min_output:=float32 max_output:=float32"},
    OpRow{"QuantizedConv2DWithBiasSumAndReluAndRequantize",
          "output:out_type|quint8 min_output:=float32 max_output:=float32"},
    OpRow{"QuantizedDepthwiseConv2D",
          "output:out_type|qint32 min_output:=float32 max_output:=float32"},
    OpRow{"QuantizedDepthwiseConv2DWithBias",
          "output:out_type|qint32 min_output:=float32 max_output:=float32"},
    OpRow{"QuantizedDepthwiseConv2DWithBiasAndRelu",
          "output:out_type|qint32 min_output:=float32 max_output:=float32"},
    OpRow{"QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize",
          "output:out_type|quint8 min_output:=float32 max_output:=float32"},
    OpRow{"QuantizedInstanceNorm", "y:T y_min:=float32 y_max:=float32"},
    OpRow{"QuantizedMatMul", "out:Toutput|qint32 min_out:=float32 max_out:=float32"},
    OpRow{"QuantizedMatMulWithBias", "out:Toutput|qint32 min_out:=float32 max_out:=float32"},
    OpRow{"QuantizedMatMulWithBiasAndDequantize", "out:Toutput"},
    OpRow{"QuantizedMatMulWithBiasAndRelu", "out:Toutput|qint32 min_out:=float32 max_out:=float32"},
    OpRow{"QuantizedMatMulWithBiasAndReluAndRequantize",
          "out:Toutput|quint8 min_out:=float32 max_out:=float32"},
    OpRow{"QuantizedMatMulWithBiasAndRequantize",
          "out:Toutput|quint8 min_out:=float32 max_out:=float32"},
    OpRow{"QuantizedMaxPool", "output:T min_output:=float32 max_output:=float32"},
    OpRow{"QuantizedMul", "z:Toutput|qint32 min_z:=float32 max_z:=float32"},
    OpRow{"QuantizedRelu",
          "activations:out_type|quint8 min_activations:=float32 max_activations:=float32"},
    OpRow{"QuantizedRelu6",
          "activations:out_type|quint8 min_activations:=float32 max_activations:=float32"},
    OpRow{"QuantizedReluX",
          "activations:out_type|quint8 min_activations:=float32 max_activations:=float32"},
    OpRow{"QuantizedReshape", "output:T output_min:=float32 output_max:=float32"},
    OpRow{"QuantizedResizeBilinear", "resized_images:T out_min:=float32 out_max:=float32"},
    OpRow{"RFFT", "output:Tcomplex|complex64"},
    OpRow{"RandomGamma", "output:T"},
    OpRow{"RandomPoisson", "output:dtype"},
    OpRow{"RandomPoissonV2", "output:dtype|int64"},
    OpRow{"RandomShuffle", "output:T"},
    OpRow{"RandomStandardNormal", "output:dtype"},
    OpRow{"RandomUniform", "output:dtype"},
    OpRow{"RandomUniformInt", "output:Tout"},
    OpRow{"Range", "output:Tidx|int32"},
    OpRow{"Rank", "output:=int32"},
    OpRow{"ReadFile", "contents:=string"},
    OpRow{"ReadVariableOp", "value:dtype"},
    OpRow{"Real", "output:Tout|float32"},
    OpRow{"RealDiv", "z:T"},
    OpRow{"Reciprocal", "y:T"},
    OpRow{"RefEnter", "output:T"},
    OpRow{"RefExit", "output:T"},
    OpRow{"RefIdentity", "output:T"},
    OpRow{"RefMerge", "output:T value_index:=int32"},
    OpRow{"RefNextIteration", "output:T"},
    OpRow{"RefSwitch", "output_false:T output_true:T"},
    OpRow{"Relu", "activations:T"},
    OpRow{"Relu6", "activations:T"},
    OpRow{"RequantizationRange", "output_min:=float32 output_max:=float32"},
    OpRow{"RequantizationRangePerChannel", "output_min:=float32 output_max:=float32"},
    OpRow{"Requantize", "output:out_type output_min:=float32 output_max:=float32"},
    OpRow{"RequantizePerChannel", "output:out_type|quint8 output_min:=float32 output_max:=float32"},
    OpRow{"Reshape", "output:T"},
    OpRow{"ResizeArea", "resized_images:=float32"},
    OpRow{"ResizeBicubic", "resized_images:=float32"},
    OpRow{"ResizeBilinear", "resized_images:=float32"},
    OpRow{"ResizeNearestNeighbor", "resized_images:T"},
    OpRow{"ResourceGather", "output:dtype"},
    OpRow{"ResourceGatherNd", "output:dtype"},
    OpRow{"RestoreV2", "tensors[dtypes]"},
    OpRow{"Reverse", "output:T"},
    OpRow{"ReverseSequence", "output:T"},
    OpRow{"ReverseV2", "output:T"},
    OpRow{"RightShift", "z:T"},
    OpRow{"Rint", "y:T"},
    OpRow{"Roll", "output:T"},
    OpRow{"Round", "y:T"},
    OpRow{"Rsqrt", "y:T"},
    OpRow{"SaveV2", ""},
    OpRow{"ScatterNd", "output:T"},
    OpRow{"SegmentMax", "output:T"},
    OpRow{"SegmentMean", "output:T"},
    OpRow{"SegmentMin", "output:T"},
    OpRow{"SegmentProd", "output:T"},
    OpRow{"SegmentSum", "output:T"},
    OpRow{"Select", "output:T"},
    OpRow{"SelectV2", "output:T"},
    OpRow{"Selu", "activations:T"},
    OpRow{"Shape", "output:out_type|int32"},
    OpRow{"ShapeN", "output*N:out_type|int32"},
    OpRow{"Sigmoid", "y:T"},
    OpRow{"Sign", "y:T"},
    OpRow{"Sin", "y:T"},
    OpRow{"Sinh", "y:T"},
    OpRow{"Size", "output:out_type|int32"},
    OpRow{"Slice", "output:T"},
    OpRow{"Snapshot", "output:T"},
    OpRow{"Softmax", "softmax:T"},
    OpRow{"SoftmaxCrossEntropyWithLogits", "loss:T backprop:T"},
    OpRow{"Softplus", "activations:T"},
    OpRow{"Softsign", "activations:T"},
    OpRow{"SpaceToBatch", "output:T"},
    OpRow{"SpaceToBatchND", "output:T"},
    OpRow{"SpaceToDepth", "output:T"},
    OpRow{"SparseMatMul", "product:=float32"},
    OpRow{"SparseSoftmaxCrossEntropyWithLogits", "loss:T backprop:T"},
    OpRow{"SparseToDense", "dense:T"},
    OpRow{"Split", "output*num_split:T"},
    OpRow{"SplitV", "output*num_split:T"},
    OpRow{"Sqrt", "y:T"},
    OpRow{"Square", "y:T"},
    OpRow{"SquaredDifference", "z:T"},
    OpRow{"Squeeze", "output:T"},
    OpRow{"StatefulPartitionedCall", "output[Tout]"},
    OpRow{"StatelessCase", "output[Tout]"},
    OpRow{"StatelessIf", "output[Tout]"},
    OpRow{"StatelessRandomNormal", "output:dtype|float32"},
    OpRow{"StatelessRandomUniform", "output:dtype|float32"},
    OpRow{"StatelessTruncatedNormal", "output:dtype|float32"},
    OpRow{"StatelessWhile", "output[T]"},
    OpRow{"StopGradient", "output:T"},
    OpRow{"StridedSlice", "output:T"},
    OpRow{"StringJoin", "output:=string"},
    OpRow{"StringSplit", "indices:=int64 values:=string shape:=int64"},
    OpRow{"Sub", "z:T"},
    OpRow{"Sum", "output:T"},
    OpRow{"Switch", "output_false:T output_true:T"},
    OpRow{"Tan", "y:T"},
    OpRow{"Tanh", "y:T"},
    OpRow{"TensorArrayConcatV3", "value:dtype lengths:=int64"},
    OpRow{"TensorArrayGatherV3", "value:dtype"},
    OpRow{"TensorArrayReadV3", "value:dtype"},
    OpRow{"TensorArrayScatterV3", "flow_out:=float32"},
    OpRow{"TensorArraySizeV3", "size:=int32"},
    OpRow{"TensorArrayV3", "handle:=resource flow:=float32"},
    OpRow{"TensorArrayWriteV3", "flow_out:=float32"},
    OpRow{"TensorListConcatV2", "tensor:element_dtype lengths:=int64"},
    OpRow{"TensorListElementShape", "element_shape:shape_type"},
    OpRow{"TensorListFromTensor", "output_handle:=variant"},
    OpRow{"TensorListGather", "values:element_dtype"},
    OpRow{"TensorListGetItem", "item:element_dtype"},
    OpRow{"TensorListLength", "length:=int32"},
    OpRow{"TensorListPopBack", "output_handle:=variant tensor:element_dtype"},
    OpRow{"TensorListPushBack", "output_handle:=variant"},
    OpRow{"TensorListReserve", "handle:=variant"},
    OpRow{"TensorListSetItem", "output_handle:=variant"},
    OpRow{"TensorListStack", "tensor:element_dtype"},
    OpRow{"TensorScatterAdd", "output:T"},
    OpRow{"TensorScatterUpdate", "output:T"},
    OpRow{"Tile", "output:T"},
    OpRow{"TopK", "values:T indices:=int32"},
    OpRow{"TopKV2", "values:T indices:index_type|int32"},
    OpRow{"Transpose", "y:T"},
    OpRow{"TruncateDiv", "z:T"},
    OpRow{"TruncateMod", "z:T"},
    OpRow{"TruncatedNormal", "output:dtype"},
    OpRow{"Unique", "y:T idx:out_idx|int32"},
    OpRow{"UniqueV2", "y:T idx:out_idx|int32"},
    OpRow{"UniqueWithCounts", "y:T idx:out_idx|int32 count:out_idx|int32"},
    OpRow{"Unpack", "output*num:T"},
    OpRow{"UnravelIndex", "output:Tidx|int32"},
    OpRow{"UnsortedSegmentMax", "output:T"},
    OpRow{"UnsortedSegmentSum", "output:T"},
    OpRow{"UpperBound", "output:out_type|int32"},
    OpRow{"VarHandleOp", "resource:=resource"},
    OpRow{"VarIsInitializedOp", "is_initialized:=bool"},
    OpRow{"Variable", "ref:dtype"},
    OpRow{"VariableShape", "output:out_type|int32"},
    OpRow{"VariableV2", "ref:dtype"},
    OpRow{"Where", "index:=int64"},
    OpRow{"While", "output[T]"},
    OpRow{"WriteFile", ""},
    OpRow{"Xdivy", "z:T"},
    OpRow{"Xlogy", "z:T"},
    OpRow{"ZerosLike", "y:T"},
    OpRow{"_Arg", "output:T"},
    OpRow{
        "_FusedBatchNormEx",
        "y:T batch_mean:U batch_variance:U reserve_space_1:U reserve_space_2:U reserve_space_3:U"},
    OpRow{"_FusedConv2D", "output:T"},
    OpRow{"_FusedDepthwiseConv2dNative", "output:T"},
    OpRow{"_FusedMatMul", "product:T"},
    OpRow{"_FusedQuantizedConv2D", "device_outputs[Tdevice_outputs] host_outputs[Thost_outputs]"},
    OpRow{"_FusedQuantizedDepthwiseConv2D",
          "device_outputs[Tdevice_outputs] host_outputs[Thost_outputs]"},
    OpRow{"_QuantizedMatMul", "device_outputs[Tdevice_outputs] host_outputs[Thost_outputs]"},
    OpRow{"_Retval", ""},
};
static_assert(std::ranges::is_sorted(kOpRows, {}, &OpRow::type));

/// The outputs of one name.
struct Outputs {
  std::string_view name;
  std::optional<std::size_t> count;
  std::vector<std::string> types;  ///< one for each, or one for all
};

std::string type_of(std::string_view word, const Node& node) {
  if (word.starts_with('=')) return std::string(word.substr(1));
  const std::size_t bar = word.find('|');
  const std::string otherwise(bar == std::string_view::npos ? "" : word.substr(bar + 1));
  return attribute_string(node, std::string(word.substr(0, bar)), otherwise);
}

std::optional<std::size_t> number_of(std::string_view attribute, const Node& node) {
  const std::int64_t number = attribute_int(node, std::string(attribute), -1);
  return number < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(number));
}

/// Those that stand between two spaces of a row.
Outputs outputs_of(std::string_view text, const Node& node) {
  if (text.ends_with(']')) {
    const std::size_t list = text.find('[');
    Outputs outputs{.name = text.substr(0, list), .count = {}, .types = {}};
    const auto found =
        node.attributes.find(std::string(text.substr(list + 1, text.size() - list - 2)));
    if (found == node.attributes.end()) return outputs;
    if (const auto* words = std::get_if<std::vector<std::string>>(&found->second))
      outputs.types = *words;
    outputs.count = outputs.types.size();
    return outputs;
  }
  const std::size_t colon = text.find(':'), star = text.find('*');
  Outputs outputs{.name = text.substr(0, std::min(colon, star)),
                  .count = 1,
                  .types = {type_of(text.substr(colon + 1), node)}};
  if (star != std::string_view::npos)
    outputs.count = number_of(text.substr(star + 1, colon - star - 1), node);
  return outputs;
}

/// Calls `each` of outputs of one name after the other, until it returns false.
template <class F>
void for_each_outputs(const OpRow& row, const Node& node, const F& each) {
  std::string_view rest = row.outputs;
  while (!rest.empty()) {
    const std::size_t space = std::min(rest.find(' '), rest.size());
    if (!each(outputs_of(rest.substr(0, space), node))) return;
    rest.remove_prefix(std::min(space + 1, rest.size()));
  }
}

// Sorted. What they give is for training, files and people.
constexpr std::array<std::string_view, 14> kAside = {
    "Assign",      "AssignAdd",          "AssignSub",    "NextIteration", "Print",
    "ReadFile",    "RefNextIteration",   "RestoreSlice", "RestoreV2",     "ShardedFilename",
    "VarHandleOp", "VarIsInitializedOp", "Variable",     "VariableV2",
};
static_assert(std::ranges::is_sorted(kAside));

}  // namespace

const OpRow* find_op(std::string_view type) {
  const auto* const found = std::ranges::lower_bound(kOpRows, type, {}, &OpRow::type);
  return found == kOpRows.end() || found->type != type ? nullptr : found;
}

std::optional<std::size_t> count_outputs(const OpRow& row, const Node& node) {
  std::optional<std::size_t> all = 0;
  for_each_outputs(row, node, [&](const Outputs& outputs) {
    all = outputs.count ? std::optional(*all + *outputs.count) : std::nullopt;
    return all.has_value();
  });
  return all;
}

std::optional<std::size_t> output_number(const OpRow& row, const Node& node, std::string_view name,
                                         std::size_t index) {
  std::optional<std::size_t> number;
  std::size_t before = 0;
  for_each_outputs(row, node, [&](const Outputs& outputs) {
    if (outputs.name == name && (!outputs.count || index < *outputs.count)) number = before + index;
    before += outputs.count.value_or(0);
    return outputs.name != name && outputs.count;
  });
  return number;
}

std::vector<ResultType> result_types(const OpRow& row, const Node& node) {
  std::vector<ResultType> results;
  for_each_outputs(row, node, [&](const Outputs& outputs) {
    for (std::size_t i = 0; i < outputs.count.value_or(0) && results.size() < node.outputs.size();
         ++i) {
      const auto dtype = dtype_of_word(outputs.types[std::min(i, outputs.types.size() - 1)]);
      if (!dtype) return false;
      results.push_back({.dtype = dtype});
    }
    return results.size() < node.outputs.size();
  });
  return results;
}

bool is_aside(std::string_view type) {
  return std::ranges::binary_search(kAside, type) || type.ends_with("Summary") ||
         type.ends_with("SummaryV2");
}

}  // namespace quantlens::graphdef
