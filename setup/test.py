"""Runs every test of the project, shows what each suite said, and ends with one line: N passed, N failed.

A suite that breaks down, or that counts nothing, is one failed test: silence must not pass for success.
"""
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from setup import liburing  # noqa: E402
from steps import CACHE, ROOT, environment, files, plain_root  # noqa: E402

BIN = CACHE / "bin"


@dataclass
class Suite:
    name: str
    command: list
    folder: Path = ROOT
    more: dict = field(default_factory=dict)


def suites() -> list:
    accept = ["make", "-f", plain_root() / "native/accept/Makefile", *(f"{name}={value}" for name, value in liburing().items())]
    found = [Suite("set-up", [sys.executable, "-m", "unittest", "discover", "-s", "setup/tests"])]
    if (ROOT / "native/accept/Makefile").exists():
        found += [Suite("C", [*accept, "test"]), Suite("C, address and undefined behaviour sanitizers", [*accept, "test-sanitize"])]
    found += [Suite(f"Go, race detector: {module.parent.relative_to(ROOT)}", [BIN / "go", "test", "-race", "-count=1", "-v", "./..."], module.parent)
              for module in files("native/**/go.mod") if list(module.parent.glob("**/*_test.go"))]
    if list((ROOT / "native/zap").glob("**/*_test.go")):
        # The race detector knows no 32 bits; there lengths of 4 GiB meet an int that cannot hold them.
        found.append(Suite("Go, 32 bits: native/zap", [BIN / "go", "test", "-count=1", "-v", "./..."], ROOT / "native/zap", {"GOARCH": "386", "CGO_ENABLED": "0"}))
    tests = [str(path.relative_to(ROOT)) for path in files("pipeline/test/*.test.ts")]
    found.append(Suite("TypeScript, notebooks, pages in Chromium", [BIN / "node", "--test", "--test-reporter=spec", *tests]))
    return found


def counts(said: str) -> tuple:
    """(passed, failed, skipped) from what a runner printed: node:test, go test -v, unittest, TAP, or lines `N passed, N failed`."""
    def total(pattern: str) -> int:
        return sum(int(n) for n in re.findall(pattern, said, re.M))

    def lines(pattern: str) -> int:
        return len(re.findall(pattern, said, re.M))
    if re.search(r"^(?:ℹ|#) tests \d+$", said, re.M):
        return total(r"^(?:ℹ|#) pass (\d+)$"), total(r"^(?:ℹ|#) (?:fail|cancelled) (\d+)$"), total(r"^(?:ℹ|#) (?:skipped|todo) (\d+)$")
    if re.search(r"^=== RUN", said, re.M):
        return lines(r"^\s*--- PASS"), lines(r"^\s*--- FAIL"), lines(r"^\s*--- SKIP")
    ran = re.search(r"^Ran (\d+) tests? in", said, re.M)
    if ran:
        bad, skipped = total(r"(?:failures|errors)=(\d+)"), total(r"skipped=(\d+)")
        return int(ran[1]) - bad - skipped, bad, skipped
    summed = re.findall(r"(\d+) passed, (\d+) failed", said)
    if summed:
        return sum(int(p) for p, _ in summed), sum(int(f) for _, f in summed), total(r"(\d+) skipped")
    skipped = lines(r"^ok\b.*# *skip")
    return lines(r"^ok\b") - skipped, lines(r"^not ok\b"), skipped


def run(suite: Suite) -> tuple:
    print(f"\n== {suite.name}", flush=True)
    began, said = time.monotonic(), []
    with subprocess.Popen([str(word) for word in suite.command], cwd=suite.folder, env=environment(**suite.more), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", stdin=subprocess.DEVNULL) as child:
        for line in child.stdout:
            said.append(line)
            print(line, end="", flush=True)
    passed, failed, skipped = counts("".join(said))
    if failed == 0 and (child.returncode != 0 or passed == 0):
        print(f"{suite.name}: ended with status {child.returncode} and {passed} tests passed; counted as one failure")
        failed = 1
    return passed, failed, skipped, time.monotonic() - began


def main() -> int:
    rows = [(suite.name, *run(suite)) for suite in suites()]
    width = max(len(name) for name, *_ in rows)
    print()
    for name, passed, failed, skipped, seconds in rows:
        print(f"{name:{width}}  passed {passed:4}  failed {failed:4}  skipped {skipped:4}  {seconds:5.0f} s")
    failed = sum(row[2] for row in rows)
    print(f"\n{sum(row[1] for row in rows)} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(main())
