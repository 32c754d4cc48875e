# SPDX-License-Identifier: Apache-2.0
"""apt_source: the machine's own mirror and keys are taken over, from both formats and from nothing but the main archive."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import apt_source  # noqa: E402

DEB822 = """Types: deb
# a remark
URIs: mirror://security
Suites: bookworm-security
Components: main

Enabled: no
Types: deb
URIs: mirror://off
Suites: bookworm
Components: main

Types: deb deb-src
URIs: mirror://main
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By:
 -----BEGIN KEY-----
 abc
"""

ONE_LINE = """# deb mirror://comment bookworm main
deb-src mirror://source bookworm main
deb cdrom:[Debian]/ bookworm main
deb mirror://security bookworm-security main
deb [arch=amd64 signed-by=/k.gpg] mirror://main bookworm main contrib  # ours
"""


class AptSource(unittest.TestCase):
    def derive(self, name, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / name
            path.write_text(text, encoding="utf-8")
            out = apt_source.derive("trixie", folder, ["/does/not/exist.list", str(path)], {"bookworm"})
            return (pathlib.Path(out).name, pathlib.Path(out).read_text(encoding="utf-8")) if out else None

    def test_moves_a_stanza_to_the_other_suite(self):
        name, text = self.derive("debian.sources", DEB822)
        self.assertEqual(name, "source.sources")
        self.assertEqual(text, "Types: deb\nUris: mirror://main\nSuites: trixie\nComponents: main\n"
                               "Signed-By: \n -----BEGIN KEY-----\n abc\n")

    def test_moves_a_line_to_the_other_suite(self):
        self.assertEqual(self.derive("sources.list", ONE_LINE),
                         ("source.list", "deb [arch=amd64 signed-by=/k.gpg] mirror://main trixie main\n"))

    def test_finds_nothing_where_there_is_no_main_archive(self):
        self.assertIsNone(self.derive("sources.list", "deb mirror://x jammy main\n"))


if __name__ == "__main__":
    unittest.main()
