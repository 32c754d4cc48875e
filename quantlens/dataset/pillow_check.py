# SPDX-License-Identifier: Apache-2.0
"""Writes images, data documents and what Pillow makes of them; pillow_test.cpp reads all three.

pillow_check.py FOLDER [PHOTOGRAPHS]
"""
import pathlib
import sys

import numpy as np
from PIL import Image

folder = pathlib.Path(sys.argv[1])
photographs = sorted(pathlib.Path(sys.argv[2]).glob("*.jpg"))[:8] if sys.argv[2] else []
made = folder / "images"
made.mkdir()
random = np.random.default_rng(1)


def scene(width, height):
    """Smooth colours, noise and hard edges."""
    y, x = np.mgrid[0:height, 0:width]
    planes = [(x * 3) % 256, (y * 2 + x) % 256, 127 + 120 * np.sin(x * y / 900)]
    pixels = np.stack(planes, axis=-1) + random.integers(-20, 20, (height, width, 3))
    pixels[height // 3 : height // 2, width // 4 : width // 2] = 255
    return Image.fromarray(pixels.clip(0, 255).astype(np.uint8))


def save_all():
    image = scene(141, 97)
    image.save(made / "rgb.png")
    image.convert("L").save(made / "grey.png")
    image.convert("1").save(made / "one_bit.png")
    image.convert("P", palette=Image.Palette.ADAPTIVE, colors=200).save(made / "palette.png")
    image.convert("P", palette=Image.Palette.ADAPTIVE, colors=13).save(made / "palette4.png", bits=4)
    image.convert("RGBA").save(made / "rgba_opaque.png")
    see_through = image.convert("RGBA")
    see_through.putalpha(Image.fromarray(random.integers(0, 256, (97, 141)).astype(np.uint8)))
    see_through.save(made / "rgba.png")
    image.convert("LA").save(made / "la.png")
    image.convert("RGB").save(made / "transparent_colour.png", transparency=(255, 255, 255))
    for quality in (30, 75, 95):
        for subsampling in ("4:4:4", "4:2:2", "4:2:0"):
            name = f"q{quality}_{subsampling.replace(':', '')}.jpg"
            image.save(made / name, quality=quality, subsampling=subsampling)
    image.save(made / "progressive.jpg", progressive=True, quality=80)
    image.convert("L").save(made / "grey.jpg", quality=80)
    image.convert("CMYK").save(made / "cmyk.jpg", quality=90)
    Image.fromarray(255 - np.asarray(scene(64, 48).convert("CMYK")), "CMYK").save(made / "ink.jpg")
    scene(1, 1).save(made / "dot.png")
    scene(300, 2).save(made / "line.png")
    image.transpose(Image.Transpose.ROTATE_90).save(made / "upright.jpg", quality=90)


def prepared(path, mode="RGB", resize_short=None, resize=None, crop=None):
    image = Image.open(path).convert(mode)
    if resize_short:
        short = min(image.size)
        image = image.resize([side * resize_short // short for side in image.size],
                             Image.Resampling.BILINEAR)
    if resize:
        image = image.resize(resize[::-1], Image.Resampling.BILINEAR)
    pixels = np.asarray(image)
    if crop:
        top, left = (pixels.shape[0] - crop) // 2, (pixels.shape[1] - crop) // 2
        pixels = pixels[top : top + crop, left : left + crop]
    pixels = pixels[..., None] if pixels.ndim == 2 else pixels
    return np.ascontiguousarray(pixels.transpose(2, 0, 1))


def write(name, files, mode="RGB", **steps):
    """One document of files, and Pillow's version of each."""
    settings = {"folder": files[0].parent, "labels": f"{name}.txt", "layout": "nchw",
                "color": "gray" if mode == "L" else "rgb", **steps}
    text = ", ".join(f"{key}: {value}" for key, value in settings.items())
    (folder / f"{name}.yaml").write_text(f"images: {{{text}}}\n")
    (folder / f"{name}.txt").write_text("".join(f"{file.name} 0\n" for file in files))
    for i, file in enumerate(files):
        np.save(folder / f"{name}.{i}.npy", prepared(file, mode, **steps).astype(np.float32))


save_all()
everything = sorted(made.iterdir())
usual = [file for file in everything if file.stem not in ("dot", "line")]
write("plain", everything)
write("grey", everything, mode="L")
write("stretched", everything, resize=[60, 83])
write("narrower", usual, resize=[97, 50])
write("lower", usual, resize=[31, 141])
write("larger", usual, resize=[200, 301])
write("short", usual, resize_short=57)
write("odd_crop", usual, resize_short=90, crop=64)
write("grey_crop", usual, mode="L", resize_short=111, crop=96)
if photographs:
    write("photo_224", photographs, resize_short=224, crop=224)
    write("photo_small", photographs, resize_short=77)
    write("photo_large", photographs, resize_short=435)
