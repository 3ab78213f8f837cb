"""Whether the file of an embedded database can be used: asked before SQLite touches it, so that nothing is lost."""

from __future__ import annotations

import os
import shutil
import struct
from datetime import UTC, datetime
from pathlib import Path

from memory.stores.transaction import DatabaseBroken

ROOM = 16 << 20  # bytes that must be free: the write-ahead log alone grows to some megabytes

_MAGIC = b"SQLite format 3\0"
_HEADER = 100
_KEEP = "没有改动它；换上备份，或用 sqlite3 的 .recover 抢救"


def check_usable(file: Path, *, owned_before: bool) -> None:
    """Raise DatabaseBroken, in a sentence that names the file and the cure, for a file that must not be opened: no
    database, cut off, emptied, not writable, or a full disk. Of a damaged file a copy is kept beside it.

    `owned_before`: this folder held a database already, so an empty file is a loss and not a beginning."""
    folder = file.parent
    if not os.access(folder, os.W_OK) or (file.exists() and not os.access(file, os.W_OK)):
        raise DatabaseBroken(f"数据文件 {file} 不可写：检查所有者和权限，以及磁盘是不是只读挂载")
    free = shutil.disk_usage(folder).free
    if free < ROOM:
        raise DatabaseBroken(f"数据目录 {folder} 所在的磁盘只剩 {free >> 20} MB：腾出至少 {ROOM >> 20} MB 再启动")
    if problem := _damage(file, owned_before):
        copy = keep_copy(file)
        raise DatabaseBroken(f"数据文件 {file} {problem}；{_KEEP}。另存了一份 {copy.name}")


def keep_copy(file: Path) -> Path:
    """A copy of a damaged database beside it, with its log; one for each state of the file, however often we start."""
    changed = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    copy = file.with_name(f"{file.name}.damaged-{changed:%Y%m%dT%H%M%S}")
    for source, target in ((file, copy), (_log_of(file), _log_of(copy))):
        if not target.exists() and (source == file or _has_bytes(source)):
            shutil.copy2(source, target)
    return copy


def _damage(file: Path, owned_before: bool) -> str | None:
    size = file.stat().st_size if file.exists() else 0
    has_log = _has_bytes(_log_of(file))
    if size == 0:
        return "是空的，里面的记忆不见了" if file.exists() and (owned_before or has_log) else None
    with file.open("rb") as opened:
        header = opened.read(_HEADER)
    if len(header) < _HEADER or not header.startswith(_MAGIC):
        return "不是数据库，或开头已经损坏"
    expected = _expected_size(header)
    # With a log beside it the file may be shorter for a moment: SQLite brings both together when it opens them.
    return "被截断了" if expected and size < expected and not has_log else None


def _expected_size(header: bytes) -> int | None:
    """Bytes that the file claims to have (https://sqlite.org/fileformat.html, section 1.3); None when not known."""
    page_size, pages = struct.unpack_from(">H", header, 16)[0], struct.unpack_from(">I", header, 28)[0]
    changed, valid_for = struct.unpack_from(">I", header, 24)[0], struct.unpack_from(">I", header, 92)[0]
    if changed != valid_for:
        return None
    return (65536 if page_size == 1 else int(page_size)) * int(pages)


def _has_bytes(file: Path) -> bool:
    return file.exists() and file.stat().st_size > 0


def _log_of(file: Path) -> Path:
    return file.with_name(file.name + "-wal")
