# SPDX-License-Identifier: Apache-2.0
"""Real shells complete command lines of quantlens: verbs, options, their words, paths and stored runs, whatever these
are called; nothing of a line that is being typed is run. The man page has all verbs and options."""

import os
import pathlib
import re
import shlex
import shutil
import statistics
import subprocess
import time

import harness
import terminals

HOSTILE = ["$(touch pwned)", "`touch pwned`", "a b", "it's", 'quo"te', "semi;touch pwned", "back\\slash", "new\nline",
           "tab\tname", "-rf", "bang!x", "star*", "~user", "${HOME}", "col:on", "eq=ual", "über", "#hash", "&touch pwned"]
VARIABLE = "${HOME}"  # where only paths may follow, bash completes this as the name of a variable
PRINTABLE = [name for name in HOSTILE if name.isprintable() and name[0] not in "~-"]
RUN = "20260102-030405-quantize-digits-0001"
OLDER = "20250102-030405-evaluate-digits-0002"
BASH = """
source <(quantlens completion bash)
COMP_LINE=$1 COMP_POINT=${#1}; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_quantlens
printf '%s\\0' "${COMPREPLY[@]}"
"""


def prepared():
    """A sandbox with quantlens on its PATH, stored runs and files."""
    sandbox = harness.Sandbox()
    programs = sandbox.path / "bin"
    programs.mkdir()
    (programs / "quantlens").symlink_to(pathlib.Path(harness.program()).resolve())
    home = sandbox.path / "home"
    home.mkdir()
    sandbox.environment |= {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "HOME": str(home), "LC_ALL": "C.UTF-8"}
    for name in [RUN, OLDER, *HOSTILE]:
        sandbox.workload(name).mkdir(parents=True)
        (sandbox.workload(name) / "workload.json").write_text("{}")
    files = sandbox.path / "files"
    files.mkdir()
    for name in ["my model.onnx", "plain.onnx", *HOSTILE]:
        (files / name).write_text("")
    (files / "some folder").mkdir()
    return sandbox, files


def is_untouched(sandbox, claim):
    made = [str(path) for path in sandbox.path.rglob("pwned")]
    harness.check(not made, f"nothing was run: {claim}{made or ''}")


def bash_words(line):
    """COMP_WORDS of a line without quotes, as bash splits it."""
    words = re.findall(r"[^ =:]+|[=:]+", line)
    return words + [""] if line.endswith(" ") else words


def in_bash(sandbox, line, words=None):
    """What the function answers in bash."""
    done = subprocess.run(["bash", "--norc", "--noprofile", "-c", BASH, "bash", line, *(words or bash_words(line))], cwd=sandbox.path,
                          env=sandbox.environment, capture_output=True, text=True, check=False, timeout=60)
    if done.returncode != 0 or done.stderr:
        raise AssertionError(f"{line!r}: {done.returncode} {done.stderr}")
    return [answer for answer in done.stdout.split("\0") if answer]


def options_in(help_text):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]+(?=[ ,\n]|$)", "\n".join(
        line[:34] if len(line) > 33 and line[33] == " " else line for line in help_text.splitlines() if line.startswith("  -"))))


def verbs_of(sandbox):
    return re.findall(r"^  ([a-z]+) ", sandbox.run("--help").stdout.split("ubcommands:")[1], re.MULTILINE)


