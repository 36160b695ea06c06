#!/usr/bin/env python3
"""Debian packages by version and SHA-256, unpacked into .cache/debian/SET and never installed.

    python3 setup/debian.py fetch SET...    unpack these sets, print the folder of each
    python3 setup/debian.py lock [SET...]   pin the newest packages of these sets (all, if none is named)
    python3 setup/debian.py list            the sets and what each is for

A set is what one purpose needs: an emulator with its libraries, a kernel, the source of a library. The pins are in
debian-packages.json. Neither root nor the machine's own packages matter; apt only carries the files, so its proxy and
certificate settings hold. DEBIAN_MIRROR overrides the mirror that the machine's apt uses.
"""
import fcntl
import functools
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from fault import Fault, explain, guarded  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
PINS = Path(__file__).resolve().parent / "debian-packages.json"
HELPER = "/usr/lib/apt/apt-helper"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


def cache() -> Path:
    """The folder of the unpacked sets."""
    return ROOT / ".cache" / "debian"


def pins() -> dict:
    """The pinned sets, by name."""
    return json.loads(PINS.read_text())["sets"]


def digest(packages: list) -> str:
    """A set's digest: SHA-256 over the sorted SHA-256 of its packages, one a line."""
    return hashlib.sha256("".join(sorted(p["sha256"] + "\n" for p in packages)).encode()).hexdigest()


# --- apt as a carrier -----------------------------------------------------------------------------------------------

def options() -> list:
    """Options that keep apt away from the machine's own state, but leave its proxy and certificate settings alone."""
    own = cache() / "apt"
    for folder in ("state/lists/partial", "cache/archives/partial"):
        (own / folder).mkdir(parents=True, exist_ok=True)
    (own / "status").touch()
    settings = {
        "Dir::State": own / "state", "Dir::State::lists": own / "state/lists", "Dir::State::status": own / "status",
        "Dir::Cache": own / "cache", "Dir::Etc::sourcelist": own / "sources.list", "Dir::Etc::sourceparts": "/dev/null",
        "Acquire::Languages": "none", "Acquire::Retries": "3", "APT::Sandbox::User": "root" if os.geteuid() == 0 else "",
    }
    return [word for name, value in settings.items() if value != "" for word in ("-o", f"{name}={value}")]


def mirror() -> str:
    """The Debian mirror, ending in a slash: DEBIAN_MIRROR, else the one the machine's apt reads."""
    if os.environ.get("DEBIAN_MIRROR"):
        return os.environ["DEBIAN_MIRROR"].rstrip("/") + "/"
    if not shutil.which("apt-get"):
        raise Fault("apt-get is not here, so no Debian package can be downloaded; use a Debian machine")
    targets = output("apt-get", "indextargets", "--format", "$(REPO_URI) $(LABEL) $(ORIGIN)")
    found = [line.split()[0] for line in targets.splitlines() if line.split()[1:] == ["Debian", "Debian"]]
    # A machine whose package lists were deleted, as in container images, has no targets, but still knows its addresses.
    found += re.findall(r"^'(\S+/)dists/[a-z]+/(?:In)?Release'", output("apt-get", "update", "--print-uris"), re.M)
    found = [uri for uri in found if "security" not in uri and "ubuntu" not in uri]
    if not found:
        raise Fault("apt on this machine reads no Debian mirror; name one: DEBIAN_MIRROR=http://HOST/debian make setup")
    return found[0]


def output(*words: str) -> str:
    """What a program prints; nothing when it fails."""
    return subprocess.run(words, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}).stdout


class Gone(Exception):
    """The mirror no longer has a pinned file."""


