# SPDX-License-Identifier: Apache-2.0
"""Derives an apt source of another suite from this machine's own: same mirror, same keys, component main.

    apt_source.py SUITE FOLDER [FILE...]     FILEs: else those of /etc/apt

Writes FOLDER/source.sources or FOLDER/source.list, in the format of the entry it found, and prints that path.
"""
import glob
import os
import re
import sys


def from_deb822(text, suite, own):
    """The first enabled stanza for `own` (a suite's name) with component main, moved to `suite`; or None."""
    for stanza in re.split(r"\n[ \t]*\n", text):
        fields = {}
        name = None
        for line in stanza.splitlines():
            if line.startswith("#"):
                continue
            if line[:1] in (" ", "\t") and name:
                fields[name] += "\n" + line
            elif ":" in line:
                name, value = line.split(":", 1)
                name = name.strip().title()
                fields[name] = value.strip()
        if fields.get("Enabled", "yes").lower() in ("no", "false", "off", "0"):
            continue
        if "deb" not in fields.get("Types", "").split() or "main" not in fields.get("Components", "").split():
            continue
        if not own & set(fields.get("Suites", "").split()):
            continue
        fields.update({"Types": "deb", "Suites": suite, "Components": "main"})
        return "".join(f"{key}: {value}\n" for key, value in fields.items())
    return None


def from_list(text, suite, own):
    """The same for the one-line format: deb [options] URI suite component..."""
    for line in text.splitlines():
        found = re.match(r"\s*deb\s+(\[[^\]]*\]\s+)?(\S+)\s+(\S+)\s+([^#]*)", line)
        if not found:
            continue
        options, uri, entry_suite, components = found.groups()
        if uri.startswith("cdrom:") or entry_suite not in own or "main" not in components.split():
            continue
        return f"deb {options or ''}{uri} {suite} main\n"
    return None


def codename():
    with open("/etc/os-release", encoding="utf-8") as file:
        found = re.search(r"^VERSION_CODENAME=(\S+)", file.read(), re.M)
    return found.group(1).strip('"') if found else "stable"


def derive(suite, folder, files, own):
    for path in files:
        if not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as file:
            text = file.read()
        extension = os.path.splitext(path)[1]
        entry = (from_deb822 if extension == ".sources" else from_list)(text, suite, own)
        if entry:
            out = os.path.join(folder, "source" + extension)
            with open(out, "w", encoding="utf-8") as file:
                file.write(entry)
            return out
    return None


def main(arguments):
    suite, folder, *files = arguments
    if not files:
        parts = sorted(glob.glob("/etc/apt/sources.list.d/*.sources") + glob.glob("/etc/apt/sources.list.d/*.list"))
        files = ["/etc/apt/sources.list"] + parts
    out = derive(suite, folder, files, {codename(), "stable", "oldstable"})
    if not out:
        sys.exit(f"apt_source: no source of Debian's main archive among {', '.join(files)}")
    print(out)


if __name__ == "__main__":
    main(sys.argv[1:])
