"""Steps of a set-up: each is done again only when the content of its inputs changed or an output is gone."""
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from fault import Fault, explain

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache"
_say = threading.Lock()


def say(line: str) -> None:
    """One line for the person at the terminal."""
    with _say:
        print(f"setup: {line}", file=sys.stderr, flush=True)


def files(*patterns: str) -> list:
    """The project's files that match these globs, without what is built."""
    found = {path for pattern in patterns for path in ROOT.glob(pattern) if path.is_file()}
    return sorted(p for p in found if not {"node_modules", "build", "__pycache__", ".venv", ".cache"} & set(p.relative_to(ROOT).parts))


def key(inputs: list) -> str:
    """SHA-256 over the inputs: the content of paths, and strings as they are."""
    digest = hashlib.sha256()
    for item in inputs:
        name = str(item.relative_to(ROOT)) if isinstance(item, Path) else "="
        content = item.read_bytes() if isinstance(item, Path) else str(item).encode()
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def step(name: str, inputs: list, outputs: list, action) -> bool:
    """Runs `action` unless its stamp says that it was done with these inputs and its outputs are there. True if it ran."""
    stamp, wanted = CACHE / "stamps" / name, key(inputs)
    if stamp.exists() and stamp.read_text() == wanted and all(Path(path).exists() for path in outputs):
        return False
    stamp.unlink(missing_ok=True)
    began = time.monotonic()
    action()
    missing = [str(path) for path in outputs if not Path(path).exists()]
    if missing:
        raise Fault(f"{name}: done, but {missing[0]} is not there; run make clean and make setup")
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.with_suffix(".new").write_text(wanted)
    stamp.with_suffix(".new").rename(stamp)
    say(f"{name} ({time.monotonic() - began:.0f} s)")
    return True


def environment(**more: str) -> dict:
    """What programs of the project see: its pinned tools first, and no toolchain fetched behind our back."""
    path = f"{CACHE / 'bin'}:{os.environ.get('PATH', '/usr/bin:/bin')}"
    return {**os.environ, "PATH": path, "NULLIUS_ROOT": str(ROOT), "GOTOOLCHAIN": "local", "LC_ALL": "C.UTF-8", **more}


def program(name: str, words: list, cwd: Path = ROOT, **more: str) -> str:
    """Runs a program to its end, keeping what it says in .cache/log/NAME.log; a failure becomes one sentence."""
    log = CACHE / "log" / f"{name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    try:
        run = subprocess.run([str(word) for word in words], cwd=cwd, env=environment(**more), capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        raise Fault(f"{name}: {words[0]} is not here; run make clean and make setup") from None
    said = run.stdout + run.stderr
    log.write_text(said)
    if run.returncode != 0:
        raise Fault(f"{name}: {explain(said)} (all of it: {log.relative_to(ROOT)})")
    return run.stdout


def plain_root() -> Path:
    """The project's folder by a name without spaces, which make cannot do with: its own, else a link that stands for it."""
    if not re.search(r"\s", str(ROOT)):
        return ROOT
    link = Path(tempfile.gettempdir()) / f"nullius-{os.getuid()}-{hashlib.sha256(str(ROOT).encode()).hexdigest()[:12]}"
    if not link.is_symlink() or link.resolve() != ROOT:
        link.unlink(missing_ok=True)
        link.symlink_to(ROOT)
    return link