def download(package: dict, base: str) -> Path:
    """The verified file of a package, from the cache or the mirror. It appears whole or not at all."""
    archive = cache() / "archives" / f"{package['sha256'][:16]}-{Path(package['file']).name}"
    if archive.exists() and archive.stat().st_size == package["size"]:
        return archive
    archive.parent.mkdir(parents=True, exist_ok=True)
    part = archive.with_suffix(f".{os.getpid()}")
    run = subprocess.run([HELPER, *options(), "download-file", base + package["file"], str(part), "SHA256:" + package["sha256"]],
                         capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    if run.returncode != 0:
        part.unlink(missing_ok=True)
        said = run.stdout + run.stderr
        if re.search(r"\b404\b|File not found|Hash Sum mismatch|Not Found", said):
            raise Gone(package["name"])
        raise Fault(f"cannot download {Path(package['file']).name}: {explain(said)}")
    if hashlib.sha256(part.read_bytes()).hexdigest() != package["sha256"]:
        part.unlink()
        raise Fault(f"{Path(package['file']).name} from the mirror is not what is pinned in {PINS.relative_to(ROOT)}; try another DEBIAN_MIRROR")
    part.rename(archive)
    return archive


# --- sets -----------------------------------------------------------------------------------------------------------

def unpack(archive: Path, into: Path) -> None:
    command = ["dpkg-deb", "-x", str(archive), str(into)] if archive.suffix == ".deb" else \
        ["tar", "-xf", str(archive), "-C", str(into), "--strip-components=1", "--no-same-owner"]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        raise Fault(f"cannot unpack {archive.name}: {explain(run.stderr)}")


def ready(name: str, pinned: dict) -> bool:
    """Whether the set is there, as pinned or as the replacement that was chosen for exactly this pin."""
    try:
        state = json.loads((cache() / name / ".packages.json").read_text())
    except (FileNotFoundError, ValueError):
        return False
    return state["pinned"] == digest(pinned["packages"])


def fetch(name: str) -> Path:
    """The folder of a set, downloaded and unpacked if need be. Beside the files: .digest and .packages.json."""
    known = pins()
    if name not in known:
        raise Fault(f"no Debian set '{name}' in {PINS.relative_to(ROOT)}; known: {', '.join(known)}")
    folder = cache() / name
    host = known[name].get("host", platform.machine())
    if host != platform.machine():
        raise Fault(f"the set {name} holds programs for {host}, and this machine is {platform.machine()}")
    if ready(name, known[name]):
        return folder
    cache().mkdir(parents=True, exist_ok=True)
    with open(cache() / f".lock-{name}", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two set-ups at once: the second finds the set ready
        if not ready(name, known[name]):
            build(name, known[name], folder)
    return folder


def build(name: str, pinned: dict, folder: Path) -> None:
    base = mirror()
    packages = pinned["packages"]
    try:
        archives = [download(package, base) for package in packages]
    except Gone as gone:
        packages = resolve(pinned, update([pinned], base))
        archives = [download(package, base) for package in packages]
        changed = [f"{p['name']} {p['version']}" for p in packages if p not in pinned["packages"]]
        print(f"setup: the mirror no longer has the pinned {gone} of {name}; using {', '.join(changed)} under a new digest: "
              "figures are comparable only with runs of the same digest", file=sys.stderr)
    fresh = folder.with_name(f".{name}.{os.getpid()}")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir()
    for archive in archives:
        unpack(archive, fresh)
    for path in pinned.get("drop", []):
        shutil.rmtree(fresh / path, ignore_errors=True)
    (fresh / ".packages.json").write_text(json.dumps({"pinned": digest(pinned["packages"]), "packages": packages}, indent=1) + "\n")
    (fresh / ".digest").write_text(digest(packages) + "\n")
    shutil.rmtree(folder, ignore_errors=True)
    fresh.rename(folder)
    for archive in archives:  # the unpacked set is what is used; the archives are as large again
        archive.unlink(missing_ok=True)


# --- choosing the packages of a set ---------------------------------------------------------------------------------

def update(sets: list, base: str) -> dict:
    """Package lists from the mirror: {(suite, architecture or "source"): {name: paragraph}}, the newest version of each."""
    wanted = {(s["suite"], s["architecture"]) for s in sets}
    if not Path(KEYRING).exists():
        raise Fault("Debian's signing keys are not here to check the mirror's lists; run: apt-get install debian-archive-keyring")
    lines = [f"deb-src [signed-by={KEYRING}] {base} {suite} main" if architecture == "source" else
             f"deb [arch={architecture} signed-by={KEYRING}] {base} {suite} main" for suite, architecture in sorted(wanted)]
    opts = options()
    (cache() / "apt" / "sources.list").write_text("\n".join(lines) + "\n")
    run = subprocess.run(["apt-get", *opts, "update", "-q"], capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    if run.returncode != 0:
        raise Fault(f"cannot read the mirror's package lists: {explain(run.stdout + run.stderr)}")
    lists = {}
    for line in output("apt-get", *opts, "indextargets", "--format", "$(CODENAME) $(CREATED_BY) $(ARCHITECTURE) $(FILENAME)").splitlines():
        suite, kind, architecture, path = line.split(" ", 3)
        key = (suite, "source" if kind == "Sources" else architecture)
        if kind in ("Packages", "Sources") and (key in wanted or architecture == "all"):
            text = output(HELPER, "cat-file", path)
            for target in [key] if key in wanted else [w for w in wanted if w[0] == suite and w[1] != "source"]:
                lists.setdefault(target, {}).update(paragraphs(text))
    return lists


def paragraphs(text: str) -> dict:
    """Control paragraphs by package name, as text; the newest version wins."""
    found = {}
    for block in text.split("\n\n"):
        name = re.match(r"(?:.*\n)?Package: (.*)", block)
        if name:
            older = found.get(name[1])
            if older is None or newer(field(block, "Version"), field(older, "Version")):
                found[name[1]] = block
    return found


def field(paragraph: str, name: str) -> str:
    found = re.search(rf"^{name}:[ ]?(.*(?:\n .*)*)", paragraph, re.M)
    return found[1].strip() if found else ""


def newer(version: str, than: str) -> bool:
    return subprocess.run(["dpkg", "--compare-versions", version, "gt", than]).returncode == 0


def resolve(wanted: dict, lists: dict) -> list:
    """The packages of a set. One named in `follow` stands for the package of that series it depends on, as the kernels' do;
    a `series` stands for its newest kernel, where a suite holds several at a time, as backports do."""
    available = lists[(wanted["suite"], wanted["architecture"])]
    if wanted["architecture"] == "source":
        return [source(available[name], name) for name in wanted["choose"]]
    names = list(wanted["choose"])
    for name in wanted.get("follow", []):
        depends = re.split(r"\s*,\s*", field(available[name], "Depends"))
        names += [re.split(r"[ :(|]", clause)[0] for clause in depends if clause.startswith("linux-image-")]
    for series in wanted.get("series", []):
        images = [name for name in available if re.fullmatch(rf"linux-image-{re.escape(series)}[.-].*-cloud-{wanted['architecture']}", name)]
        if not images:
            raise Fault(f"{wanted['suite']} has no kernel of the series {series} for {wanted['architecture']}")
        newest = max(images, key=functools.cmp_to_key(lambda a, b: 1 if newer(field(available[a], "Version"), field(available[b], "Version")) else -1))
        binary = newest.replace("linux-image-", "linux-binary-")  # since 6.19 the image is a package of its own beside the modules
        names.append(binary if binary in available else newest)
    missing = [name for name in names if name not in available]
    if missing:
        raise Fault(f"{wanted['suite']} has no package {', '.join(missing)} for {wanted['architecture']}")
    chosen = {name: available[name] for name in sorted(names)}
    return [{"name": name, "version": field(p, "Version"), "file": field(p, "Filename"), "size": int(field(p, "Size")), "sha256": field(p, "SHA256")}
            for name, p in chosen.items()]


def source(paragraph: str, name: str) -> dict:
    """The upstream tarball of a source package: Debian's own changes to the libraries used here are packaging only."""
    files = field(paragraph, "Checksums-Sha256").splitlines()
    sha256, size, file = next(line.split() for line in files if re.search(r"\.orig\.tar\.\w+$", line))
    return {"name": name, "version": field(paragraph, "Version"), "file": f"{field(paragraph, 'Directory')}/{file}", "size": int(size), "sha256": sha256}


def lock(names: list) -> None:
    """Pins the newest packages of the sets named, or of all."""
    whole = json.loads(PINS.read_text())
    chosen = {name: whole["sets"][name] for name in names or whole["sets"]}
    lists = update(list(chosen.values()), mirror())
    for name, wanted in chosen.items():
        wanted["packages"] = resolve(wanted, lists)
        print(f"{name}: {len(wanted['packages'])} packages, {sum(p['size'] for p in wanted['packages']) / 1e6:.1f} MB")
    PINS.write_text(json.dumps(whole, indent=1) + "\n")


def main(words: list) -> int:
    if words[:1] == ["fetch"] and len(words) > 1:
        for name in words[1:]:
            print(fetch(name))
    elif words[:1] == ["lock"]:
        lock(words[1:])
    elif words == ["list"]:
        for name, wanted in pins().items():
            print(f"{name:20} {wanted['for']}")
    else:
        print(__doc__.strip(), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(guarded(lambda: main(sys.argv[1:]), cache()))
