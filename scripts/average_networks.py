#!/usr/bin/env python3
"""Write the mean of two of Enbu's own networks of version 3 and equal width (eval/src/nnue/format/own.rs).

Networks that were trained on from the same one lie close enough for their mean to be better than each of
them ("model soup", Wortsman and others 2022). The scale is that of the first. Needs numpy.
"""

import argparse

import numpy

PIECES, ATTACKS, UNITS, SECOND = 2344, 2134, 16, 32


def parts(width):
    """The types and lengths of the weights, in the order of the file."""
    return [
        ("<i2", width),
        ("<i2", PIECES * width),
        ("i1", ATTACKS * width),
        ("i1", width * UNITS),
        ("<i4", UNITS),
        ("<i2", 2 * UNITS * SECOND),
        ("<i4", SECOND),
        ("<i2", SECOND),
        ("<i4", 1),
    ]


def checksum(data):
    """FNV-1a, 64 bits."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & (1 << 64) - 1
    return value


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("--share", type=float, default=0.5, help="of the second network (default: 0.5)")
    parser.add_argument("--name", default="mean", help="name of the network, at most 24 ASCII characters")
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    first, second = (open(path, "rb").read() for path in (args.first, args.second))
    name = args.name.encode("ascii")
    if any(data[:8] != b"ENBUNNUE" or data[8:12] != b"\3\0\0\0" for data in (first, second)) or first[8:24] != second[8:24]:
        parser.error("the files are not networks of version 3 with equal width")
    if len(name) > 24 or not 0 <= args.share <= 1:
        parser.error("--name has at most 24 characters, --share is between 0 and 1")
    head, at, weights = first[:32], 64, b""
    for kind, count in parts(int.from_bytes(first[12:16], "little")):
        one, other = (numpy.frombuffer(data, kind, count, at).astype(float) for data in (first, second))
        weights += numpy.rint((1 - args.share) * one + args.share * other).astype(kind).tobytes()
        at += numpy.dtype(kind).itemsize * count
    if at != len(first) or at != len(second):
        parser.error("the files have another length than their width demands")
    rest = name.ljust(24, b"\0") + weights
    with open(args.out, "wb") as out:
        out.write(head + checksum(head + rest).to_bytes(8, "little") + rest)


if __name__ == "__main__":
    main()
