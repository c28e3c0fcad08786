"""Runs a program that we do not trust: with limits of time, memory and output; without starting other programs; and, if
it should be harmless, without the network and without changing any file. That is enough for accidents and pranks. It does
not keep an attacker out: docs/course/teaching/README.md says so to teachers."""

import contextlib
import ctypes
import fcntl
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import NamedTuple

MEGABYTE = 1 << 20
KEPT = MEGABYTE  # how many bytes of what a program prints, and of its results, are kept


class Limits(NamedTuple):
    cpu_seconds: int       # of each process
    memory: int            # bytes, of each process
    file_size: int         # bytes, of each file that it writes, output included
    children: bool = False  # may it start other processes?
    harmless: bool = False  # no network, and no change of any file

    @property
    def wall_seconds(self):
        return 10 * self.cpu_seconds  # for a program that sleeps. Other work may slow us down, so it is not less


class Done(NamedTuple):
    status: int     # as of subprocess: the exit status, or -SIGNAL
    output: str     # what the program printed, and
    error: str      # its messages: the beginning of each
    results: bytes  # what it wrote to the descriptor for results

    @property
    def too_slow(self):
        return self.status in (-signal.SIGXCPU, -signal.SIGKILL)


# What nobody needs who only computes. In seccomp, a filter holds for the rest of a process's life.
_OTHER_PROCESSES = ("fork vfork kill tkill rt_sigqueueinfo pidfd_open pidfd_send_signal ptrace process_vm_readv "
                    "process_vm_writev setrlimit setsid setpgid setpriority ioprio_set sched_setaffinity sched_setattr "
                    "sched_setparam sched_setscheduler execveat").split()
_OUTSIDE = ("socket socketpair io_uring_setup bpf userfaultfd perf_event_open mount umount2 unshare setns chroot pivot_root "
            "reboot keyctl add_key shmget msgget semget mq_open memfd_create open_by_handle_at move_mount fsopen fsmount "
            "open_tree creat openat2 unlink unlinkat rename renameat renameat2 link linkat symlink symlinkat mkdir mkdirat rmdir "
            "mknod mknodat truncate chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes utimensat "
            "futimesat setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr").split()
_ALLOW, _EPERM, _ENOSYS = 0x7FFF0000, 0x00050000 | 1, 0x00050000 | 38
_NE, _MASKED_EQ = 1, 7
_CLONE_THREAD = 0x00010000
_F_SETOWN_EX, _FIOSETOWN, _SIOCSPGRP = 15, 0x8901, 0x8902


class _Argument(ctypes.Structure):
    """scmp_arg_cmp of libseccomp: a condition on one argument of a system call."""

    _fields_ = [("number", ctypes.c_uint), ("operator", ctypes.c_int), ("first", ctypes.c_uint64), ("second", ctypes.c_uint64)]


def _library():
    try:
        library = ctypes.CDLL("libseccomp.so.2")
    except OSError:
        return None
    library.seccomp_init.restype = ctypes.c_void_p
    library.seccomp_init.argtypes = [ctypes.c_uint32]
    library.seccomp_load.argtypes = [ctypes.c_void_p]
    library.seccomp_rule_add_array.argtypes = [
        ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint, ctypes.POINTER(_Argument)]
    return library


_SECCOMP = _library()
_C_LIBRARY = ctypes.CDLL(None)


def _strings(texts):
    """An array of texts, as execve takes it."""
    texts = [os.fsencode(text) for text in texts]
    return (ctypes.c_char_p * (len(texts) + 1))(*texts, None)


def can_confine():
    """Can this system take away a program's system calls?"""
    if _SECCOMP is None:
        return False
    try:
        return run_confined(["true"], Limits(5, 1024 * MEGABYTE, MEGABYTE, harmless=True)).status == 0
    except OSError:
        return False


