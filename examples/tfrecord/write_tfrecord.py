#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes images and their classes into TFRecord files, with the features that TensorFlow's ImageNet files have.

    write_tfrecord.py FOLDER LABELS OUTPUT [--shards 1] [--first-class 0]

LABELS has "file class" on each line, files relative to FOLDER, as docs/data.md describes. With several shards OUTPUT is
their prefix: `validation` becomes validation-00000-of-00004 and so on. --first-class 1 adds one to each class, as files
of ImageNet have it whose class 0 is the background. Images are copied as they are, JPEG or PNG; TensorFlow is not needed.
"""
import argparse
import contextlib
import os
import pathlib
import struct


def crc32c_table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


TABLE = crc32c_table()


def crc32c(data):
    """CRC-32C; of the package google-crc32c where it is installed, which is much faster."""
    if google_crc32c:
        return google_crc32c.value(data)
    value = 0xFFFFFFFF
    for byte in data:
        value = TABLE[(value ^ byte) & 0xFF] ^ value >> 8
    return value ^ 0xFFFFFFFF


def masked_crc32c(data):
    value = crc32c(data)
    return struct.pack("<I", ((value >> 15 | value << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def record(data):
    length = struct.pack("<Q", len(data))
    return length + masked_crc32c(length) + data + masked_crc32c(data)


def varint(value):
    text = bytearray()
    while value > 0x7F:
        text.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(text + bytes([value]))


def message(number, data):
    """A field of bytes, or of a message."""
    return varint(number << 3 | 2) + varint(len(data)) + data


def example(texts, integers):
    """A tf.train.Example: bytes by name, and integers by name."""
    lists = {name: message(1, message(1, text)) for name, text in texts.items()}
    lists |= {name: message(3, message(1, varint(value))) for name, value in integers.items()}
    return message(1, b"".join(message(1, message(1, name.encode()) + message(2, one)) for name, one in lists.items()))


def labelled(labels):
    """(file, class) of each line."""
    for number, line in enumerate(labels.read_text().splitlines(), 1):
        if not line.strip():
            continue
        file, _, label = line.strip().rpartition(" ")
        if not file or not label.isdigit():
            raise SystemExit(f"{labels}:{number}: a line is a file name and a class number, as 'cat.jpg 281'")
        yield file.strip(), int(label)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("labels", type=pathlib.Path)
    parser.add_argument("output")
    parser.add_argument("--shards", type=int, default=1)
    parser.add_argument("--first-class", type=int, choices=(0, 1), default=0)
    asked = parser.parse_args()
    if asked.shards < 1:
        parser.error("--shards must be at least 1")

    samples = list(labelled(asked.labels))
    names = [asked.output] if asked.shards == 1 else [f"{asked.output}-{i:05}-of-{asked.shards:05}" for i in range(asked.shards)]
    for i, name in enumerate(names):
        part = samples[len(samples) * i // asked.shards:len(samples) * (i + 1) // asked.shards]
        unfinished = f"{name}.part"
        with contextlib.ExitStack() as undo, open(unfinished, "wb") as out:
            undo.callback(lambda: os.path.exists(unfinished) and os.remove(unfinished))
            for file, label in part:
                texts = {"image/encoded": (asked.folder / file).read_bytes(), "image/filename": file.encode()}
                out.write(record(example(texts, {"image/class/label": label + asked.first_class})))
            out.close()
            os.replace(unfinished, name)
        print(f"{name}: {len(part)} images")


try:
    import google_crc32c
except ImportError:
    google_crc32c = None

if __name__ == "__main__":
    main()
