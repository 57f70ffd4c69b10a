"""The same work by NumPy and PyTorch: prints times as Google Benchmark does, in µs.

frameworks.py WORKS.json THREADS [TESTS]: TESTS is a program of the properties, one of which Hypothesis
tries as well; the command `embedscale` is beside it.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

threads = int(sys.argv[2])
for library in "OMP", "OPENBLAS", "MKL":
    os.environ[library + "_NUM_THREADS"] = str(threads)

import hypothesis  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402
from hypothesis import strategies  # noqa: E402
from torch.nn import functional as of  # noqa: E402

torch.set_num_threads(threads)
with open(sys.argv[1], encoding="utf-8") as file:
    sizes = json.load(file)["sizes"]
ROWS, WIDTH, KEYS, DRAWS = sizes["rows"], sizes["width"], sizes["keys"], sizes["draws"]
VOCABULARY, D, TOKENS = sizes["vocabulary"], sizes["block_width"], sizes["tokens"]
generator = np.random.default_rng(1)
x = generator.standard_normal((ROWS, WIDTH), dtype=np.float32)
y, z = x.copy(), x.reshape(-1, KEYS)
table = np.full((VOCABULARY, WIDTH), 0.5, np.float32)
tokens = generator.integers(0, VOCABULARY, ROWS)
drawn = np.empty(DRAWS, np.float32)
X, Y, Z, TABLE, TOKEN, DRAWN = map(torch.from_numpy, (x, y, z, table, tokens, drawn))
block = torch.nn.TransformerEncoderLayer(D, sizes["heads"], 4 * D, 0.0, norm_first=True,
                                         batch_first=True).eval()


def positions(api, double, single):
    """Sines and cosines in binary64, rounded once."""
    angles = api.arange(ROWS, dtype=double)[:, None] * 10000.0 ** (
        -api.arange(0, WIDTH, 2, dtype=double) / WIDTH)
    out = api.empty((ROWS, WIDTH), dtype=single)
    out[:, 0::2], out[:, 1::2] = api.sin(angles), api.cos(angles)
    return out


def softmax(rows):
    powers = np.exp(rows - rows.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def with_entropy(weights, api):
    return weights, -(weights * api.log(weights)).sum(1)


def layer_norm(rows):
    centred = rows - rows.mean(1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(1, keepdims=True) + np.float32(1e-5))


def four_moments(numbers):
    centred = numbers - numbers.mean()
    squares = centred * centred
    return squares.mean(), (squares * squares).mean()


def deviation(of_share):
    """From a share of the draws on each thread: the sum of their squares, some at a time."""
    shares = [sizes["checked_draws"] // threads] * threads
    with ThreadPoolExecutor(threads) as pool:
        return (sum(pool.map(of_share, range(threads), shares)) / sum(shares)) ** 0.5


def numpy_squares(seed, count):
    own, some, total = np.random.default_rng(seed), np.empty(1 << 16, np.float32), 0.0
    for _ in range(0, count, some.size):
        own.standard_normal(out=some, dtype=np.float32)
        total += float(some @ some)
    return total


def torch_squares(seed, count):
    own, some, total = torch.Generator().manual_seed(seed), torch.empty(1 << 16), 0.0
    for _ in range(0, count, len(some)):
        some.normal_(generator=own)
        total += float(some @ some)
    return total


def table_of(rows, columns):
    return f"{rows} × {columns}"


shape = table_of(ROWS * WIDTH // KEYS, KEYS)
WORKS = {
    f"position table {table_of(ROWS, WIDTH)}": (
        lambda: positions(np, np.float64, np.float32),
        lambda: positions(torch, torch.float64, torch.float32)),
    f"look-up {ROWS} of {table_of(VOCABULARY, WIDTH)}": (
        lambda: table[tokens] * np.float32(32) + y,
        lambda: of.embedding(TOKEN, TABLE) * 32 + Y),
    f"softmax {shape}": (lambda: softmax(z), lambda: torch.softmax(Z, 1)),
    f"softmax with entropy {shape}": (
        lambda: with_entropy(softmax(z), np), lambda: with_entropy(torch.softmax(Z, 1), torch)),
    f"LayerNorm {table_of(ROWS, WIDTH)}": (
        lambda: layer_norm(x), lambda: of.layer_norm(X, (WIDTH,))),
    f"RMSNorm {table_of(ROWS, WIDTH)}": (
        lambda: x / np.sqrt((x * x).mean(1, keepdims=True) + np.float32(1e-5)),
        lambda: X * torch.rsqrt((X * X).mean(1, keepdim=True) + 1e-5)),
    f"logits of 1 query, keys {table_of(ROWS, WIDTH)}": (
        lambda: np.float32(0.1) * (x @ y[0]), lambda: 0.1 * (X @ Y[0])),
    f"linear {table_of(KEYS, WIDTH)}, weights {table_of(WIDTH, WIDTH)}": (
        lambda: y[:KEYS] @ x[:WIDTH].T, lambda: Y[:KEYS] @ X[:WIDTH].T),
    f"block of {TOKENS} tokens, d = {D}": (None, lambda: block(X.reshape(-1, TOKENS, D)[:1])),
    "normal draws": (lambda: generator.standard_normal(out=drawn, dtype=np.float32),
                     lambda: DRAWN.normal_()),
    "uniform draws": (lambda: generator.random(out=drawn, dtype=np.float32),
                      lambda: DRAWN.uniform_(-1, 1)),
    "truncated normal draws": (None, lambda: torch.nn.init.trunc_normal_(DRAWN, a=-2, b=2)),
    "four moments": (lambda: four_moments(x.ravel()[:DRAWS]),
                     lambda: four_moments(X.ravel()[:DRAWS])),
    "deviation to 0.1 %": (lambda: deviation(numpy_squares), lambda: deviation(torch_squares)),
}


def microseconds(work):
    work()
    count, begun = 0, time.perf_counter()
    while (spent := time.perf_counter() - begun) < 0.1 or count == 0:
        work()
        count += 1
    return 1e6 * spent / count


@hypothesis.settings(max_examples=500, database=None, deadline=None,
                     suppress_health_check=list(hypothesis.HealthCheck))
@hypothesis.given(strategies.fractions(), strategies.fractions(),
                  strategies.fractions().filter(bool))
def up_is_down_times_the_factor(e, p, m):
    global cases
    cases += 1
    assert m * (e + Fraction(p) / m) == m * e + p


def case_by_hypothesis():
    global cases
    cases, begun = 0, time.perf_counter()
    up_is_down_times_the_factor()
    return 1e6 * (time.perf_counter() - begun) / cases


def case_by_property(tests, cases=100_000):
    with tempfile.NamedTemporaryFile(suffix=".json") as told:
        subprocess.run([tests, "--gtest_filter=*up_is_down_times_root_d.for_every_nonzero_factor",
                        f"--gtest_output=json:{told.name}"], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "EMBEDSCALE_CASES": str(cases)})
        return 1e6 * float(json.load(told)["testsuites"][0]["time"].rstrip("s")) / cases


def commands(program):
    """All processors, whatever THREADS says; the file is in the system's memory. cat is the limit."""
    work = f"fingerprint of bfloat16 {table_of(sizes['checkpoint_rows'], 4 * WIDTH)}, all processors"
    rows = generator.standard_normal((KEYS, 4 * WIDTH), np.float32).view(np.uint32) >> 16
    with tempfile.NamedTemporaryFile() as file:
        for _ in range(0, sizes["checkpoint_rows"], KEYS):
            file.write(rows.astype(np.uint16).tobytes())
        file.flush()
        shape = f"{sizes['checkpoint_rows']},{4 * WIDTH}"
        for way, words in (("fast", [program, "fingerprint", file.name, "--shape", shape,
                                     "--dtype", "BF16"]), ("limit", ["cat", file.name])):
            yield f"{work}/{way}", microseconds(
                lambda: subprocess.run(words, check=True, stdout=subprocess.DEVNULL))


found = []
with torch.inference_mode():
    names = (f"NumPy {np.__version__}", f"PyTorch {torch.__version__}")
    for work, ways in WORKS.items():
        found += [(f"{work}/{name}", microseconds(way)) for name, way in zip(names, ways) if way]
if len(sys.argv) > 3:
    found += [(f"a property's case/Hypothesis {hypothesis.__version__}", case_by_hypothesis()),
              ("a property's case/fast", case_by_property(sys.argv[3])),
              *commands(os.path.join(os.path.dirname(sys.argv[3]), "embedscale"))]
print(json.dumps({"benchmarks": [{"name": name, "real_time": took, "time_unit": "us"}
                                 for name, took in found]}))
