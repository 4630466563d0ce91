"""A PEP 517 backend for a package of plain Python files: it needs neither a network nor another package."""

from __future__ import annotations

import base64
import hashlib
import io
import tarfile
import zipfile
from pathlib import Path
from typing import Any, Optional

ROOT = Path(__file__).resolve().parent
NAME, VERSION, PACKAGE = "mnemosyne_clio", "0.2.0", "mnemosyne_clio"
INFO = f"{NAME}-{VERSION}.dist-info"


def _info() -> dict[str, bytes]:
    metadata = (
        "Metadata-Version: 2.1\n"
        f"Name: {NAME.replace('_', '-')}\nVersion: {VERSION}\n"
        "Summary: asyncio client of the Clio disaggregated memory node\n"
        "License: Apache-2.0\nRequires-Python: >=3.10\nDescription-Content-Type: text/markdown\n\n"
    ) + (ROOT / "README.md").read_text("utf8")
    wheel = "Wheel-Version: 1.0\nGenerator: build_backend\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    return {f"{INFO}/METADATA": metadata.encode(), f"{INFO}/WHEEL": wheel.encode()}


def _sources() -> dict[str, bytes]:
    files = (p for p in sorted((ROOT / PACKAGE).rglob("*")) if p.is_file() and p.suffix in (".py", ".typed"))
    return {p.relative_to(ROOT).as_posix(): p.read_bytes() for p in [*files, *(ROOT / PACKAGE).glob("py.typed")]}


def _wheel(directory: str, files: dict[str, bytes]) -> str:
    name = f"{NAME}-{VERSION}-py3-none-any.whl"
    record = ""
    with zipfile.ZipFile(Path(directory) / name, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record += f"{path},sha256={digest},{len(content)}\n"
        archive.writestr(f"{INFO}/RECORD", f"{record}{INFO}/RECORD,,\n")
    return name


def build_wheel(
    wheel_directory: str, config_settings: Optional[dict[str, Any]] = None, metadata_directory: Optional[str] = None
) -> str:
    return _wheel(wheel_directory, {**_sources(), **_info()})


def build_editable(
    wheel_directory: str, config_settings: Optional[dict[str, Any]] = None, metadata_directory: Optional[str] = None
) -> str:
    return _wheel(wheel_directory, {f"{NAME}.pth": f"{ROOT}\n".encode(), **_info()})


def build_sdist(sdist_directory: str, config_settings: Optional[dict[str, Any]] = None) -> str:
    base = f"{NAME}-{VERSION}"
    own = {p: (ROOT / p).read_bytes() for p in ("pyproject.toml", "build_backend.py", "README.md")}
    with tarfile.open(Path(sdist_directory) / f"{base}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path, content in {**own, **_sources(), "PKG-INFO": _info()[f"{INFO}/METADATA"]}.items():
            member = tarfile.TarInfo(f"{base}/{path}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return f"{base}.tar.gz"
