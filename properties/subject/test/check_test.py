"""embedscale check as its users meet it: check_test.py PROGRAM

What is right holds, each planted defect is found, and what is no subject is told so.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

PROGRAM = sys.argv.pop(1)
HERE = pathlib.Path(__file__).resolve().parent
CLIENTS = HERE.parent / "clients"
# Few cases: what is planted shows in the first ones.
FEW = ("--cases", "100", "--requests", "1000")
# Defects that were real, each with the claim that has to be violated by it.
PLANTED = {
    "positions_in_binary16": "precision.positions_in_low_precision",
    "frequencies_in_bfloat16": "precision.positions_in_low_precision",
    "base_of_1000": "precision.positions_in_low_precision",
    "halves_for_interleaved": "precision.positions_in_low_precision",
    "cosine_before_sine": "precision.positions_in_low_precision",
    "exponent_of_the_channel": "precision.positions_in_low_precision",
    "multiplier_hard_coded": "primitives.multiplier_is_the_rounded_root",
    "multiplier_without_root": "primitives.multiplier_is_the_rounded_root",
    "multiplied_twice": "primitives.look_up_rounds_once",
    "multiplier_forgotten": "primitives.look_up_rounds_once",
    "layer_norm_unbiased": "normalization.layer_norm_is_the_standardised_row",
    "epsilon_on_the_deviation": "normalization.*",
    "rms_norm_less_the_mean": "normalization.*",
    "softmax_without_maximum": "attention.weights_are_shares_of_exponentials",
    "attention_scaled_by_d_model": "attention.factors_are_roots",
    "dropout_unscaled": "combination.*",
    "dropout_by_the_rate": "combination.dropout_scales_what_it_keeps",
    "xavier_without_brackets": "primitives.draws_are_of_their_law",
    "xavier_of_the_sum": "primitives.draws_are_of_their_law",
    "uniform_by_its_deviation": "primitives.draws_are_of_their_law",
    "mean_for_deviation": "primitives.draws_are_of_their_law",
    "truncated_by_clamping": "primitives.draws_are_of_their_law",
    "clip_by_value": "porting.clipping_is_by_the_weighted_norm",
    "clip_each_part_by_itself": "porting.clipping_is_by_the_weighted_norm",
    "adam_without_correction": "optimizer.steps_are_their_formulas",
    "adamw_decay_as_penalty": "optimizer.steps_are_their_formulas",
}


def check(subject, *options):
    """How it ended; the subject is a shared object, or the words of a command."""
    if isinstance(subject, str):
        options += ("--library", subject)
    else:
        options += ("--", *subject)
    return subprocess.run([PROGRAM, *options], stdin=subprocess.DEVNULL, capture_output=True,
                          encoding="utf-8")


def found(subject, *options):
    """What it found, its exit code, and the findings that do not hold."""
    ended = check(subject, "--json", *FEW, *options)
    result = json.loads(ended.stdout)
    ill = [finding for finding in result["findings"] if finding["verdict"] != "holds"]
    return result, ended.returncode, ill


def python(file, *arguments):
    return ("/usr/bin/python3", "-B", HERE / file, *arguments)


WRONG = python("wrong.py", "layer_norm_unbiased")


def of_python(operation, body):
    """A subject of one operation in binary32: its name and parameters, and its body."""
    return ("/usr/bin/python3", "-B", "-c", f"""
import sys; sys.path[:0] = ['{HERE}', '{CLIENTS}']
import right
from embedscale_subject import operation, serve
@operation('binary32')
def {operation}:
    {body}
serve()""")


class Checking(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.scratch = pathlib.Path(directory.name)

    def built(self, source):
        """The shared object that a C source with the header of the clients becomes."""
        file = self.scratch / "subject.so"
        subprocess.run(["cc", "-std=c11", "-O1", "-ffp-contract=off", "-shared", "-fPIC",
                        f"-I{CLIENTS}", "-include", "embedscale_subject.h", source, "-o", file,
                        "-lm"], check=True)
        return str(file)

    def test_a_right_subject_in_python_holds(self):
        for claims in ("normalization.*", "precision.*", "primitives.*"):
            _, code, ill = found(python("right.py"), "--claims", claims)
            self.assertEqual((code, ill), (0, []), claims)

    def test_each_planted_defect_is_violated_with_the_call_that_shows_it(self):
        for name, claim in PLANTED.items():
            with self.subTest(name):
                is_drawn = claim == "primitives.draws_are_of_their_law"  # others take as long
                wrong = python("wrong.py", name)
                result, code, ill = found(wrong, "--claims", claim,
                                          *(("--format", "binary32") if is_drawn else ()))
                violated = [one for one in ill if one["verdict"] == "violated"]
                self.assertTrue(violated, result)
                self.assertEqual(code, 1)
                self.assertTrue(violated[0]["calls"])
                shown = "".join(violated[0]["calls"]) + violated[0]["explanation"]
                self.assertRegex(shown, "the library gives|the library: |it raised")

    def expect_sgd_alone(self, subject):
        """That what a subject lacks is not applicable, and holds nothing."""
        claim = ("--claims", "optimizer.steps_are_their_formulas")
        result, _, ill = found(subject, *claim)
        self.assertEqual(ill, [])
        lacked = [f"optimizer_step (kind {kind}) in binary32" for kind in
                  ("adam", "adamw", "momentum")]
        (finding,) = result["findings"]
        self.assertEqual(finding["property"], "of_gradient_descent_and_momentum")
        self.assertEqual(finding["lacked"], lacked[2:])
        for one in lacked:
            self.assertEqual(result["not_applicable"].count(one), 1, one)
        self.assertIn(".of_gradient_descent_and_momentum holds without optimizer_step",
                      check(subject, *FEW, *claim).stdout)

    def test_what_a_subject_lacks_is_not_applicable_and_holds_nothing(self):
        self.expect_sgd_alone(of_python(
            "optimizer_step(kind, **rest)",
            "if kind != 'sgd': raise NotImplementedError(kind)\n"
            "    return right.optimizer_step(kind, **rest)"))

    def test_c_functions_say_what_they_lack(self):
        source = self.scratch / "lacks.c"
        source.write_text("""#include <string.h>
