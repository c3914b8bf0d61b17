"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import stat


def write_atomically(path: str, data: bytes, *, mode: int = 0o666, dir_fd: int | None = None) -> None:
    """Make `path` hold `data`: through a temporary file beside it and a rename, so that nobody ever reads half of it.

    A new file gets `mode` less the umask. With `dir_fd`, `path` is a name in that open folder. Raises OSError; the
    temporary file (`.<name>.<random>.tmp`) is gone by then.
    """
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.{os.urandom(6).hex()}.tmp")
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
    try:
        handle = os.open(temporary, flags, mode, dir_fd=dir_fd)
    except OSError as error:
        error.filename = folder or "."  # it is the folder that is missing or closed; the temporary name tells nobody
        raise
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(temporary, path, src_dir_fd=dir_fd, dst_dir_fd=dir_fd)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=dir_fd)
        raise


def write_if_changed(path: str, text: str) -> bool:
    """Make the file `path` hold `text` in UTF-8 with plain newlines; says whether it had to be written.

    A symbolic link is followed and stays; the permissions of a file that exists stay; a device or a pipe is written to
    as it is. Raises OSError.
    """
    data = text.encode("utf-8")
    path = os.path.realpath(path)
    try:
        status = os.stat(path)
    except FileNotFoundError:
        write_atomically(path, data)
        return True
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(status.st_mode):
        with open(path, "wb") as file:
            file.write(data)
        return True
    if holds(path, text):
        return False
    write_atomically(path, data)
    os.chmod(path, stat.S_IMODE(status.st_mode))
    return True


def holds(path: str, text: str) -> bool:
    """Whether the file exists and holds `text`; line ends as a checkout on Windows makes them count as equal.

    Raises OSError for a file that exists and cannot be read.
    """
    try:
        with open(path, "rb") as file:
            return file.read().replace(b"\r\n", b"\n") == text.encode("utf-8")
    except FileNotFoundError:
        return False
