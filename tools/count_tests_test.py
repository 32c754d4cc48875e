# SPDX-License-Identifier: Apache-2.0
"""count_tests: what ctest wrote is counted as it was."""
import contextlib
import io
import pathlib
import tempfile
import unittest

from load_script import load

count_tests = load("count_tests")

PASSED = '<testcase name="{0}" status="run"><system-out/></testcase>'
FAILED = '<testcase name="{0}" status="fail"><failure message=""/><system-out>1 is not 2\n</system-out></testcase>'
TALKATIVE = ('<testcase name="a" status="fail"><failure message=""/><system-out>' +
             "".join(f"line {i}\n" for i in range(100)) + "</system-out></testcase>")
SKIPPED = ('<testcase name="{0}" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/><system-out>'
           "[ RUN      ] A.B\n/x/a.cpp:5: Skipped\nno data\n[  SKIPPED ] A.B (0 ms)\n</system-out></testcase>")
NOT_BUILT = '<testcase name="{0}" status="notrun"><skipped message="Unable to find executable"/><system-out/></testcase>'


GOOGLE = '<testcase name="{0}" status="run" result="{1}" classname="Each/A">{2}</testcase>'


class CountTests(unittest.TestCase):
    def run_on(self, *files):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for index, cases in enumerate(files):
                path = pathlib.Path(folder) / f"{index}.xml"
                path.write_text("<testsuite>" + "".join(cases) + "</testsuite>", encoding="utf-8")
                paths.append(str(path))
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                code = count_tests.main(paths)
        return code, out.getvalue().splitlines()

    def test_counts_each_kind_and_says_why_one_was_skipped(self):
        code, lines = self.run_on([PASSED.format("a"), PASSED.format("b"), SKIPPED.format("c")])
        self.assertEqual((code, lines), (0, ["skipped: c (no data)", "2 passed, 0 failed, 1 skipped"]))

    def test_a_failure_fails_and_says_why(self):
        code, lines = self.run_on([PASSED.format("a"), FAILED.format("b")])
        self.assertEqual(code, 1)
        self.assertEqual(lines, ["-- b", "1 is not 2", "failed: b", "1 passed, 1 failed, 0 skipped"])

    def test_of_a_long_failure_the_end_is_shown(self):
        lines = self.run_on([TALKATIVE])[1]
        self.assertEqual(lines[1:3] + lines[-3:-2], ["... 40 lines before", "line 40", "line 99"])

    def test_of_many_failures_a_few_are_shown_and_all_are_named(self):
        lines = self.run_on([FAILED.format(f"t{i}") for i in range(50)])[1]
        self.assertEqual(sum(line.startswith("-- ") for line in lines), 20)
        self.assertEqual(sum(line.startswith("failed: ") for line in lines), 50)

    def test_a_program_that_was_not_built_is_a_failure_not_a_skip(self):
        code, lines = self.run_on([PASSED.format("a"), NOT_BUILT.format("b_NOT_BUILT")])
        self.assertEqual((code, lines[-1]), (1, "1 passed, 1 failed, 0 skipped"))

    def test_a_test_that_ran_twice_counts_once_by_its_worst(self):
        code, lines = self.run_on([PASSED.format("a"), SKIPPED.format("b")], [FAILED.format("a"), PASSED.format("b")])
        self.assertEqual((code, lines[-1]), (1, "1 passed, 1 failed, 0 skipped"))
        self.assertEqual(lines[-2], "failed: a (1)")  # the second file's name

    def test_what_google_test_wrote_counts_under_the_name_that_ctest_gives(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "quantlens_base_test.xml"
            cases = [GOOGLE.format("a/1", "completed", ""),
                     GOOGLE.format("b", "completed", '<failure message="x">1 is not 2</failure>'),
                     GOOGLE.format("c", "skipped", '<skipped message="a.cpp:5&#x0A;no data"></skipped>')]
            path.write_text("<testsuites><testsuite>" + "".join(cases) + "</testsuite></testsuites>", encoding="utf-8")
            tests = count_tests.count([str(path)])
        self.assertEqual({name: what for name, (what, _, _) in tests.items()},
                         {"base/Each/A.a/1": "passed", "base/Each/A.b": "failed", "base/Each/A.c": "skipped"})
        self.assertEqual((tests["base/Each/A.b"][1], tests["base/Each/A.c"][1]), (["1 is not 2"], "no data"))

    def test_what_ctest_says_of_a_parameter_is_no_part_of_a_name(self):
        lines = self.run_on([PASSED.format("a/1  # GetParam() = x")], [PASSED.format("a/1")])[1]
        self.assertEqual(lines, ["1 passed, 0 failed, 0 skipped"])

    def test_no_results_fail(self):
        self.assertEqual(count_tests.count(["missing.xml"])["missing.xml"][0], "failed")
        self.assertEqual(self.run_on([])[0], 1)


if __name__ == "__main__":
    unittest.main()