int embedscale_optimizer_step_binary32(const char* kind, int64_t step, size_t n, float* parameter,
                                       const float* gradient, float rate, float penalty,
                                       float momentum, float beta_1, float beta_2, float epsilon,
                                       float decay, float schedule, float* velocity, float* first,
                                       float* second) {
  if (strcmp(kind, "sgd") != 0) return EMBEDSCALE_LACKS;
  for (size_t i = 0; i < n; ++i) parameter[i] -= rate * (gradient[i] + penalty * parameter[i]);
  return 0;
}""")
        self.expect_sgd_alone(self.built(source))

    def test_what_has_no_kinds_cannot_be_lacked_in_part(self):
        lacks = of_python("softmax(z)", "raise NotImplementedError")
        _, code, (one,) = found(lacks, "--claims", "attention.weights_are_shares_of_exponentials")
        self.assertEqual(code, 1)
        self.assertIn("it lacks softmax, which it says that it has", one["explanation"])

    def test_a_baseline_knows_violations_and_tells_which_vanished(self):
        claims = ("--claims", "normalization.layer*")
        _, code, ill = found(WRONG, *claims)
        self.assertEqual(code, 1)
        known = {f"{one['claim']}.{one['property']}": "n − 1, as a paper has it" for one in ill}
        known |= {"normalization.layer_norm.gone": "it was wrong once",
                  "optimizer.steps.other": "of a claim that is not tried here"}
        file = self.scratch / "known.json"
        file.write_text(json.dumps(known))
        result, code, _ = found(WRONG, *claims, "--baseline", file)
        self.assertEqual(code, 0)
        self.assertEqual(result["vanished"], ["normalization.layer_norm.gone"])

    def test_reports_for_machines_name_what_is_violated(self):
        junit, claims = self.scratch / "junit.xml", ("--claims", "normalization.layer*")
        ended = check(WRONG, *FEW, *claims, "--junit", junit, "--annotations")
        self.assertIn("::error title=normalization.", ended.stdout)
        failures = xml.etree.ElementTree.parse(junit).findall(".//failure[@message='violated']")
        _, _, ill = found(WRONG, *claims)
        self.assertEqual(len(failures), len(ill))
        self.assertGreater(len(ill), 0)

    def test_c_functions_in_a_shared_object_hold_and_others_are_told(self):
        result, code, ill = found(self.built(CLIENTS / "example.c"))
        self.assertEqual((code, ill), (0, []))
        self.assertGreaterEqual(len(result["findings"]), 5)
        self.assertTrue(any("layer_norm (binary32)" in one["asked"] for one in result["findings"]))
        self.assertEqual(result["not_applicable"].count("softmax"), 1)
        for file in ("/no/such/file.so", __file__):
            self.assertEqual(check(file).returncode, 2, file)

    def expect_failure(self, script, said, deadline="3"):
        """That a program is no subject, or no longer, and what is said of it."""
        ended = check(("/bin/sh", "-c", script), "--deadline", deadline)
        self.assertEqual((ended.returncode, ended.stdout), (2, ""))
        self.assertIn(said, ended.stderr)

    def test_no_subject_is_told_by_how_it_fails(self):
        self.expect_failure("exit 3", "ended with exit code 3")
        self.expect_failure("kill -9 $$", "ended by signal 9")
        self.expect_failure("sleep 20", "no answer in time", "0.3")
        self.expect_failure("echo hello, this is my model; sleep 20", "no lengths of a message")
        self.expect_failure("echo it went wrong >&2; exit 1", "it went wrong")
        self.expect_failure("yes | head -c 100000 >&2; exit 1", "stderr ends with")
        # A flood without end, and half a character where it is cut.
        self.expect_failure("yes >&2", "no answer in time", "0.5")
        self.expect_failure("printf 'caf\\303' >&2; exit 1", "caf�")
        # Lengths of 2^63, of a body that never comes; a header that is no object, of another
        # protocol.
        nothing = 7 * r"\0"
        for lengths, header, said in (
                (r"\0" + 6 * r"\0" + r"\200\0" + nothing, "", "no lengths of a message"),
                (rf"\2{nothing}\20{nothing}", "{}", "closed its standard output"),
                (rf"\2{nothing}\0{nothing}", "[]", "no JSON object"),
                (rf"\16{nothing}\0{nothing}", '{"protocol":2}', "protocol 2")):
            self.expect_failure(f"printf '{lengths}{header}'", said)
        self.assertIn("is there such a program?", check(("/no/such/program",)).stderr)

    def test_no_subject_leaves_nothing_running(self):
        file = self.scratch / "child"
        self.expect_failure(f"sleep 30 & echo $! > {file}; sleep 30", "no answer in time", "0.5")
        status = pathlib.Path("/proc", file.read_text().strip(), "stat")
        # Ended with its group; init may take a moment to reap it.
        for _ in range(100):
            if not status.exists() or status.read_text().split()[2] in "ZX":
                return
            time.sleep(0.01)
        self.fail("it runs on")


if __name__ == "__main__":
    unittest.main()