def _forbid_system_calls(limits, execution):
    """For the rest of this process's life. Raises OSError if that does not work. `execution` has what execve needs: path,
    arguments and environment. execve is allowed only with their addresses, which mean nothing once the new program
    runs."""
    context = _SECCOMP.seccomp_init(_ALLOW)

    def forbid(name, *conditions, action=_EPERM):
        number = _SECCOMP.seccomp_syscall_resolve_name(name.encode())
        if number >= 0:  # this processor has this call
            array = (_Argument * len(conditions))(*conditions)
            if _SECCOMP.seccomp_rule_add_array(context, action, number, len(conditions), array) != 0:
                raise OSError(f"seccomp cannot forbid {name}")

    if not limits.children:
        for name in _OTHER_PROCESSES:
            forbid(name)
        for place, value in enumerate(execution):
            forbid("execve", _Argument(place, _NE, ctypes.addressof(value)))
        forbid("clone", _Argument(0, _MASKED_EQ, _CLONE_THREAD, 0))  # threads are no processes
        forbid("clone3", action=_ENOSYS)  # then the C library uses clone
        forbid("tgkill", _Argument(0, _NE, os.getpid()))
        forbid("rt_tgsigqueueinfo", _Argument(0, _NE, os.getpid()))
        forbid("prlimit64", _Argument(2, _NE, 0))
        for command in (fcntl.F_SETOWN, fcntl.F_SETSIG, _F_SETOWN_EX):  # these send signals to others
            forbid("fcntl", _Argument(1, _MASKED_EQ, 0xFFFFFFFF, command))
        for request in (_FIOSETOWN, _SIOCSPGRP):
            forbid("ioctl", _Argument(1, _MASKED_EQ, 0xFFFFFFFF, request))
    if limits.harmless:
        for name in _OUTSIDE:
            forbid(name)
        for name, flags in (("open", 1), ("openat", 2)):
            for mode in (os.O_WRONLY, os.O_RDWR):
                forbid(name, _Argument(flags, _MASKED_EQ, os.O_ACCMODE, mode))
            for flag in (os.O_CREAT, os.O_TRUNC):  # these change files that are opened for reading, too
                forbid(name, _Argument(flags, _MASKED_EQ, flag, flag))
    if _SECCOMP.seccomp_load(context) != 0:
        raise OSError("this system forbids seccomp")


def run_confined(command, limits, environment=None, directory=None, kept=KEPT):
    """Runs a command. An argument None becomes the number of a descriptor that it can write results to. What it has
    started is stopped when this returns."""
    with contextlib.ExitStack() as stack:
        output, error, results = (stack.enter_context(tempfile.TemporaryFile()) for _ in range(3))
        words = [str(results.fileno()) if word is None else str(word) for word in command]
        confined = _SECCOMP is not None and not (limits.children and not limits.harmless)

        path = shutil.which(words[0])
        if path is None:
            raise FileNotFoundError(f"{words[0]}: no such program")
        variables = os.environ if environment is None else environment
        execution = (ctypes.create_string_buffer(os.fsencode(path)), _strings(words),
                     _strings(f"{name}={value}" for name, value in variables.items()))

        def in_child():
            for what, value in ((resource.RLIMIT_CPU, (limits.cpu_seconds, limits.cpu_seconds + 1)),
                                (resource.RLIMIT_AS, 2 * (limits.memory,)), (resource.RLIMIT_CORE, (0, 0)),
                                (resource.RLIMIT_STACK, 2 * (8 * MEGABYTE,)),
                                (resource.RLIMIT_FSIZE, 2 * (limits.file_size,))):
                with contextlib.suppress(ValueError, OSError):  # macOS does not have all of them
                    resource.setrlimit(what, value)
            if confined:
                for number in map(int, os.listdir("/proc/self/fd")):  # it must not use files that we have inherited
                    if number > 2 and number != results.fileno():
                        with contextlib.suppress(OSError):
                            os.set_inheritable(number, False)
                try:
                    _forbid_system_calls(limits, execution)
                except OSError:
                    if limits.harmless:
                        raise
                    return  # then subprocess executes the program
                _C_LIBRARY.execve(*execution)  # subprocess would use other addresses
                raise OSError("execve failed")

        try:
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=error, cwd=directory,
                                       env=environment, pass_fds=[results.fileno()], preexec_fn=in_child,
                                       start_new_session=True)
        except subprocess.SubprocessError as problem:  # what in_child raises
            raise OSError(f"{path} cannot be run with limits: this system forbids seccomp, or the file is not a "
                          "program") from problem
        timer = threading.Timer(limits.wall_seconds, process.kill)  # process.wait(timeout) sleeps up to 50 ms too long
        timer.start()
        try:
            status = process.wait()
        finally:
            timer.cancel()
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

        def beginning(file, most):
            file.seek(0)
            return file.read(most)
        return Done(status, beginning(output, kept).decode(errors="replace"),
                    beginning(error, kept).decode(errors="replace"), beginning(results, kept))


def read_text(path):
    """The text of a file from a learner. Raises ValueError with a message for the learner if it is not a text."""
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"{path}: expected a file, found none.")
    with path.open("rb") as file:
        data = file.read(MEGABYTE + 1)
    if len(data) > MEGABYTE:
        raise ValueError(f"{path}: expected a source file, found more than {MEGABYTE} bytes.")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as problem:
        line = data[:problem.start].count(b"\n") + 1
        raise ValueError(f"{path}, line {line}: expected UTF-8, found the byte 0x{data[problem.start]:02X}, as in a file that was "
                         "saved as Latin-1. Save the file as UTF-8.") from None
    if "\0" in text:
        raise ValueError(f"{path}, line {text[:text.index(chr(0))].count(chr(10)) + 1}: expected text, found a byte of 0.")
    return text
