# SPDX-License-Identifier: Apache-2.0
"""The predecessor's datasets for ONNX models, which `data.Datasets` names. They read what lies on the disk and download
nothing."""
