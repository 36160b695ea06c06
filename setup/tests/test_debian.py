"""Pins, digests and replacements of Debian packages, against a mirror of our own in a folder."""
import contextlib
import hashlib
import io
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import debian  # noqa: E402
from fault import Fault, explain  # noqa: E402


def deb(folder: Path, name: str, version: str, text: str) -> dict:
    """A package with one file, built here, in the pool of a mirror; what its pin says."""
    tree = folder / "trees" / f"{name}-{version}"
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "DEBIAN/control").write_text(f"Package: {name}\nVersion: {version}\nArchitecture: all\nMaintainer: none\nDescription: none\n")
    (tree / "usr/share/doc").mkdir(parents=True)
    (tree / "usr/share/doc/copyright").write_text("none")
    (tree / f"usr/{name}").write_text(text)
    file = f"pool/{name}_{version}_all.deb"
    (folder / "mirror/pool").mkdir(parents=True, exist_ok=True)
    subprocess.run(["dpkg-deb", "--root-owner-group", "-b", str(tree), str(folder / "mirror" / file)], check=True, capture_output=True)
    content = (folder / "mirror" / file).read_bytes()
    return {"name": name, "version": version, "file": file, "size": len(content), "sha256": hashlib.sha256(content).hexdigest()}


class Sets(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="nullius debian ")  # the space is meant
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.old, self.new = deb(self.folder, "needle", "1.0-1", "old"), deb(self.folder, "needle", "1.0-2", "new")
        self.pinned = {"suite": "trixie", "architecture": "amd64", "choose": ["needle"], "drop": ["usr/share/doc"], "packages": [self.old]}
        for name, value in {"cache": lambda: self.folder / "cache", "pins": lambda: {"set": self.pinned}, "mirror": lambda: f"file:{self.folder}/mirror/"}.items():
            patch = mock.patch.object(debian, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def test_unpacks_what_is_pinned_and_drops_what_is_not_wanted(self) -> None:
        folder = debian.fetch("set")
        self.assertEqual((folder / "usr/needle").read_text(), "old")
        self.assertFalse((folder / "usr/share/doc").exists())
        self.assertEqual((folder / ".digest").read_text().strip(), debian.digest([self.old]))

    def test_a_set_that_is_there_needs_no_mirror(self) -> None:
        debian.fetch("set")
        with mock.patch.object(debian, "mirror", side_effect=AssertionError):
            debian.fetch("set")

    def test_another_pin_replaces_the_set(self) -> None:
        debian.fetch("set")
        self.pinned["packages"] = [self.new]
        self.assertEqual((debian.fetch("set") / "usr/needle").read_text(), "new")

    def test_a_pin_that_is_gone_is_replaced_aloud_under_a_new_digest(self) -> None:
        (self.folder / "mirror" / self.old["file"]).unlink()
        paragraph = "\n".join(["Package: needle", "Version: 1.0-2", f"Filename: {self.new['file']}", f"Size: {self.new['size']}", f"SHA256: {self.new['sha256']}"])
        lists = {("trixie", "amd64"): debian.paragraphs(paragraph)}
        said = io.StringIO()
        with mock.patch.object(debian, "update", return_value=lists), contextlib.redirect_stderr(said):
            folder = debian.fetch("set")
        self.assertEqual((folder / ".digest").read_text().strip(), debian.digest([self.new]))
        self.assertIn("needle 1.0-2 under a new digest", said.getvalue())
        self.assertEqual(json.loads((folder / ".packages.json").read_text())["packages"], [self.new])
        with mock.patch.object(debian, "mirror", side_effect=AssertionError):
            debian.fetch("set")

    def test_a_file_that_is_not_the_pinned_one_is_refused(self) -> None:
        content = (self.folder / "mirror" / self.old["file"])
        content.write_bytes(content.read_bytes()[:-1] + b"x")
        with mock.patch.object(debian, "update", side_effect=Fault("asked for lists")), self.assertRaises(Fault):
            debian.fetch("set")
        self.assertFalse((self.folder / "cache/set").exists())

    def test_programs_for_another_machine_are_refused(self) -> None:
        self.pinned["host"] = "pdp11"
        with self.assertRaisesRegex(Fault, "programs for pdp11"):
            debian.fetch("set")

    def test_an_unknown_set_is_named(self) -> None:
        with self.assertRaisesRegex(Fault, "no Debian set 'sett'.*known: set"):
            debian.fetch("sett")


class Lists(unittest.TestCase):
    def test_the_newest_version_of_a_package_wins(self) -> None:
        text = "Package: a\nVersion: 1.9\nSize: 1\n\nPackage: a\nVersion: 1.10\nSize: 2\n\nPackage: a\nVersion: 1.2\nSize: 3\n"
        self.assertEqual(debian.field(debian.paragraphs(text)["a"], "Size"), "2")

    def test_a_kernel_is_found_by_the_package_that_follows_its_series(self) -> None:
        text = "Package: linux-image-cloud\nVersion: 2\nDepends: other, linux-image-6.1.0-2-cloud (= 2)\n\n" \
               "Package: linux-image-6.1.0-2-cloud\nVersion: 2\nFilename: pool/k\nSize: 5\nSHA256: ab\n"
        wanted = {"suite": "s", "architecture": "amd64", "choose": [], "follow": ["linux-image-cloud"]}
        self.assertEqual(debian.resolve(wanted, {("s", "amd64"): debian.paragraphs(text)}),
                         [{"name": "linux-image-6.1.0-2-cloud", "version": "2", "file": "pool/k", "size": 5, "sha256": "ab"}])

    def test_a_series_is_its_newest_kernel_and_the_binary_where_that_is_apart(self) -> None:
        def text(*names: str) -> dict:
            return debian.paragraphs("\n\n".join(f"Package: {name}\nVersion: {version}\nFilename: pool/{name}\nSize: 5\nSHA256: ab" for name, version in (n.split("=") for n in names)))
        def found(available: dict, series: str) -> str:
            return debian.resolve({"suite": "s", "architecture": "amd64", "choose": [], "series": [series]}, {("s", "amd64"): available})[0]["name"]
        images = text("linux-image-7.2.9+deb13-cloud-amd64=7.2.9-1", "linux-image-7.2.12+deb13-cloud-amd64=7.2.12-1", "linux-image-7.2.12+deb13-cloud-amd64-dbg=7.2.12-1",
                      "linux-image-7.20.1-cloud-amd64=7.20.1-1", "linux-image-7.3.4+deb13-cloud-amd64=7.3.4-1", "linux-binary-7.3.4+deb13-cloud-amd64=7.3.4-1", "linux-image-5.10.0-9-cloud-amd64=5.10.1-1")
        self.assertEqual(found(images, "7.2"), "linux-image-7.2.12+deb13-cloud-amd64")
        self.assertEqual(found(images, "7.3"), "linux-binary-7.3.4+deb13-cloud-amd64")
        self.assertEqual(found(images, "5.10"), "linux-image-5.10.0-9-cloud-amd64")
        with self.assertRaisesRegex(Fault, "no kernel of the series 9.1"):
            found(images, "9.1")

    def test_a_digest_does_not_depend_on_the_order_of_packages(self) -> None:
        self.assertEqual(debian.digest([{"sha256": "a"}, {"sha256": "b"}]), debian.digest([{"sha256": "b"}, {"sha256": "a"}]))
        self.assertNotEqual(debian.digest([{"sha256": "a"}]), debian.digest([{"sha256": "b"}]))


class Explanations(unittest.TestCase):
    def test_usual_causes_are_told_in_plain_words(self) -> None:
        for said, told in {"Err:1 address name\n  Temporary failure resolving 'host'\nE: Failed to fetch": "no network", "E: Could not resolve 'host'": "no network", "npm error code ENOSPC": "disk is full", "EACCES: permission denied, open": "permission denied",
                           "noise\nerror: something else\nmore": "error: something else"}.items():
            self.assertIn(told, explain(said))


if __name__ == "__main__":
    unittest.main()
