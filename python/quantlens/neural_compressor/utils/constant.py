# SPDX-License-Identifier: Apache-2.0
"""What entries of `op_name_dict` and `op_type_dict` are made of."""


def _both(dtype: str) -> dict:
    return {"weight": {"dtype": [dtype]}, "activation": {"dtype": [dtype]}}


def _part(dtype: str, scheme: str, algorithm: str, granularity: str) -> dict:
    return {"dtype": [dtype], "scheme": [scheme], "algorithm": [algorithm], "granularity": [granularity]}


FP32 = _both("fp32")
BF16 = _both("bf16")
INT8_SYM_MINMAX_PERCHANNEL = _part("int8", "sym", "minmax", "per_channel")
INT8_SYM_MINMAX_PERTENSOR = _part("int8", "sym", "minmax", "per_tensor")
INT8_SYM_KL_PERTENSOR = _part("int8", "sym", "kl", "per_tensor")
INT8_SYM_KL_PERCHANNEL = _part("int8", "sym", "kl", "per_channel")
UINT8_ASYM_MINMAX_PERCHANNEL = _part("uint8", "asym", "minmax", "per_channel")
UINT8_ASYM_MINMAX_PERTENSOR = _part("uint8", "asym", "minmax", "per_tensor")
UINT8_ASYM_KL_PERTENSOR = _part("uint8", "asym", "kl", "per_tensor")
UINT8_ASYM_KL_PERCHANNEL = _part("uint8", "asym", "kl", "per_channel")
