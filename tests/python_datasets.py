# SPDX-License-Identifier: Apache-2.0
"""The predecessor's datasets: of image files, of idx files and of CIFAR's, as they should be and as they should not."""
import doctest
import gzip
import io
import logging
import os
import pickle
import struct
import sys
import zlib

import harness

PACKAGE = harness.python_package()
harness.need("numpy", "onnx")
sys.path.insert(0, PACKAGE)

import numpy as np  # noqa: E402
import quantlens  # noqa: E402
from quantlens.neural_compressor import PostTrainingQuantConfig, data, options, quantization  # noqa: E402
from quantlens.neural_compressor.data import DataLoader, Datasets  # noqa: E402
from quantlens.neural_compressor.datasets import cifar, digits, dummies, images  # noqa: E402

ONNX = Datasets("onnxrt_qlinearops")
RNG = np.random.default_rng(5)


def pixels(height=6, width=8, channels=3):
    return RNG.integers(0, 256, (height, width, channels), np.uint8)


def png(image):
    """The bytes of a PNG file, by hand: the package reads it without Pillow."""
    height, width, channels = image.shape

    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    rows = b"".join(b"\0" + row.tobytes() for row in image)
    head = struct.pack(">IIBBBBB", width, height, 8, {1: 0, 3: 2, 4: 6}[channels], 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def idx(array):
    return bytes((0, 0, 8, array.ndim)) + struct.pack(f">{array.ndim}I", *array.shape) + array.tobytes()


def cifar_batch(rows, labels, key=b"labels", kind=b"u1"):
    """As Python 2 wrote it."""
    told = b"".join(b"K" + bytes((label,)) for label in labels)
    content = rows.tobytes()
    make = b"cnumpy.core.multiarray\n_reconstruct\nq\x03cnumpy\nndarray\nq\x04K\x00\x85U\x01b\x87Rq\x05"
    dtype = b"cnumpy\ndtype\nq\x06U\x02" + kind + b"K\x00K\x01\x87Rq\x07(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"
    shape = b"K" + bytes((len(rows),)) + b"M\x00\x0c\x86"
    array = make + b"(K\x01" + shape + dtype + b"\x89T" + struct.pack("<i", len(content)) + content + b"tb"
    return (b"\x80\x02}q\x01(U\x0bbatch_labelU\x14testing batch 1 of 1U" + bytes((len(key),)) + key + b"]q\x02(" + told +
            b"eU\x04data" + array + b"u.")


def cifar_meta(names, key=b"label_names"):
    return (b"\x80\x02}q\x01(U" + bytes((len(key),)) + key + b"]q\x02(" +
            b"".join(b"U" + bytes((len(name),)) + name for name in names) + b"eu.")


def put(folder, **files):
    for name, content in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def raises(claim, kind, words, call):
    """One sentence of this class that has these words."""
    try:
        call()
    except kind as error:
        told = str(error)
        harness.check(type(error) is kind and "\n" not in told and all(word in told for word in words), f"{claim}: {told}")
        return
    harness.check(False, f"{claim}: {kind.__name__} is raised")


def warned(call):
    """What it gives, and what it warned of."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    logger = logging.getLogger("neural_compressor")
    logger.addHandler(handler)
    made = call()
    logger.removeHandler(handler)
    return made, stream.getvalue()


def same(one, other):
    return np.array_equal(one, other) and one.dtype == other.dtype


def folders_of_images(folder):
    cats, dog, grey, clear = [pixels(), pixels(5, 5)], pixels(), pixels(4, 4, 1), pixels(4, 4, 4)
    pets = put(folder / "pets",
               **{"cat__b.png": png(cats[1]), "cat__a.jpeg": png(cats[0]), "dog__1.png": png(dog), ".hidden__x.png": b"",
                                   "README.txt": b"a file beside the folders"})
    (pets / "cat" / ".thumbs").write_bytes(b"")
    (pets / "empty").mkdir()
    put(pets, zebra__grey=png(grey), zebra__transparent=png(clear))
    (pets / "zebra" / "linked").symlink_to(pets / "dog" / "1.png")
    found = ONNX["ImageFolder"](root=pets)
    harness.check(found.classes == ["cat", "dog", "empty", "zebra"],
                  "classes are the folders by name, without files and what is hidden")
    harness.check([label for _, label in found] == [0, 0, 1, 3, 3, 3] and len(found) == 6,
                  "a folder without images keeps its number")
    harness.check(same(found[0][0], cats[0]) and same(found[1][0], cats[1]) and same(found[2][0], dog),
                  "pixels are those of the files, by name")
    harness.check(same(found[3][0], grey.repeat(3, 2)) and same(found[5][0], clear[..., :3]),
                  "grey and transparent images are RGB")
    harness.check(same(found[4][0], dog) and found[-1][1] == 3, "a link is what it leads to")
    found[0][0][0, 0] = 0
    harness.check(same(found[0][0], cats[0]), "what a caller writes into an image is gone")
    harness.check("PIL" not in sys.modules, "all without Pillow")

    halved = ONNX["ImageFolder"](pets, transform=lambda sample: (sample[0] / 2, sample[1] + 10))
    harness.check(np.array_equal(halved[1][0], cats[1] / 2) and halved[1][1] == 10, "transform takes the pair and gives it")
    seen = []
    chosen = ONNX["ImageFolder"](pets, transform=lambda sample: (0, sample[1]),
                                 filter=lambda image, label: seen.append(image.shape) or image.shape[0] > 4)
    harness.check(not seen, "a filter reads nothing before it must")
    harness.check([chosen[at] for at in range(len(chosen))] == [(0, 0), (0, 0), (0, 1), (0, 3)],
                  "a filter sees the image as it is in its file")
    harness.check(len(seen) == 6, "and each once")
    raises("a filter that keeps nothing", quantlens.UsageError, ["ImageFolder", "filter", "6"],
           lambda: len(ONNX["ImageFolder"](pets, filter=lambda *_: False)))
    raises("a transform that gives an image alone", quantlens.UsageError, ["transform", "ndarray", "(image, label)"],
           lambda: ONNX["ImageFolder"](pets, transform=lambda sample: sample[0])[0])
    harness.check(len(Datasets("onnxrt_integerops")["Imagenet"](folder, subset="pets")) == 6,
                  "Imagenet is a folder of them below another")


def folders_that_are_none(folder):
    (folder / "nothing").mkdir()
    (folder / "hollow" / "cat").mkdir(parents=True)
    raises("a folder that is absent", quantlens.NotFound, ["absent", "check the path"],
           lambda: ONNX["ImageFolder"](folder / "absent"))
    for name in ("nothing", "hollow"):
        raises("a folder without images", quantlens.BadInput, [name, "put"], lambda name=name: ONNX["ImageFolder"](folder / name))
    broken = put(folder / "broken", c__1_text=b"no image", c__2_empty=b"", c__3_cut=png(pixels())[:-30], c__4_gif=b"GIF89a...")
    (broken / "c" / "5_dangling").symlink_to(folder / "nowhere")
    (broken / "c" / "6_folder").mkdir()
    (broken / "c" / "7_loop").symlink_to(broken / "c" / "7_loop")
    os.mkfifo(broken / "c" / "8_pipe")
    (broken / "d").symlink_to(broken / "d")
    found = ONNX["ImageFolder"](broken)
    expected = [(quantlens.BadInput, "no image"), (quantlens.BadInput, "empty"), (quantlens.BadInput, "ends too early"),
                (quantlens.BadInput, "GIF"),
                (quantlens.NotFound, "no such file"), (quantlens.IoError, "a folder"), (quantlens.IoError, ""),
                (quantlens.IoError, "no file")]
    harness.check(len(found) == len(expected), "what is no image is told when it is read")
    for at, (kind, words) in enumerate(expected):
        raises("no image", kind, [f"{at + 1}_", words], lambda at=at: found[at])
    name = os.fsencode(folder / "odd") + b"/c/\xff.png"
    os.makedirs(os.path.dirname(name))
    with open(name, "wb") as file:
        file.write(png(pixels()))
    harness.check(ONNX["ImageFolder"](folder / "odd")[0][0].shape == (6, 8, 3), "a name that is no text")


def lists_of_images(folder):
    one, other = pixels(), pixels(4, 4, 1)
    raw = put(folder / "raw", **{"one.png": png(one), "sub__the other.png": png(other)})
    (raw / "val_map.txt").write_text("one.png 7\n")
    harness.check([label for _, label in ONNX["ImagenetRaw"](raw)] == [7], "val_map.txt is found beside the images")
    (raw / "val.txt").write_text("sub/the other.png   281\n\none.png\t-1\ngone.png 3\n")
    found, told = warned(lambda: ONNX["ImagenetRaw"](data_path=raw, image_list=None))
    harness.check([label for _, label in found] == [281, -1], "val.txt goes first; its order is kept, names may have spaces")
    harness.check(same(found[0][0], other.repeat(3, 2)) and same(found[1][0], one), "pixels are those of the named files")
    harness.check("1 of its 3 images" in told and "val.txt" in told, f"absent images are left out with a warning: {told.strip()}")
    raises("no list", quantlens.NotFound, ["val.txt", "val_map.txt", "image_list"], lambda: ONNX["ImagenetRaw"](folder))
    raises("a list that is absent", quantlens.NotFound, ["none.txt"], lambda: ONNX["ImagenetRaw"](raw, raw / "none.txt"))
    listed = raw / "listed.txt"
    for line, words in (("one.png", "'one.png'"), ("one.png cat", "cat"), ("one.png 1.5", "1.5"), ("one.png " + "9" * 19, "999"),
                        ("../raw/one.png 1", "inside"), (f"{raw}/one.png 1", "inside"), ("one\0.png 1", "inside")):
        listed.write_text("one.png 1\n" + line + "\n")
        raises("a line", quantlens.BadInput, ["listed.txt:2", words], lambda: ONNX["ImagenetRaw"](raw, listed))
    for text, words in (("gone.png 1\n", "1 images"), ("", "0 images")):
        listed.write_text(text)
        raises("a list without images", quantlens.NotFound, ["listed.txt", words], lambda: ONNX["ImagenetRaw"](raw, listed))


def digits_of_idx_files(folder):
    train, test = pixels(5 * 28, 28, 1).reshape(5, 28, 28), pixels(3 * 28, 28, 1).reshape(3, 28, 28)
    labels = np.array([3, 7, 0], np.uint8)
    root = put(folder / "idx", **{"t10k-images-idx3-ubyte.gz": gzip.compress(idx(test)), "t10k-labels-idx1-ubyte": idx(labels),
                                  "FashionMNIST__raw__train-images-idx3-ubyte": idx(train),
                                  "FashionMNIST__raw__train-labels-idx1-ubyte.gz": gzip.compress(idx(np.arange(5,
                                                                                                               dtype=np.uint8)))})
    for kind in ("MNIST", "FashionMNIST"):
        found = ONNX[kind](root)
        harness.check(len(found) == 3 and [label for _, label in found] == [3, 7, 0], f"{kind} has the labels of its file")
        harness.check(same(found[1][0], test[1][..., None]) and type(found[1][1]) is int, f"{kind} has [28, 28, 1] uint8")
    harness.check(same(ONNX["FashionMNIST"](root, train=True, download=False)[4][0], train[4][..., None]),
                  "the other part, in a folder below")
    archive = folder / "npz"
    archive.mkdir()
    np.savez_compressed(archive / "mnist.npz", x_train=train, y_train=np.arange(5), x_test=test, y_test=labels)
    for is_train, images_of in ((True, train), (False, test)):
        found = ONNX["MNIST"](archive, train=is_train)
        harness.check(len(found) == len(images_of) and same(found[2][0], images_of[2][..., None]), "mnist.npz has both parts")
    chosen = ONNX["MNIST"](root, filter=lambda image, label: label > 0, transform=lambda sample: (sample[0].mean(), -sample[1]))
    harness.check([label for _, label in chosen] == [-3, -7], "filter, then transform")

    for kind, words in (("MNIST", "mnist.npz"), ("FashionMNIST", "train-images-idx3-ubyte and train-labels-idx1-ubyte")):
        raises("files that are absent", quantlens.UsageError, [kind, "downloads nothing", words, "nowhere"],
               lambda kind=kind: ONNX[kind](folder / "nowhere", train=True, download=True))
    whole = idx(test)
    bad = {"cut": whole[:-1], "long": whole + b"x", "head": whole[:9], "empty": b"", "labels": idx(labels),
           "float": b"\0\0\x0d" + whole[3:],
           "huge": whole[:4] + b"\xff" * 12 + whole[16:], "none": whole[:4] + b"\0" * 12, "few": idx(test[:2]),
           "packed_cut": gzip.compress(whole)[:-9], "packed_wrong": gzip.compress(whole)[:40] + b"\0" * 99,
           "packed_long": gzip.compress(whole + b"x")}
    for name, content in bad.items():
        below = put(folder / "bad" / name, **{"t10k-images-idx3-ubyte": content, "t10k-labels-idx1-ubyte": idx(labels)})
        raises(f"idx, {name}", quantlens.BadInput, [f"{name}/t10k-images", "get the file"],
               lambda below=below: ONNX["MNIST"](below))
    for name, arrays in (("pickled", {"x_test": np.array([{}]), "y_test": labels}), ("lacks", {"x_test": test}),
                         ("floats", {"x_test": test / 2, "y_test": labels}), ("unequal", {"x_test": test, "y_test": labels[:1]})):
        np.savez(put(folder / name, x=b"") / "mnist.npz", **arrays)
        raises(f"npz, {name}", quantlens.BadInput, [f"{name}/mnist.npz", "get the file"],
               lambda name=name: ONNX["MNIST"](folder / name))
    put(folder / "zip", **{"mnist.npz": b"PK\3\4 and no more"})
    raises("npz, no archive", quantlens.BadInput, ["mnist.npz"], lambda: ONNX["MNIST"](folder / "zip"))


class Called:
    """Unpickled, it makes a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def pickles_of_cifar(folder):
    rows = RNG.integers(0, 256, (3, 3072), np.uint8)
    root = put(folder / "ten", test_batch=cifar_batch(rows, [3, 8, 0]),
               **{"batches.meta": cifar_meta([b"airplane", b"automobile"]), **{f"cifar-10-batches-py__data_batch_{at}":
                  cifar_batch(rows[:2] + at, [at, 9]) for at in range(1, 6)}})
    found = ONNX["CIFAR10"](root)
    harness.check(len(found) == 3 and [label for _, label in found] == [3, 8, 0], "CIFAR10 has the labels of its file")
    harness.check(same(found[1][0], rows[1].reshape(3, 32, 32).transpose(1, 2, 0)), "rows of planes are [32, 32, 3]")
    harness.check(found.class_to_idx == {"airplane": 0, "automobile": 1}, "and the names of its classes")
    harness.check([label for _, label in ONNX["CIFAR10"](root, train=True)][::2] == [1, 2, 3, 4, 5],
                  "five files are for training, in the archive's folder")
    hundred = put(folder / "hundred", **{"cifar-100-python__test": cifar_batch(rows, [99, 1, 2], key=b"fine_labels")})
    harness.check(ONNX["CIFAR100"](hundred, filter=lambda image, label: label > 50)[0][1] == 99, "CIFAR100 has the fine labels")
    raises("no names", quantlens.NotFound, ["cifar-100-python/meta"], lambda: ONNX["CIFAR100"](hundred).classes)
    raises("files that are absent", quantlens.UsageError, ["CIFAR100", "downloads nothing", "train and meta", "cifar-100-python"],
           lambda: ONNX["CIFAR100"](hundred, train=True))

    made = folder / "made by a pickle"
    whole = cifar_batch(rows, [3, 8, 0])
    bad = {"called": pickle.dumps({"data": Called(made), "labels": [1]}, protocol=2), "cut": whole[:-40], "empty": b"",
           "text": b"no pickle",
           "named": b"\x80\x02}(U\x04datacos\nsystem\nU\x04true\x85RU\x06labels]u.",
           "float": cifar_batch(rows, [1, 2, 3], kind=b"f4"),
           "objects": cifar_batch(rows, [1, 2, 3], kind=b"O8"), "few": cifar_batch(rows, [1, 2]),
           "label": cifar_batch(rows, [1, 2, 10]),
           "other": cifar_batch(rows, [1, 2, 3], key=b"coarse"), "list": b"\x80\x02].", "key": b"\x80\x02}K\x01K\x02s.",
           "deep": b"\x80\x02})" + b"\x85" * 500_000 + b"Ns.", "steps": b"\x80\x02(" + b"N" * 2_000_000 + b"t.",
           "more": b"\x80\x02NN.",
           "shape": whole.replace(b"M\x00\x0c\x86", b"M\x01\x0c\x86"), "stack": b"\x80\x02s.", "memo": b"\x80\x02h\x07.",
           "set": b"\x80\x02NNNs.", "frame": pickle.dumps({"data": b"", "labels": []}, protocol=4)}
    for name, content in bad.items():
        below = put(folder / "bad" / name, test_batch=content)
        raises(f"pickle, {name}", quantlens.BadInput, [f"{name}/test_batch", "again"], lambda below=below: ONNX["CIFAR10"](below))
    harness.check(not made.exists(), "nothing that a pickle names was called")
    for name, words in (("called", "it names 'posix mkdir'"), ("named", "it names 'os system'")):
        raises(f"pickle, {name}", quantlens.BadInput, [words], lambda name=name: ONNX["CIFAR10"](folder / "bad" / name))
    with open(put(folder / "large", x=b"") / "test_batch", "wb") as file:
        file.truncate(1 << 29)
    raises("a file that is larger than any", quantlens.BadInput, ["large/test_batch"], lambda: ONNX["CIFAR10"](folder / "large"))
    put(root, **{"batches.meta": cifar_batch(rows, [1])})
    raises("names that are none", quantlens.BadInput, ["batches.meta", "label_names"], lambda: ONNX["CIFAR10"](root).classes)


def dummies_of_numbers():
    np.random.seed(9527)
    first = [np.random.uniform(-128.0, 127.0, (4, 3, 2)).astype(np.float32), np.random.uniform(0.0, 5.0, (4, 1)).astype(np.int64)]
    one = ONNX["dummy"](shape=(4, 3, 2))
    harness.check(len(one) == 4 and same(one[3][0], first[0][3]) and one[3][1] == 0,
                  "dummy has the predecessor's numbers and its range")
    two = ONNX["dummy"](shape=[(4, 3, 2), (4, 1)], low=[-128.0, 0.0], high=[127.0, 5.0], dtype=["float32", "int64"], label=False)
    harness.check(len(two) == 4 and same(two[1][0], first[0][1]) and same(two[1][1], first[1][1]),
                  "of several tensors, each its own")
    np.random.seed(9527)
    drawn = [np.random.uniform(0.0, 1.0, shape) for shape in ((2, 2), (1,), (2, 2), (1,))]
    found = list(ONNX["dummy_v2"](input_shape=(2, 2), label_shape=(1,), low=0.0, high=1.0, dtype=["float32", "float16"]))
    harness.check(len(found) == 100 and same(found[1][0], drawn[2].astype(np.float32)) and same(found[1][1],
                                                                                                drawn[3].astype(np.float16)),
                  "dummy_v2 has the predecessor's first numbers")
    harness.check(next(iter(ONNX["dummy_v2"]((2, 2)))).shape == (2, 2), "and no label where none is asked for")
    _, told = warned(lambda: ONNX["dummy"](shape=(1, 2), transform=lambda sample: sample))
    harness.check("no effect" in told, f"a transform of dummies is warned of: {told.strip()}")
    for words, arguments in (("no shape", {"shape": "big"}), ("no shape", {"shape": (-1, 2)}),
                             ("number of samples", {"shape": [(2, 1), (3, 1)]}),
                             ("dtype", {"shape": (2, 2), "dtype": "string"}), ("low", {"shape": (2, 2), "low": "a"}),
                             ("2 are given for 1", {"shape": (2, 2), "high": [1.0, 2.0]})):
        raises("a dummy", quantlens.UsageError, ["dummy: ", words], lambda arguments=arguments: ONNX["dummy"](**arguments))


def loaders():
    class Ten:
        def __len__(self):
            return 10

        def __getitem__(self, at):
            return np.full(2, at), at

    loader = DataLoader("onnxrt_qdq", Ten(), 4)
    harness.check(len(loader) == 3 and [len(labels) for _, labels in loader] == [4, 4, 2],
                  "rollover keeps the smaller last batch")
    loader.batch(3, "discard")
    harness.check(len(loader) == 3 and [labels.tolist() for _, labels in loader] == [[0, 1, 2], [3, 4, 5], [6, 7, 8]],
                  "discard does not")
    harness.check(list(DataLoader("onnxruntime", Ten(), 6, len)) == [6, 4], "collate_fn gets the list of samples")
    streamed = DataLoader("onnxruntime", (Ten()[at] for at in range(10)), 4, None, "discard")
    harness.check([labels.tolist() for _, labels in streamed] == [[0, 1, 2, 3], [4, 5, 6, 7]],
                  "of what can only be iterated, too")
    ragged = DataLoader("onnxruntime", [(np.zeros(2), 0), (np.zeros(3), 1)], 2)
    harness.check([len(one) for one in next(iter(ragged))[0]] == [2, 3], "samples of unequal shapes are a list")
    shuffled, told = warned(lambda: DataLoader("onnxruntime", Ten(), 10, shuffle=True))
    harness.check("shuffle has no effect" in told and list(next(iter(shuffled))[1]) == list(range(10)),
                  f"shuffle is warned of: {told.strip()}")
    harness.check(len(DataLoader("tensorflow", Ten(), num_workers=2, pin_memory=True)) == 10,
                  "batches are the same for all frameworks")
    for words, arguments in (("sampler", {"sampler": [0]}), ("batch_sampler", {"batch_sampler": [[0]]}),
                             ("distributed", {"distributed": True}),
                             ("batch_size", {"batch_size": 0}), ("last_batch", {"last_batch": "keep"}),
                             ("framework", {"framework": "caffe"}),
                             ("dataset", {"dataset": 3})):
        raises("a loader", quantlens.UsageError, ["DataLoader", words],
               lambda arguments=arguments: DataLoader(**{"dataset": Ten(), **arguments}))
    for framework in ("tensorflow", "pytorch_fx", "mxnet"):
        raises("datasets of others", quantlens.Unsupported, [framework, "onnxruntime"],
               lambda framework=framework: Datasets(framework)["dummy"])
    raises("no framework", quantlens.UsageError, ["caffe"], lambda: Datasets("caffe"))
    raises("a dataset that is not here", quantlens.Unsupported, ["COCORaw", "__getitem__"], lambda: ONNX["COCORaw"])
    raises("no dataset", quantlens.UsageError, ["ImageNet", "ImagenetRaw"], lambda: ONNX["ImageNet"])


def quantized(sandbox):
    """The network of the demo over its own images, as files."""
    arrays = np.load(harness.DEMO / "digits.npz")
    shades = np.clip(arrays["image"][:60] * 127 + 128, 0, 255).astype(np.uint8).transpose(0, 2, 3, 1)
    root = sandbox.path / "digits_as_files"
    for at, (image, label) in enumerate(zip(shades, arrays["label"])):
        put(root / str(label), **{f"{at:03}.png": png(image)})
    channels = shades.shape[3]

    def as_the_model_takes_it(sample):
        image, label = sample
        return ((image[..., :channels].astype(np.float32) - 128) / 127).transpose(2, 0, 1), label

    found = Datasets("onnxrt_qdq")["ImageFolder"](root, transform=as_the_model_takes_it)
    options.workspace = str(sandbox.path / "nc")
    made = quantization.fit(str(harness.DEMO / "digits.onnx"), PostTrainingQuantConfig(),
                            calib_dataloader=DataLoader("onnxrt_qdq", found, 10))
    harness.check(os.path.exists(made.model_path), "fit calibrates over a folder of images")
    score = quantlens.evaluate(made.model_path, found, metric="top1", progress=False).accuracy.quantized
    harness.check(score is None or score.value > 0.9, f"and its classes are those of the folders: {score and score.value}")


def real_images():
    folder = harness.TESTDATA / "imagenet"
    if not (folder / "images").is_dir():
        print("left out the real images: the test data are absent")
        return
    found = ONNX["ImagenetRaw"](folder / "images", folder / "val.txt")
    told = [line.split() for line in (folder / "val.txt").read_text().splitlines()]
    harness.check(len(found) == len(told) and [label for _, label in found.image_list] == [int(label) for _, label in told],
                  f"{len(told)} labels")
    try:
        from PIL import Image
    except ImportError:
        print("left out the pixels of real images: this Python has no Pillow")
        return
    for at in range(0, len(told), 50):
        pillow = np.asarray(Image.open(folder / "images" / told[at][0]).convert("RGB"))
        harness.check(found[at][0].shape == pillow.shape and np.abs(found[at][0].astype(int) - pillow).max() <= 1,
                      f"{told[at][0]} is what Pillow reads")


def examples_of_docstrings(folder):
    put(folder / "pets", cat__a=png(pixels()), cat__b=png(pixels()), dog__a=png(pixels()))
    (folder / "pets.txt").write_text("cat/a 281\ncat/b 281\ndog/a 207\n")
    shades = np.zeros((2, 28, 28), np.uint8)
    put(folder / "digits", **{"t10k-images-idx3-ubyte": idx(shades), "t10k-labels-idx1-ubyte": idx(np.array([3, 7], np.uint8))})
    names = [b"airplane", b"automobile", b"bird", b"cat"]
    rows = np.zeros((2, 3072), np.uint8)
    put(folder / "cifar", test_batch=cifar_batch(rows, [3, 1]), train=cifar_batch(rows, [50, 51], key=b"fine_labels"),
        **{"batches.meta": cifar_meta(names)})
    os.chdir(folder)
    runner, finder = doctest.DocTestRunner(verbose=False), doctest.DocTestFinder(recurse=False)
    known = [DataLoader, Datasets, dummies.Dummy, dummies.DummyV2, images.ImageFolder, images.Imagenet, images.ImagenetRaw,
             digits.MNIST,
             digits.FashionMNIST, cifar.CIFAR10, cifar.CIFAR100]
    for one in known:
        examples = [found for found in finder.find(one, one.__name__,
                                                   globs={"DataLoader": DataLoader, "Datasets": data.Datasets}) if found.examples]
        harness.check(examples, f"{one.__name__} has an example")
        for example in examples:
            runner.run(example)
    told = runner.summarize(verbose=False)
    harness.check(told.failed == 0, f"{told.attempted} lines of examples in docstrings do what they say")


def main():
    sandbox = harness.Sandbox()
    folders_of_images(sandbox.path / "folders")
    folders_that_are_none(put(sandbox.path / "none", x=b""))
    lists_of_images(sandbox.path / "lists")
    digits_of_idx_files(put(sandbox.path / "digits", x=b""))
    pickles_of_cifar(sandbox.path / "cifar")
    dummies_of_numbers()
    loaders()
    quantized(sandbox)
    real_images()
    examples_of_docstrings(sandbox.path / "examples")


main()
