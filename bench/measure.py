"""Runs programs and measures them: wall time, processor time, resident memory."""
import os
import signal
import statistics
import subprocess
import tempfile
import time


class Measured:
    """One run. Seconds; bytes."""

    def __init__(self, code, wall, processor, memory, out, err):
        self.code, self.wall, self.processor, self.memory, self.out, self.err = code, wall, processor, memory, out, err


class Failed(Exception):
    pass


def run(argv, cwd=None, env=None, timeout=7200):
    """Waits for it and takes the kernel's figures for it and its children. Raises Failed on a bad exit."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begin = time.monotonic()
        process = subprocess.Popen([str(a) for a in argv], cwd=cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                   env={**os.environ, **(env or {})})
        old = signal.signal(signal.SIGALRM, lambda *_: process.kill())
        signal.alarm(timeout)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - begin
        signal.alarm(0)
        signal.signal(signal.SIGALRM, old)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        measured = Measured(process.returncode, wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, out.read(), err.read())
    if measured.code != 0:
        raise Failed(f"{' '.join(map(str, argv))[:300]}: exit {measured.code}: {measured.err.decode('utf-8', 'replace')[-500:]}")
    return measured


def alternate(rounds, **programs):
    """name -> callable that runs once and gives a Measured. All take turns; result: name -> [Measured]."""
    found = {name: [] for name in programs}
    for _ in range(rounds):
        for name, program in programs.items():
            found[name].append(program())
    return found


def median(runs, figure):
    return statistics.median(getattr(r, figure) for r in runs)
