"""How fast the example is: inside the library, and as a whole process beside a plain script.

Prints the best of several runs, and the ratio of the two processes measured in turn.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from cubspec.example import make_example

RUNS = 7
SCRIPT = Path(__file__).with_name("straightforward_birds.py")


def best(run: object) -> float:
    """The shortest of several runs, seconds."""
    assert callable(run)
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def process(*arguments: str) -> None:
    """Run a process of this Python to its end."""
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    """Print the times."""
    inside = best(lambda: make_example(only=()))
    print(f"2,000 birds, default tables, inside the library: {inside:.3f} s")
    ours = best(lambda: process("-m", "cubspec", "example"))
    theirs = best(lambda: process(str(SCRIPT)))
    print(f"whole process: cubspec example {ours:.3f} s, straightforward script {theirs:.3f} s")
    print(f"ratio: {ours / theirs:.2f}")


if __name__ == "__main__":
    main()
