"""What the runners print, as test.py counts it."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import test as runner  # noqa: E402


class Counts(unittest.TestCase):
    def test_each_runner_is_counted(self) -> None:
        for said, expected in {
            "✔ a\nℹ tests 5\nℹ suites 1\nℹ pass 2\nℹ fail 1\nℹ cancelled 1\nℹ skipped 1\nℹ todo 0\n": (2, 2, 1),
            "=== RUN   TestA\n--- PASS: TestA (0.0s)\n=== RUN   TestB\n    --- FAIL: TestB/x (0s)\n--- SKIP: TestC\nFAIL\n": (1, 1, 1),
            "Ran 7 tests in 0.1s\n\nFAILED (failures=1, errors=1, skipped=2)\n": (3, 2, 2),
            "Ran 1 test in 0.1s\n\nOK\n": (1, 0, 0),
            "a: 3 passed, 0 failed\nb: 4 passed, 2 failed, 1 skipped\n": (7, 2, 1),
            "ok 1 - a\nnot ok 2 - b\nok 3 # skip no ring\n": (1, 1, 1),
            "nothing at all\n": (0, 0, 0),
        }.items():
            self.assertEqual(runner.counts(said), expected, said)

    def test_a_suite_that_is_silent_or_breaks_down_is_a_failure(self) -> None:
        for code in ("pass", "print('2 passed, 0 failed'); raise SystemExit(3)"):
            self.assertEqual(runner.run(runner.Suite("t", [sys.executable, "-c", code]))[1], 1)


if __name__ == "__main__":
    unittest.main()
