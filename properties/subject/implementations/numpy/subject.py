"""As tutorials write them in NumPy: in binary32 throughout."""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "clients"))
from embedscale_subject import operation, serve  # noqa: E402

subject = operation("binary32")


@subject
def multiplier(d_model):
    return np.sqrt(np.float32(d_model))


@subject
def up(e, p, m):
    return e * m + p


@subject
def down(e, p, m):
    return e + p / m


@subject
def position_table(first, count, d, rule, layout, base):
    position = np.arange(first, first + count, dtype=np.float32)[:, None]
    if rule == "paper":
        rates = np.exp(np.arange(0, d, 2, dtype=np.float32) * np.float32(-np.log(base) / d))
    else:
        step = np.float32(np.log(base) / (d // 2 - 1))
        rates = np.exp(np.arange(d // 2, dtype=np.float32) * -step)
    sine, cosine = np.sin(position * rates), np.cos(position * rates)
    if layout == "halves":
        return np.concatenate([sine, cosine], axis=1)
    table = np.zeros((count, d), dtype=np.float32)
    table[:, 0::2] = sine
    table[:, 1::2] = cosine
    return table


@subject
def look_up(table, tokens, multiplier):
    return table[tokens] * multiplier


@subject
def input(table, tokens, positions, multiplier):
    return table[tokens] * multiplier + positions


@subject
def layer_norm(x, epsilon):
    return (x - x.mean()) / np.sqrt(x.var() + epsilon)


@subject
def rms_norm(x, epsilon):
    return x / np.sqrt(np.mean(x**2) + epsilon)


@subject
def softmax(z):
    weights = np.exp(z - np.max(z))
    return weights / weights.sum()


@subject
def attention_scale(d_model, d_k):
    return np.float32(1) / np.sqrt(np.float32(d_k))


@subject
def logits(q, keys, scale):
    return keys @ q * scale


@subject
def tied_logits(table, h, multiplier):
    return table @ h * multiplier


@subject
def dropout(rate, x, kept):
    return x * kept.astype(np.float32) / np.float32(1 - rate)


@subject
def initialise(distribution, rows, columns, seed, parameter=None):
    generator, shape = np.random.default_rng(seed), (rows, columns)
    if distribution == "uniform":
        return generator.uniform(-parameter, parameter, shape)
    if distribution == "xavier_uniform":
        limit = np.sqrt(6 / (rows + columns))
        return generator.uniform(-limit, limit, shape)
    if distribution == "xavier_normal":
        return generator.normal(0, np.sqrt(2 / (rows + columns)), shape)
    draws = generator.normal(0, parameter, shape)
    while distribution == "truncated_normal" and (outside := abs(draws) > 2 * parameter).any():
        draws[outside] = generator.normal(0, parameter, outside.sum())
    return draws


@subject
def optimizer_step(kind, step, parameter, gradient, rate, penalty=np.float32(0), momentum=None,
                   velocity=None, beta_1=None, beta_2=None, epsilon=None, first=None, second=None,
                   decay=np.float32(0), schedule=np.float32(1)):
    gradient = gradient + penalty * parameter
    if kind == "sgd":
        return {"parameter": parameter - rate * gradient}
    if kind == "momentum":
        velocity = momentum * velocity + gradient
        return {"parameter": parameter - rate * velocity, "velocity": velocity}
    first = beta_1 * first + (1 - beta_1) * gradient
    second = beta_2 * second + (1 - beta_2) * gradient**2
    mean, square = first / (1 - beta_1**step), second / (1 - beta_2**step)
    change = rate * mean / (np.sqrt(square) + epsilon)
    if kind == "adamw":
        change = schedule * (change + decay * parameter)
    return {"parameter": parameter - change, "first": first, "second": second}


@subject
def clip_by_global_norm(parts, max_norm, **gradients):
    gradients = [gradients[f"gradient_{k}"] for k in range(parts)]
    norm = np.sqrt(sum(np.sum(gradient**2) for gradient in gradients))
    factor = min(np.float32(1), max_norm / norm) if norm > 0 else np.float32(1)
    return {f"out_{k}": gradient * factor for k, gradient in enumerate(gradients)}


serve(name=f"NumPy {np.__version__}, as tutorials write it")
