"""The cache of generated modules: one file of source for each template, in a folder that only its owner can write.

The folder is `RTGEN_CACHE_DIR`, else `rtgen` in the platform's cache folder. It is trusted only if it belongs to the
user of this process, no one else may write to it, and it is no symbolic link; the same goes for each file. A file
`<template hash>.py` ends with a line that states the hash of all that stands before it, so a file that was cut or
changed is made anew. That line detects accidents, not malice: what is loaded must pass `rtgen.gate` before it is
executed. A cache that cannot be used is never an error: modules are then made in memory, with one warning a folder.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable

VARIABLE = "RTGEN_CACHE_DIR"
"""The environment variable that names the folder."""

_STAMP = b"# rtgen cache: sha256 "
_HASH_DIGITS = 64
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)  # a pipe in the folder must not stop us
_BY_HANDLE = {os.open, os.rename, os.unlink} <= os.supports_dir_fd and os.listdir in os.supports_fd
_warned: set[str] = set()


class CacheError(Exception):
    """The cache folder cannot be used; the message says why. Only `clear` lets it out."""


def directory() -> str:
    """The absolute path of the cache folder, whether it exists or not. `~` in the variable is a home folder.

    Raises CacheError where there is none: no variable and no home.
    """
    chosen = os.environ.get(VARIABLE)
    if chosen:
        chosen = os.path.expanduser(chosen)
        if chosen.startswith("~"):
            raise CacheError(f"{VARIABLE} is {chosen!r}, and there is no such home folder")
    path = os.path.abspath(chosen) if chosen else _platform_directory()
    if not os.path.isabs(path):  # an account without a home folder
        raise CacheError(f"this account has no home folder, and {VARIABLE} is not set")
    return path


def load(
    template_hash: str, build: Callable[[], str], accept: Callable[[str], bool] | None = None
) -> tuple[str, str | None]:
    """The source of the module for this template hash, and the path of the file that holds it.

    A file that can be trusted is read; otherwise `build` makes the source and it is stored. `accept` may refuse what
    was read (never what was built), which then is built anew. The path is None where nothing could be stored. Never
    raises what the file system raises; what `build` and `accept` raise goes through.
    """
    try:
        folder = _Folder(directory())
    except (CacheError, OSError) as error:
        _warn(error)
        return build(), None
    try:
        source = folder.read(template_hash)
        if source is None or (accept is not None and not accept(source)):
            source = build()
            try:
                folder.write(template_hash, source)
            except (OSError, UnicodeEncodeError) as error:
                _warn(error)
                return source, None
        return source, os.path.join(folder.path, f"{template_hash}.py")
    finally:
        folder.close()


def clear() -> int:
    """Delete the cached modules and what interrupted writers left behind, nothing else; says how many modules.

    Raises CacheError if the folder is not to be trusted, OSError if a file cannot be deleted.
    """
    path = directory()
    if not os.path.lexists(path):
        return 0
    folder = _Folder(path)
    try:
        return folder.clear()
    finally:
        folder.close()


class _Folder:
    """An open cache folder that was found trustworthy. Raises CacheError or OSError where it is not.

    Where the platform can, the folder is held by a handle and files are named relative to it: so what was checked is
    what is used, whatever happens to the path.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._handle: int | None = None
        if not os.path.lexists(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            try:
                os.mkdir(path, 0o700)
            except FileExistsError:  # another process was faster
                pass
        if _BY_HANDLE:
            try:
                self._handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | _NO_FOLLOW)
            except OSError as error:
                if os.path.islink(path):
                    raise CacheError(f"{path} is a symbolic link") from error
                raise
            fault = _fault(os.fstat(self._handle))
        else:
            fault = _fault(os.lstat(path))
        if fault is not None:
            self.close()
            raise CacheError(f"{path} {fault}")

    def close(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def read(self, template_hash: str) -> str | None:
        """The source that is stored under the hash; None if there is none, or on any doubt about it."""
        name = f"{template_hash}.py"
        try:
            handle = os.open(self._at(name), os.O_RDONLY | _NO_FOLLOW | _NO_WAIT, dir_fd=self._handle)
            with os.fdopen(handle, "rb") as file:
                status = os.fstat(handle)
                if not stat.S_ISREG(status.st_mode) or _fault(status) is not None:
                    return None
                data = file.read()
            return _checked(data, template_hash)
        except (OSError, UnicodeDecodeError):
            return None

    def write(self, template_hash: str, source: str) -> None:
        """Store the source under the hash. Raises OSError."""
        from rtgen.files import write_atomically

        data = source.encode("utf-8")
        data += _stamp(data, template_hash)
        write_atomically(self._at(f"{template_hash}.py"), data, mode=0o600, dir_fd=self._handle)

    def clear(self) -> int:
        count = 0
        for name in os.listdir(self.path if self._handle is None else self._handle):
            stem, suffix = os.path.splitext(name)
            module = suffix == ".py" and _is_hash(stem)
            leftover = suffix == ".tmp" and name[:1] == "." and _is_hash(name[1 : 1 + _HASH_DIGITS])
            if module or leftover:
                os.unlink(self._at(name), dir_fd=self._handle)
                count += module
        return count

    def _at(self, name: str) -> str:
        return name if self._handle is not None else os.path.join(self.path, name)


def _fault(status: os.stat_result) -> str | None:
    """Why a file or folder with this status is not private to the user of this process, or None."""
    if stat.S_ISLNK(status.st_mode):
        return "is a symbolic link"
    if not stat.S_ISDIR(status.st_mode) and not stat.S_ISREG(status.st_mode):
        return "is neither a folder nor a file"
    if not hasattr(os, "geteuid"):  # Windows: the folder inherits the rights of the user's profile
        return None
    if status.st_uid != os.geteuid():
        return f"belongs to another user (uid {status.st_uid})"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"can be written by others than its owner (mode {stat.S_IMODE(status.st_mode):04o})"
    return None


def _stamp(data: bytes, template_hash: str) -> bytes:
    """The last line of a file: a hash over the template's hash and the source, so a renamed file does not pass."""
    from hashlib import sha256

    return b"%b%b\n" % (_STAMP, sha256(template_hash.encode() + b"\n" + data).hexdigest().encode())


def _checked(data: bytes, template_hash: str) -> str | None:
    size = len(_STAMP) + _HASH_DIGITS + 1
    body = data[:-size]
    return body.decode("utf-8") if data[-size:] == _stamp(body, template_hash) else None


def _is_hash(text: str) -> bool:
    return len(text) == _HASH_DIGITS and not text.strip("0123456789abcdef")


def _platform_directory() -> str:
    """The folder `rtgen` where the platform keeps caches, as platformdirs has it.

    On Linux that rule is one line, and platformdirs takes a third of the time that the first use of a cached template
    may take; a test holds the two together.
    """
    if sys.platform == "linux":
        base = os.environ.get("XDG_CACHE_HOME", "").strip()
        return os.path.join(base if os.path.isabs(base) else os.path.expanduser("~/.cache"), "rtgen")
    import platformdirs

    return platformdirs.user_cache_dir("rtgen", appauthor=False)


def _warn(error: Exception) -> None:
    """Say once for each folder that it cannot be used."""
    import warnings

    place = os.environ.get(VARIABLE, "")
    if place not in _warned:
        _warned.add(place)
        reason = f"{error.strerror} ({error.filename})" if isinstance(error, OSError) and error.strerror else error
        warnings.warn(
            f"rtgen's cache is not used: {reason}; parsers are compiled in memory", RuntimeWarning, stacklevel=4
        )
