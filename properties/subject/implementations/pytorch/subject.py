"""PyTorch's own functions, each as a model would call it."""

import math
import pathlib
import sys

import torch
from torch.nn import functional

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "clients"))
from embedscale_subject import operation, serve  # noqa: E402

torch.set_num_threads(1)
TYPES = {"binary64": torch.float64, "binary32": torch.float32, "bfloat16": torch.bfloat16}
subject = operation(*TYPES)


def tensor(array, format):
    return torch.as_tensor(array, dtype=TYPES[format])


def tensors(format, *arrays):
    return [tensor(array, format) for array in arrays]


@subject
def multiplier(d_model, format):
    return tensor(math.sqrt(d_model), format)


@subject
def up(e, p, m, format):
    e, p = tensors(format, e, p)
    return e * float(m) + p


@subject
def down(e, p, m, format):
    e, p = tensors(format, e, p)
    return e + p / float(m)


@subject
def look_up(table, tokens, multiplier, format):
    return functional.embedding(torch.as_tensor(tokens), tensor(table, format)) * float(multiplier)


@subject
def input(table, tokens, positions, multiplier, format):
    return look_up(table, tokens, multiplier, format) + tensor(positions, format)


@subject
def layer_norm(x, epsilon, format):
    return functional.layer_norm(tensor(x, format), x.shape, eps=float(epsilon))


@subject
def softmax(z, format):
    return functional.softmax(tensor(z, format), dim=-1)


@subject
def attention_scale(d_model, d_k, format):
    return tensor(1 / math.sqrt(d_k), format)


@subject
def logits(q, keys, scale, format):
    q, keys = tensors(format, q, keys)
    return torch.matmul(keys, q) * float(scale)


@subject
def tied_logits(table, h, multiplier, format):
    h, table = tensors(format, h, table)
    return functional.linear(h, table) * float(multiplier)


@operation("binary64", "binary32")
def initialise(distribution, rows, columns, seed, format, parameter=None):
    torch.manual_seed(seed)
    table = torch.empty(rows, columns, dtype=TYPES[format])
    init = torch.nn.init
    if distribution == "normal":
        return init.normal_(table, 0, parameter)
    if distribution == "uniform":
        return init.uniform_(table, -parameter, parameter)
    if distribution == "truncated_normal":
        return init.trunc_normal_(table, 0, parameter, -2 * parameter, 2 * parameter)
    return getattr(init, distribution + "_")(table)


@operation("binary64", "binary32")
def optimizer_step(kind, step, parameter, gradient, rate, penalty, format, momentum=0, velocity=None,
                   beta_1=0, beta_2=0, epsilon=0, first=None, second=None, decay=0, schedule=1):
    moved = torch.nn.Parameter(tensor(parameter, format))
    moved.grad = tensor(gradient, format)
    rate, penalty = float(rate), float(penalty)
    if kind in ("sgd", "momentum"):
        by = torch.optim.SGD([moved], rate, momentum=float(momentum), weight_decay=penalty)
        if kind == "momentum":
            by.state[moved]["momentum_buffer"] = tensor(velocity, format)
        by.step()
        state = {} if kind == "sgd" else {"velocity": by.state[moved]["momentum_buffer"]}
        return {"parameter": moved, **state}
    settings = {"betas": (float(beta_1), float(beta_2)), "eps": float(epsilon)}
    if kind == "adam":
        by = torch.optim.Adam([moved], rate, weight_decay=penalty, **settings)
    else:  # PyTorch's rate multiplies its decay, and its penalty stands in the gradient
        moved.grad += penalty * moved.detach()
        weight_decay = float(decay) / rate if rate else 0.0
        by = torch.optim.AdamW([moved], float(schedule) * rate, weight_decay=weight_decay, **settings)
    first, second = tensors(format, first, second)
    by.state[moved] = {"step": torch.tensor(step - 1.0), "exp_avg": first, "exp_avg_sq": second}
    by.step()
    return {"parameter": moved, "first": first, "second": second}


@subject
def clip_by_global_norm(parts, max_norm, format, **gradients):
    all = [torch.zeros_like(tensor(gradients[f"gradient_{k}"], format)) for k in range(parts)]
    for k, one in enumerate(all):
        one.grad = tensor(gradients[f"gradient_{k}"], format)
    torch.nn.utils.clip_grad_norm_(all, float(max_norm))
    return {f"out_{k}": one.grad for k, one in enumerate(all)}


serve(name="PyTorch", version=torch.__version__)