def bash_knows_verbs_and_options(sandbox):
    verbs = verbs_of(sandbox)
    answer = in_bash(sandbox, "quantlens ")
    harness.check(answer == verbs and "worker" not in answer, f"all verbs of the help: {answer}")
    harness.check(in_bash(sandbox, "quantlens qu") == ["quantize"], "a verb that begins so")
    harness.check(in_bash(sandbox, "quantlens workloads ") == ["list", "show", "delete"], "verbs of workloads")
    for verb in verbs:
        wanted = options_in(sandbox.run(verb, "--help").stdout)
        given = set(in_bash(sandbox, f"quantlens {verb} --"))
        harness.check(given == wanted and "--help" in wanted, f"{verb}: its {len(wanted)} options: {given ^ wanted}")
    short = in_bash(sandbox, "quantlens serve -")
    harness.check({"-p", "-U", "-v", "--port"} <= set(short), f"short ones: {short[:8]}")
    harness.check("--wide" in in_bash(sandbox, "quantlens workloads list --"), "those of workloads for its verbs")
    harness.check(in_bash(sandbox, "neural_insights --po") == ["--port"], "neural_insights is serve")
    harness.check(in_bash(sandbox, "/some/where/neural_insights --po") == ["--port"], "also by a path")
    harness.check(in_bash(sandbox, "quantlens inspect -- --o") == [], "no options behind --")


def bash_knows_words(sandbox):
    approaches = ["static", "dynamic", "weight_only", "auto"]
    harness.check(sorted(in_bash(sandbox, "quantlens quantize m.onnx --approach ")) == sorted(approaches), "words of an option")
    harness.check(in_bash(sandbox, "quantlens quantize --approach=dy") == ["dynamic"], "behind =")
    harness.check(in_bash(sandbox, "quantlens quantize --approach=") == in_bash(sandbox, "quantlens quantize --approach "), "and at it")
    quoted = in_bash(sandbox, 'quantlens quantize "--approach=dy', ["quantlens", "quantize", '"--approach=dy'])
    harness.check(quoted == ["--approach=dynamic"], f"in a quote: {quoted}")
    middle = in_bash(sandbox, "quantlens quantize --approach dy", ["quantlens", "quantize", "--approach", "dynamo"])
    harness.check(middle == ["dynamic"], "where the cursor is inside the word")
    harness.check(in_bash(sandbox, "quantlens completion ") == ["bash", "zsh", "fish"], "words of an argument")
    harness.check("top1" in in_bash(sandbox, "quantlens evaluate m --metric "), "metrics")
    harness.check(in_bash(sandbox, "quantlens quantize m --metric top1:label_o") == [], "and nothing of their options")
    for line in ("quantlens serve --url-prefix ", "quantlens quantize m --name ", "quantlens tune --timeout ", "quantlens serve -p "):
        harness.check(in_bash(sandbox, line) == [], f"nothing for free text: {line}")
    harness.check(in_bash(sandbox, "quantlens no-such-verb --") == ["--help", "--version"], "a verb that there is not")
    harness.check(in_bash(sandbox, "quantlens serve -v -p 7 --ver") == ["--verbose"], "behind short options with values")


def bash_knows_runs(sandbox):
    answer = in_bash(sandbox, "quantlens report ")
    harness.check(answer[0] == "last" and answer.index(RUN) < answer.index(OLDER), "runs, newest first, below last")
    names = [shlex.split(word)[0] for word in answer[1:] if not word.startswith("\\~")]
    plain = {name for name in [RUN, OLDER, *HOSTILE] if name.isprintable() and name != "~user"}
    harness.check(set(names) == plain and "\\~user" in answer, f"each quoted to one word: {set(names) ^ plain}")
    for line in ("workloads show 2026", "workloads delete 2026", "compare last 2026", "export --as csv 2026", "tune --resume 2026",
                 "tensorboard 2026", "report last 2026"):
        harness.check(in_bash(sandbox, f"quantlens {line}") == [RUN], line)
    harness.check(in_bash(sandbox, f"quantlens report --workspace {sandbox.path}/none ") == [], "of the workspace in the line")
    shutil.copytree(sandbox.path / "workspace", sandbox.path / "home" / "other")
    elsewhere = in_bash(sandbox, "quantlens report --workspace ~/other 2026")
    harness.check(elsewhere == [RUN], f"also below ~: {elsewhere}")
    harness.check(in_bash(sandbox, "quantlens compare last last --fail-on ") == ["worse"], "and what follows them")


