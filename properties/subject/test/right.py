"""A right subject: all operations in all formats, computed in binary64 and rounded once.

Without NumPy on purpose: sums are exact but for one rounding (math.fsum), and the angles of a
position table are reduced in integers, so that they are as good at position 10^9 as at 1.
"""

import decimal
import functools
import math
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "clients"))
from embedscale_subject import operation, serve  # noqa: E402

FORMATS = ("binary64", "binary32", "binary16", "bfloat16")
TURN = 256  # binary digits of a turn, and of an angle, after the point
PI = decimal.Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628"
                     "620899862803482534211706798214808651328230664709384460955058")


def values(array):
    """Nested lists of floats, of an ndarray as well."""
    return array.tolist() if hasattr(array, "tolist") else array


def total(terms):
    terms = list(terms)
    try:
        return math.fsum(terms)
    except (OverflowError, ValueError):  # beyond binary64, or infinities of both signs
        return sum(terms)


def dot(a, b):
    return total(x * y for x, y in zip(a, b))


def multiplier(d_model):
    return math.sqrt(d_model)


def up(e, p, m):
    return [float(m) * x + y for x, y in zip(values(e), values(p))]


def down(e, p, m):
    return [x + y / float(m) for x, y in zip(values(e), values(p))]


@functools.lru_cache(maxsize=64)
def turns(d, rule, base):
    """How far each frequency turns in a position, in units of 2^-TURN turns, in 100 digits."""
    if d % 2 or d < (2 if rule == "paper" else 4):
        raise ValueError(f"position_table: no width d = {d} for the rule {rule}")
    with decimal.localcontext() as context:
        context.prec = 110
        steps = decimal.Decimal(d // 2 if rule == "paper" else d // 2 - 1)
        ratio = decimal.Decimal(base) ** (-1 / steps)
        all, turn = [], 2**TURN / (2 * PI)
        for _ in range(d // 2):
            all.append(int(turn))
            turn *= ratio
        return all


@functools.lru_cache(maxsize=1)
def full_turn():
    with decimal.localcontext() as context:
        context.prec = 110
        return int(2 * PI * 2**TURN)


def sine_and_cosine(turn):
    """Of an angle in units of 2^-TURN turns: the nearest quarter, and what is left of it."""
    quarter = (turn + (1 << TURN - 3)) >> (TURN - 2)
    rest = (turn - (quarter << (TURN - 2))) * full_turn() >> TURN
    high = math.ldexp(float(rest), -TURN)
    low = math.ldexp(float(rest - int(math.ldexp(high, TURN))), -TURN)
    sine, cosine = math.sin(high), math.cos(high)
    sine, cosine = sine + low * cosine, cosine - low * sine
    return [(sine, cosine), (cosine, -sine), (-sine, -cosine), (-cosine, sine)][quarter % 4]


def arranged(pairs, layout):
    """One row of the pairs (sine, cosine) of its frequencies."""
    if layout == "interleaved":
        return [value for pair in pairs for value in pair]
    return [sine for sine, _ in pairs] + [cosine for _, cosine in pairs]


def position_table(first, count, d, rule, layout, base):
    return [arranged([sine_and_cosine(p * turn) for turn in turns(d, rule, base)], layout)
            for p in range(first, first + count)]


def look_up(table, tokens, multiplier):
    rows = values(table)
    return [[float(multiplier) * x for x in rows[token]] for token in values(tokens)]


def input(table, tokens, positions, multiplier):
    rows = look_up(table, tokens, multiplier)
    return [[x + y for x, y in zip(row, added)] for row, added in zip(rows, values(positions))]


def normalised(x, epsilon):
    """x/√(mean x² + ε), scaled by a power of two lest squares over- or underflow."""
    largest = max([abs(value) for value in x] + [math.sqrt(epsilon)])
    if largest == 0:
        raise ValueError("0/0: all is 0, and so is epsilon")
    power = -math.frexp(largest)[1]
    x = [math.ldexp(value, power) for value in x]
    square = total(value * value for value in x) / len(x)
    divisor = math.sqrt(square + math.ldexp(epsilon, 2 * power))
    return [value / divisor for value in x]


def centred(x):
    """x less its mean, whose rounding error is taken away as well."""
    mean = total(x) / len(x)
    rest = [value - mean for value in x]
    shift = total(rest) / len(x)
    return [value - shift for value in rest]


def layer_norm(x, epsilon):
    return normalised(centred(values(x)), float(epsilon))


def rms_norm(x, epsilon):
    return normalised(values(x), float(epsilon))


def softmax(z):
    z = values(z)
    largest = max(z)
    if largest == -math.inf:
        raise ValueError("softmax: every entry is masked")
    weights = [math.exp(value - largest) for value in z]
    sum_of_weights = total(weights)
    return [weight / sum_of_weights for weight in weights]


def attention_scale(d_model, d_k):
    return 1 / math.sqrt(d_k)


def logits(q, keys, scale):
    q = values(q)
    return [float(scale) * dot(q, key) for key in values(keys)]


def tied_logits(table, h, multiplier):
    h = values(h)
    return [float(multiplier) * dot(row, h) for row in values(table)]


def dropout(rate, x, kept):
    return [value / (1 - rate) if keep else 0.0 for value, keep in zip(values(x), values(kept))]


def spread(distribution, rows, columns, parameter):
    """What unit draws are multiplied by."""
    if distribution == "xavier_normal":
        return math.sqrt(2 / (rows + columns))
    if distribution == "xavier_uniform":
        return math.sqrt(6 / (rows + columns))
    return parameter


def unit_draw(distribution, generator):
    if distribution.endswith("uniform"):
        return 2 * generator.random() - 1
    draw = generator.gauss(0, 1)
    while distribution == "truncated_normal" and abs(draw) > 2:
        draw = generator.gauss(0, 1)
    return draw


def initialise(distribution, rows, columns, seed, parameter=None):
    generator, scale = random.Random(seed), spread(distribution, rows, columns, parameter)
    return [[scale * unit_draw(distribution, generator) for _ in range(columns)]
            for _ in range(rows)]


def correction(beta, step):
    """1 - beta^step, without cancellation."""
    return -math.expm1(step * math.log(beta)) if beta > 0 else 1.0


def adam_change(step, gradient, first, second, rate, beta_1, beta_2, epsilon):
    """The moments with the gradient in, and what the parameter falls by."""
    first = [beta_1 * a + (1 - beta_1) * g for a, g in zip(first, gradient)]
    second = [beta_2 * b + (1 - beta_2) * g * g for b, g in zip(second, gradient)]
    by_1, by_2 = correction(beta_1, step), correction(beta_2, step)
    divisors = [math.sqrt(b / by_2) + epsilon for b in second]
    change = [rate * (a / by_1) / divisor if divisor else 0.0
              for a, divisor in zip(first, divisors)]
    return change, {"first": first, "second": second}


def optimizer_step(kind, step, parameter, gradient, rate, penalty=0, momentum=0, beta_1=0, beta_2=0,
                   epsilon=0, decay=0, schedule=1, velocity=None, first=None, second=None):
    t, rate, penalty = values(parameter), float(rate), float(penalty)
    g = [slope + penalty * entry for slope, entry in zip(values(gradient), t)]
    if kind == "sgd":
        change, state = [rate * slope for slope in g], {}
    elif kind == "momentum":
        v = [float(momentum) * old + slope for old, slope in zip(values(velocity), g)]
        change, state = [rate * speed for speed in v], {"velocity": v}
    else:
        change, state = adam_change(step, g, values(first), values(second), rate, float(beta_1),
                                    float(beta_2), float(epsilon))
    if kind == "adamw":
        change = [float(schedule) * (fall + float(decay) * entry)
                  for fall, entry in zip(change, t)]
    return {"parameter": [entry - fall for entry, fall in zip(t, change)], **state}


def entries(array):
    """All numbers of nested lists."""
    return [x for item in array for x in entries(item)] if isinstance(array, list) else [array]


def mapped(function, array):
    if isinstance(array, list):
        return [mapped(function, item) for item in array]
    return function(array)


def clip_by_global_norm(parts, max_norm, **gradients):
    gradients = [values(gradients[f"gradient_{k}"]) for k in range(parts)]
    norm = math.hypot(*[x for gradient in gradients for x in entries(gradient)])
    factor = float(max_norm) / norm if norm > max_norm else 1.0
    return {f"out_{k}": mapped(lambda x: x * factor, gradient)
            for k, gradient in enumerate(gradients)}


OPERATIONS = (multiplier, up, down, position_table, look_up, input, layer_norm, rms_norm, softmax,
              attention_scale, logits, tied_logits, dropout, initialise, optimizer_step,
              clip_by_global_norm)

if __name__ == "__main__":
    for function in OPERATIONS:
        operation(*FORMATS)(function)
    serve(name="right.py", version="1")
