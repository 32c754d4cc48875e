# SPDX-License-Identifier: Apache-2.0
"""check_names: two definitions of one name are told with their places; what C++ allows to repeat passes."""
import contextlib
import io
import pathlib
import tempfile
import unittest

from load_script import load

check_names = load("check_names")

ONE = """namespace lens {
struct Verdict {  // a comment with struct Other {
  int hits = 0;
};
}  // namespace lens
"""


class CheckNames(unittest.TestCase):
    def checked(self, texts):
        """Exit code and words for a tree of these files."""
        with tempfile.TemporaryDirectory() as folder:
            for place, text in texts.items():
                path = pathlib.Path(folder, place)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                code = check_names.main([folder])
            return code, out.getvalue()

    def run_on(self, one, two):
        return self.checked({"quantlens/a.h": one, "quantlens/b/b.cpp": two})

    def assert_passes(self, one, two):
        code, out = self.run_on(one, two)
        self.assertEqual(code, 0, out)

    def test_tells_both_places_of_a_type(self):
        code, out = self.run_on(ONE, "\nnamespace lens {\nclass Verdict final : public std::vector<int> {\n};\n}")
        self.assertEqual(code, 1)
        self.assertIn("lens::Verdict is defined in quantlens/a.h:2 and in quantlens/b/b.cpp:3", out)

    def test_tells_an_enum_and_a_nested_namespace(self):
        code, _ = self.run_on("namespace lens::flow {\nenum class Order { up };\n}",
                              "namespace lens::flow {\nstruct Order {};\n}")
        self.assertEqual(code, 1)

    def test_tells_an_inline_function_of_equal_parameters(self):
        one = "namespace lens {\ninline int sum(int left, std::span<const int> all) {\n  return left;\n}\n}"
        self.assertEqual(self.run_on(one, one.replace("left", "l"))[0], 1)
        self.assert_passes(one, one.replace("int left", "float left"))

    def test_a_nameless_namespace_may_repeat_a_name(self):
        self.assert_passes(ONE, "namespace lens {\nnamespace {\nstruct Verdict {\n};\n}\n}")

    def test_another_namespace_may_repeat_a_name(self):
        self.assert_passes(ONE, "namespace lens::flow {\nstruct Verdict {\n};\n}")

    def test_a_member_type_may_repeat_a_name(self):
        self.assert_passes(ONE, "namespace lens {\nclass Box {\n  struct Verdict {\n  };\n};\nstruct Box::Verdict {\n};\n}")

    def test_a_declaration_is_no_definition(self):
        self.assert_passes(ONE, 'namespace lens {\nstruct Verdict;\nauto text = "struct Verdict {";\n}')

    def own_functions(self, one, two, places=("quantlens/b/one.cpp", "quantlens/b/two.cpp")):
        whole = [f"namespace lens {{\nnamespace {{\n{text} {{\n  return {{}};\n}}\n}}\n}}\n" for text in (one, two)]
        return self.checked(dict(zip(places, whole)))

    def test_tells_functions_of_two_sources_that_a_call_may_mistake(self):
        template = "template <class Number>\nCell cell(const std::optional<Number>& number)"
        code, out = self.own_functions(template, "Cell cell(const std::optional<double>& number)")
        self.assertEqual(code, 1)
        self.assertIn("lens::cell, of quantlens/b, is defined in quantlens/b/one.cpp:4", out)
        self.assertEqual(self.own_functions("int f(float x)", "int f(std::uint64_t y)")[0], 1)
        self.assertEqual(self.own_functions("int f(std::string_view x)", "int f(const std::string& x)")[0], 1)

    def test_functions_that_no_call_mistakes_may_repeat_a_name(self):
        for one, two in (("int f(const Plan& plan)", "int f(const Study& study)"), ("int f(int a)", "int f(int a, int b)"),
                         ("int f(int a)", "int f(int a)")):  # a compiler refuses the last
            self.assertEqual(self.own_functions(one, two)[0], 0)

    def test_sources_of_other_modules_and_tests_are_compiled_apart(self):
        for other in ("quantlens/c/two.cpp", "quantlens/b/two_test.cpp", "cli/commands/two.cpp"):
            self.assertEqual(self.own_functions("int f(float x)", "int f(int y)", ("quantlens/b/one.cpp", other))[0], 0)

    def test_the_tree_has_no_such_name(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            code = check_names.main([])
        self.assertEqual(code, 0, out.getvalue())


if __name__ == "__main__":
    unittest.main()
