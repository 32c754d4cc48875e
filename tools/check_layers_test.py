# SPDX-License-Identifier: Apache-2.0
"""check_layers: a seeded violation of each kind is caught, and the real tree passes."""
import contextlib
import io
import pathlib
import tempfile
import unittest

from load_script import TOOLS, load

check_layers = load("check_layers")

RULES = """# a comment
base   ->             : the bottom
stats  -> base        : elements only
record -> stats       : structs only
cli    -> record      : a door
"""


class CheckLayers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("tools/layers.txt", RULES)
        self.module("base", "")
        self.module("stats", "base")
        self.module("record", "stats")
        self.write("quantlens/record/record.h", '#pragma once\n#include "quantlens/base/error.h"\n')
        self.write("cli/CMakeLists.txt", "quantlens_program(quantlens SOURCES main.cpp DEPENDS record LINK CLI11::CLI11)")

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def module(self, name, depends):
        depends = f"\n  DEPENDS {depends}" if depends else ""
        self.write(f"quantlens/{name}/CMakeLists.txt", f"# DEPENDS cli\nquantlens_module({name}\n  SOURCES a.cpp{depends}\n"
                                                       "  LINK fmt::fmt)\n")

    def run_it(self, *options):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            code = check_layers.main([*options, str(self.root)])
        return code, out.getvalue()

    def test_accepts_a_use_through_another_module(self):
        code, out = self.run_it()
        self.assertEqual(code, 0, out)
        self.assertIn("4 modules, 1 arrows", out)

    def test_catches_an_include_that_the_design_forbids(self):
        self.write("quantlens/base/a.cpp", '// one\n#include "quantlens/stats/moments.h"\n')
        code, out = self.run_it()
        self.assertEqual(code, 1)
        self.assertIn("quantlens/base/a.cpp:2: base includes stats", out)
        self.assertIn("the bottom", out)

    def test_catches_an_include_in_a_subfolder_of_the_door(self):
        self.write("quantlens/stats/inner/a.h", '  #  include "cli/terminal.h"\n')
        code, out = self.run_it()
        self.assertEqual(code, 1)
        self.assertIn("quantlens/stats/inner/a.h:1: stats includes cli", out)

    def test_catches_an_include_that_is_allowed_but_not_declared(self):
        self.module("stats", "")
        self.write("quantlens/stats/a.cpp", '#include "quantlens/base/error.h"\n')
        code, out = self.run_it()
        self.assertEqual(code, 1)
        self.assertIn("quantlens/stats/a.cpp:1", out)
        self.assertIn("DEPENDS", out)

    def test_catches_a_declaration_that_the_design_forbids(self):
        self.module("stats", "base record")
        code, out = self.run_it()
        self.assertEqual(code, 1)
        self.assertIn("quantlens/stats/CMakeLists.txt:4: stats may not depend on record (stats: elements only)", out)

    def test_catches_a_cycle(self):
        self.module("stats", "base record")
        self.assertIn("record -> stats -> record", self.run_it()[1])

    def test_catches_a_module_without_a_rule(self):
        self.module("helper", "base")
        code, out = self.run_it()
        self.assertEqual(code, 1)
        self.assertIn("helper has no line in tools/layers.txt", out)

    def test_catches_a_file_of_a_workload_that_is_named_outside_the_table(self):
        self.write("quantlens/record/files.h", 'RecordFile<Plan, "plan.json", 2>\n')
        self.write("quantlens/stats/a_test.cpp", 'read("plan.json");\n')
        self.write("quantlens/stats/a.cpp", '// "plan.json"\nthrow "plan.json of an earlier run";\n')
        self.assertEqual(self.run_it()[0], 0)
        self.write("quantlens/stats/a.cpp", 'write(\n  folder + "/plan.json");\n')
        code, out = self.run_it()
        self.assertEqual(code, 1)
        self.assertIn("quantlens/stats/a.cpp:2: says plan.json", out)

    def test_catches_the_words_of_a_format_outside_the_folders_that_read_or_run_it(self):
        for line in ('if (attribute_int(node, "group", 1) == 1) return;', 'node.attributes.find("axis");',
                     'return node->domain.empty();', 'return node.type == "Conv";', 'if (a.type != b.type) return;',
                     'return "Conv" == nodes[i].type;', 'node.type.starts_with("Fused");',
                     'made.type = "Shape";', 'return onnx::read(path, bytes);',
                     'return model.opsets.at("") < 13;'):
            self.write("quantlens/stats/a.cpp", f"// node.type == one\n{line}\n")
            code, out = self.run_it()
            self.assertEqual(code, 1, line)
            self.assertIn("quantlens/stats/a.cpp:2: reads the words of a format", out)

    def test_accepts_the_words_of_a_format_where_they_are_read_or_shown(self):
        line = 'if (node.type == "Conv") return node.attributes;\n'
        self.write("quantlens/frontend/onnx/a.cpp", line)
        self.write("quantlens/stats/a_test.cpp", line)
        self.write("quantlens/stats/a.cpp", 'text += node.type;\npair.type = "Input";\nif (pair.type == "Input" || header.type == kClose) return;\n')
        code, out = self.run_it()
        self.assertEqual(code, 0, out)

    def test_catches_an_input_that_means_something_by_its_number(self):
        for line in ('index.constant(node.inputs[1]);', 'find(node->inputs.at(2));', 'const auto& w = op.operands[1];',
                     'constant_input(prepared, index, node, 1);', 'input_of(node, 3);', 'known_.input(node, 1);',
                     'if (use.input == 1) return;'):
            self.write("quantlens/stats/a.cpp", f"// node.inputs[1]\n{line}\n")
            code, out = self.run_it()
            self.assertEqual(code, 1, line)
            self.assertIn("quantlens/stats/a.cpp:2: says what an input is by its number", out)
            self.assertIn("roles_of.h", out)

    def test_accepts_inputs_by_number_where_a_format_is_read_or_run_and_the_data_everywhere(self):
        line = "index.constant(node.inputs[1]);\n"
        self.write("quantlens/frontend/onnx/a.cpp", line)
        self.write("quantlens/runtime/oracle/a.cpp", line)
        self.write("quantlens/stats/a_test.cpp", line)
        self.write("quantlens/stats/a.cpp", "find(node.inputs[0], node.inputs[1 - side], node.outputs[1], op.operands[i]);\n"
                                            "node.inputs.at(0) == input_of(node, 0) && use.input == 0;\n")
        code, out = self.run_it()
        self.assertEqual(code, 0, out)

    def test_draws_the_arrows_that_includes_make(self):
        code, out = self.run_it("--picture")
        self.assertEqual(code, 0)
        self.assertIn("record --> base", out)
        self.assertIn("| record | base (1) | stats | stats | structs only |", out)

    def test_the_real_tree_passes(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            code = check_layers.main([])
        self.assertEqual(code, 0, out.getvalue())

    def test_the_real_rules_make_no_cycle(self):
        rules = check_layers.read_rules(TOOLS / "layers.txt")
        self.assertIsNone(check_layers.find_cycle({name: allowed for name, (allowed, _) in rules.items()}))


if __name__ == "__main__":
    unittest.main()
