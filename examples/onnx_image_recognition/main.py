# SPDX-License-Identifier: Apache-2.0
"""Quantizes, diagnoses and times an ONNX classifier of images, with the flags of the predecessor's example:

    python main.py --model_path mobilenet.onnx --dataset_location imagenet/images --label_path imagenet/val.txt \
        --tune --diagnose --output_model int8.onnx
    python main.py --model_path int8.onnx --dataset_location imagenet/images --label_path imagenet/val.txt \
        --benchmark --mode accuracy

The label file has a line `<image> <class>` for each image. What images become is that of torchvision's networks; --crop,
--mean, --std (of pixels 0..255), --color and --label_offset are for others.
"""
import argparse
import logging
import sys

import quantlens
from quantlens.neural_compressor import BenchmarkConfig, PostTrainingQuantConfig, benchmark, quantization

IMAGENET = {"mean": [0.485 * 255, 0.456 * 255, 0.406 * 255], "std": [0.229 * 255, 0.224 * 255, 0.225 * 255]}


def arguments_of(given):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model_path", required=True, help="the ONNX model")
    parser.add_argument("--dataset_location", required=True, help="folder of the images")
    parser.add_argument("--label_path", required=True, help="file of their classes")
    parser.add_argument("--tune", action="store_true", help="quantize the model")
    parser.add_argument("--diagnose", action="store_true", help="with --tune or --benchmark: show where error or time comes from")
    parser.add_argument("--benchmark", action="store_true", help="time or score the model")
    parser.add_argument("--mode", choices=("performance", "accuracy"), default="performance", help="what --benchmark does")
    parser.add_argument("--output_model", default="int8.onnx", help="where --tune writes (default: %(default)s)")
    parser.add_argument("--quant_format", choices=("default", "QDQ", "QOperator"), default="default")
    parser.add_argument("--batch_size", type=int, default=1)
    parser.add_argument("--limit", type=int, help="so many images at most")
    parser.add_argument("--resize", type=int, help="shorter side before the crop (default: 256 where the crop is 224)")
    parser.add_argument("--crop", type=int, default=224)
    parser.add_argument("--color", choices=("rgb", "bgr"), default="rgb")
    parser.add_argument("--mean", type=float, nargs=3, default=IMAGENET["mean"], help="of pixels 0..255")
    parser.add_argument("--std", type=float, nargs=3, default=IMAGENET["std"])
    parser.add_argument("--label_offset", type=int, default=0, help="1 where the first output is a background class")
    return parser.parse_args(given)


def images_of(arguments):
    """As quantlens reads images itself: decoded on all cores, no more in memory than run at once."""
    images = {"folder": arguments.dataset_location, "labels": arguments.label_path, "crop": arguments.crop, "color": arguments.color,
              "mean": arguments.mean, "std": arguments.std, "layout": "nchw"}
    if arguments.resize or arguments.crop == 224:
        images["resize_short"] = arguments.resize or 256
    return {"images": images, "batch_size": arguments.batch_size, **({"limit": arguments.limit} if arguments.limit else {})}


def main(given=None):
    logging.basicConfig(level=logging.INFO)
    arguments = arguments_of(given)
    data, metric = images_of(arguments), f"top1:label_offset={arguments.label_offset}"
    if arguments.tune:
        config = PostTrainingQuantConfig(quant_format=arguments.quant_format, diagnosis=arguments.diagnose)
        model = quantization.fit(arguments.model_path, config, calib_dataloader=data, eval_dataloader=data, eval_metric=metric)
        model.save(arguments.output_model)
        print(model.run.verdict)
    if arguments.benchmark and arguments.mode == "performance":
        config = BenchmarkConfig(warmup=10, iteration=100, diagnosis=arguments.diagnose)
        benchmark.fit(arguments.model_path, config, b_dataloader=data)
    if arguments.benchmark and arguments.mode == "accuracy":
        print(quantlens.evaluate(arguments.model_path, data, metric))
    if not arguments.tune and not arguments.benchmark:
        sys.exit("nothing to do: give --tune or --benchmark")


if __name__ == "__main__":
    main()