def beginnings(name):
    """What a person types of it, by the quote that is open."""
    first = name[:2 if name == "it's" else 3]
    quoted = {"": re.sub(r"([^\w])", r"\\\1", first), "'": "'" + first}
    return quoted if set(name) & set("!`\\") else quoted | {'"': '"' + re.sub(r'(["$])', r"\\\1", first)}


def word_of(line):
    """The last word, as a shell reads it."""
    try:
        return shlex.split(re.sub(r'(".*)\\\$', r"\1$", line))[-1]  # shlex leaves \$ as it is there
    except ValueError:
        return None


def bash_inserts(sandbox, files):
    """What a person sees."""
    terminal = terminals.Terminal("bash", files, sandbox.environment)
    lines = {"quantlens insp": "quantlens inspect ", "quantlens inspect my": "quantlens inspect my\\ model.onnx ",
             "quantlens inspect 'my": "quantlens inspect 'my model.onnx' ", "quantlens inspect pl": "quantlens inspect plain.onnx ",
             "quantlens quantize x --data ran": "quantlens quantize x --data random ",
             "quantlens quantize x --data pl": "quantlens quantize x --data plain.onnx ",
             "quantlens quantize x --data=my": "quantlens quantize x --data=my\\ model.onnx ",
             "quantlens quantize x --output=js": "quantlens quantize x --output=json ",
             "quantlens doctor --output cs": "quantlens doctor --output csv ",
             "quantlens serve --workspace so": "quantlens serve --workspace some\\ folder/",
             "quantlens serve --workspace pl": "quantlens serve --workspace pl",
             "quantlens judge so": "quantlens judge some\\ folder/", "quantlens judge 2026": f"quantlens judge {RUN} ",
             "quantlens serve --name x": "quantlens serve --name x", "neural_insights --po": "neural_insights --port ",
             "quantlens report 2026": f"quantlens report {RUN} ", "quantlens report \"2026": f"quantlens report \"{RUN}\" "}
    for line, wanted in lines.items():
        got = terminal.after_tab(line)
        harness.check(got == wanted, f"{line!r} becomes {got!r}")
    for verb, names in (("inspect", [name for name in PRINTABLE if name != VARIABLE]), ("report", PRINTABLE), ("recipe", PRINTABLE)):
        words = "quantlens quantize x --recipe" if verb == "recipe" else f"quantlens {verb}"
        for name in names:
            for quote, begin in beginnings(name).items():
                got = terminal.after_tab(f"{words} {begin}")
                harness.check(word_of(got) == name, f"{verb} {name!r} behind {quote!r}: {got!r}")
    for line in ("quantlens inspect $(touch pwned) ", "quantlens report `touch pwned` --", "quantlens report --workspace $(touch pwned) ",
                 "quantlens inspect $(touch pwned", "quantlens report \"$(touch pwned)\"", "quantlens inspect new", "quantlens report new"):
        terminal.after_tab(line, "\t\t")
    terminal.close()
    is_untouched(sandbox, "at a terminal of bash")


def zsh_inserts(sandbox, files):
    if not shutil.which("zsh"):
        return print("left out: zsh is not installed")
    terminal = terminals.Terminal("zsh", files, sandbox.environment)
    lines = {"quantlens insp": "quantlens inspect ", "quantlens inspect my": "quantlens inspect my\\ model.onnx ",
             "quantlens quantize --approach dy": "quantlens quantize --approach dynamic ",
             "quantlens quantize --approach=dy": "quantlens quantize --approach=dynamic ",
             "quantlens quantize x --data=my": "quantlens quantize x --data=my\\ model.onnx ",
             "quantlens quantize x --data ran": "quantlens quantize x --data random ",
             "quantlens serve --workspace so": "quantlens serve --workspace some\\ folder/",
             "quantlens workloads de": "quantlens workloads delete ", "neural_insights --po": "neural_insights --port ",
             "quantlens report 2026": f"quantlens report {RUN} ", "quantlens serve -v --ver": "quantlens serve -v --verbose "}
    for line, wanted in lines.items():
        got = terminal.after_tab(line)
        harness.check(got.rstrip(" ") == wanted.rstrip(" "), f"zsh: {line!r} becomes {got!r}")
    for name in ("$(touch pwned)", "`touch pwned`", "it's", 'quo"te', "semi;touch pwned", "col:on", "über", "back\\slash"):
        got = terminal.after_tab(f"quantlens report {beginnings(name)['']}")
        harness.check(word_of(got) == name, f"zsh: {name!r}: {got!r}")
    for line in ("quantlens inspect $(touch pwned) ", "quantlens report `touch pwned` --", "quantlens report --workspace $(touch pwned) "):
        terminal.after_tab(line, "\t\t")
    terminal.close()
    is_untouched(sandbox, "at a terminal of zsh")


