"""Reads lines `Layout hex` and writes `hex field=value ...`: unpacked and packed again."""

import dataclasses
import sys

from mnemosyne_clio import wire

for line in sys.stdin:
    name, text = line.split()
    value = getattr(wire, name).unpack(bytes.fromhex(text))
    fields = dataclasses.asdict(value)
    shown = [f"{k}={v.hex() if isinstance(v, bytes) else v}" for k, v in fields.items()]
    print(value.pack().hex(), *shown)
