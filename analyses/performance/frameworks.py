"""The same work by NumPy and PyTorch, one thread: prints times as Google Benchmark does, in µs."""

import json
import os
import time

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

import numpy as np  # noqa: E402
import torch  # noqa: E402
from torch.nn import functional as of  # noqa: E402

torch.set_num_threads(1)
ROWS, WIDTH, KEYS, VOCABULARY = 4096, 1024, 512, 32000
x = np.random.default_rng(1).standard_normal((ROWS, WIDTH), dtype=np.float32)
y, z = x.copy(), x.reshape(-1, KEYS)
table = np.full((VOCABULARY, WIDTH), 0.5, np.float32)
tokens = np.random.default_rng(2).integers(0, VOCABULARY, ROWS)
X, Y, Z, TABLE, TOKENS = map(torch.from_numpy, (x, y, z, table, tokens))


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


def layer_norm(rows):
    centred = rows - rows.mean(1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(1, keepdims=True) + np.float32(1e-5))


WORKS = {
    "position table": (lambda: positions(np, np.float64, np.float32),
                       lambda: positions(torch, torch.float64, torch.float32)),
    "look-up": (lambda: table[tokens] * np.float32(32) + y,
                lambda: of.embedding(TOKENS, TABLE) * 32 + Y),
    "softmax": (lambda: softmax(z), lambda: torch.softmax(Z, 1)),
    "LayerNorm": (lambda: layer_norm(x), lambda: of.layer_norm(X, (WIDTH,))),
    "RMSNorm": (lambda: x / np.sqrt((x * x).mean(1, keepdims=True) + np.float32(1e-5)),
                lambda: X * torch.rsqrt((X * X).mean(1, keepdim=True) + 1e-5)),
    "logits": (lambda: np.float32(0.1) * (x @ y[0]), lambda: 0.1 * (X @ Y[0])),
}


def microseconds(work):
    work()
    count, begun = 0, time.perf_counter()
    while (spent := time.perf_counter() - begun) < 0.1:
        work()
        count += 1
    return 1e6 * spent / count


with torch.inference_mode():
    names = (f"NumPy {np.__version__}", f"PyTorch {torch.__version__}")
    print(json.dumps({"benchmarks": [
        {"name": f"{work}/{name}", "real_time": microseconds(way), "time_unit": "us"}
        for work, ways in WORKS.items() for name, way in zip(names, ways)]}))