def fish_answers(sandbox, files, line):
    done = subprocess.run(["fish", "--no-config", "-c", "quantlens completion fish | source; complete -C $argv[1]", line], cwd=files,
                          env=sandbox.environment, capture_output=True, text=True, check=False, timeout=60)
    harness.check(done.returncode == 0 and not done.stderr, f"fish: {line!r}{done.stderr}")
    return [answer.partition("\t")[0] for answer in done.stdout.splitlines()]


def fish_knows(sandbox, files):
    if not shutil.which("fish"):
        return print("left out: fish is not installed")
    harness.check(set(fish_answers(sandbox, files, "quantlens ")) == set(verbs_of(sandbox)), "fish: verbs")
    harness.check("--approach" in fish_answers(sandbox, files, "quantlens quantize --ap"), "fish: options")
    for line, wanted in {"quantlens quantize --approach dy": ["dynamic"], "quantlens quantize --approach=dy": ["--approach=dynamic"],
                         "neural_insights --po": ["--port"], "quantlens report 2026": [RUN], "quantlens inspect my": ["my model.onnx"],
                         "quantlens serve --workspace so": ["some folder/"],
                         "quantlens serve --workspace=so": ["--workspace=some folder/"], "quantlens serve -p ": []}.items():
        answer = [each.replace("\\ ", " ") for each in fish_answers(sandbox, files, line)]
        harness.check(answer == wanted, f"fish: {line!r}: {answer}")
    data = fish_answers(sandbox, files, "quantlens quantize x --data ")
    harness.check({"random", "plain.onnx"} <= set(data), f"fish: words and files: {data[:5]}")
    report = fish_answers(sandbox, files, "quantlens report ")
    harness.check("last" in report and "$(touch pwned)" in "\n".join(report).replace("\\", ""), "fish: runs")
    fish_answers(sandbox, files, "quantlens report (touch pwned) ")
    alone = subprocess.run(["fish", "--no-config", "-c", "quantlens completion fish | source; set -x PATH; complete -C 'quantlens serve -'"],
                           env=sandbox.environment, capture_output=True, text=True, check=False)
    harness.check(alone.stdout + alone.stderr == "", f"fish: nothing without the program {alone.stderr}")
    is_untouched(sandbox, "in fish")


def it_is_quick_and_quiet(sandbox):
    took = []
    for line in ["quantlens ", "quantlens report ", "quantlens quantize --"] * 7:
        begin = time.perf_counter()
        subprocess.run(["quantlens", "complete", "bash", "--", line, *bash_words(line)], env=sandbox.environment, check=True,
                       stdout=subprocess.DEVNULL)
        took.append(time.perf_counter() - begin)
    harness.check(statistics.median(took) < 0.2, f"an answer takes {statistics.median(took) * 1000:.1f} ms")  # on a busy machine, too
    home = sandbox.path / "untouched"
    home.mkdir()
    before = sandbox.environment
    sandbox.environment = before | {"QUANTLENS_WORKSPACE": "", "HOME": str(home)}
    sandbox.run("complete", "fish", "--", "quantlens", "report", "")
    harness.check(not list(home.iterdir()), "nothing is written, no workspace is made")
    sandbox.environment = before | {"LD_DEBUG": "files"}
    loaded = sandbox.run("complete", "bash", "--", "quantlens report ", "quantlens", "report", "").stderr
    harness.check("libc.so" in loaded and "onnxruntime" not in loaded, "no runtime is loaded")
    for more in ({"QUANTLENS_WORKSPACE": "/proc/self/mem"}, {"QUANTLENS_WORKSPACE": "/dev/null"}, {"QUANTLENS_WORKSPACE": "", "HOME": ""}):
        sandbox.environment = before | more
        done = sandbox.run("complete", "zsh", "--", "quantlens", "report", "")
        harness.check(done.stderr == "", f"no error where no run can be read: {more}")
    sandbox.environment = before
    for words in ([""], ["[a,b]", "["], ["--help"], ["--version", ""], ["quantize", "--", "--help", ""], ["--", "x"], ["{}", "--"],
                  ["quantize", "worker", "inspect", ""], ["complete", ""], ["%%", "-"], ["=", "--="], ["-", "-="], ["++", "++"]):
        for shell in ("bash", "zsh", "fish"):
            done = sandbox.run("complete", shell, "--", *(["line"] if shell == "bash" else []), "quantlens", *words)
            harness.check(done.stderr == "" and done.stdout.startswith(("word", "value")), f"{shell}: {words}: {done.stdout[:40]!r}")
    for shell in ("bash", "zsh", "fish"):
        for words in ([], ["--"], ["--", "quantlens"], ["--", "", ""], ["--", "quantlens", "quantlens"]):
            harness.check(sandbox.run("complete", shell, *words).stderr == "", f"{shell}: too few words: {words}")
    sandbox.run("completion", "tcsh", code=2)


def the_page_has_all(sandbox):
    page = sandbox.run("manual").stdout
    text = page.replace("\\-", "-")
    for verb in ["", *verbs_of(sandbox), *(f"workloads {verb}" for verb in ("list", "show", "delete"))]:
        missing = [option for option in options_in(sandbox.run(*verb.split(), "--help").stdout) if option not in text]
        harness.check(f"quantlens {verb}" in text and not missing, f"man page: {verb} with all options {missing or ''}")
    for title in ("NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "FILES", "ENVIRONMENT", "SEE ALSO"):
        harness.check(f'.SH "{title}"' in page, f"man page: {title}")
    examples = [line[2:] for verb in verbs_of(sandbox) for line in sandbox.run(verb, "--help").stdout.split("Example", 1)[1].splitlines()
                if line.startswith("  quantlens ")]
    plain = text.replace("\\(aq", "'").replace("\\(ti", "~").replace("\\e", "\\")
    harness.check(all(example in plain for example in examples), f"man page: all {len(examples)} examples")
    readers = {"groff": ["groff", "-man", "-ww", "-Tutf8"], "man": ["man", "--warnings", "-E", "UTF-8", "-l", "-"]}
    for name, words in readers.items():
        if not shutil.which(name):
            print(f"left out: {name} is not installed")
            continue
        done = subprocess.run(words, input=page, capture_output=True, text=True, check=False,
                              env=dict(os.environ, MANPAGER="cat", MANWIDTH="100", LC_ALL="C.UTF-8"))
        harness.check(done.returncode == 0 and not done.stderr, f"{name} has no warning: {done.stderr[:300]}")
        shown = re.sub(r"\x1b\[[0-9;]*m|.\x08", "", done.stdout)
        harness.check("--calibration-data" in shown and "'{activation: {algorithm: mse}}'" in shown, f"{name} shows options as they are typed")


def main():
    sandbox, files = prepared()
    bash_knows_verbs_and_options(sandbox)
    bash_knows_words(sandbox)
    bash_knows_runs(sandbox)
    bash_inserts(sandbox, files)
    zsh_inserts(sandbox, files)
    fish_knows(sandbox, files)
    it_is_quick_and_quiet(sandbox)
    the_page_has_all(sandbox)


main()
