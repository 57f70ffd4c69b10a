"""Wrong subjects: wrong.py NAME serves one, wrong.py --list names all.

Each has the operations that its defect touches, and does everything else as right.py does. Nearly
all defects were real: a line of the list has the thread that each is from, or says why there is
none.
"""

import math
import os
import sys

if "--list" in sys.argv:  # not served: the client leaves standard output alone
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)

import right  # finds the client as well  # noqa: E402
from embedscale_subject import operation, rounded, serve  # noqa: E402

WIDE = ("binary64", "binary32")
SUBJECTS = {}


def wrong(thread, *formats):
    """Registers a class of wrong operations under its name."""
    def register(subject):
        SUBJECTS[subject.__name__] = (thread, formats or right.FORMATS, subject)
        return subject
    return register


def table_of(first, count, d, layout, angle):
    """A position table whose angle at position p and frequency i is angle(p, i)."""
    def pair(p, i):
        finite = math.isfinite(angle(p, i))
        return (math.sin(angle(p, i)), math.cos(angle(p, i))) if finite else (math.nan, math.nan)
    return [right.arranged([pair(p, i) for i in range(d // 2)], layout)
            for p in range(first, first + count)]


def exponent(i, d, rule):
    return 2 * i / d if rule == "paper" else i / (d // 2 - 1)


@wrong("vllm-project/vllm#54569", "binary16")
class positions_in_binary16:
    def position_table(first, count, d, rule, layout, base):
        def half(value):
            return rounded(value, "binary16")

        def angle(p, i):
            return half(half(p) * half(base ** -exponent(i, d, rule)))
        return table_of(first, count, d, layout, angle)


@wrong("huggingface/diffusers#13920", "binary32", "bfloat16")
class positions_in_bfloat16:
    def position_table(first, count, d, rule, layout, base):
        def angle(p, i):
            return rounded(p, "bfloat16") * base ** -exponent(i, d, rule)
        return table_of(first, count, d, layout, angle)


@wrong("huggingface/transformers#46174", "binary32")
class frequencies_in_bfloat16:
    def position_table(first, count, d, rule, layout, base):
        def angle(p, i):
            return p * rounded(base ** -exponent(i, d, rule), "bfloat16")
        return table_of(first, count, d, layout, angle)


@wrong("huggingface/transformers#13665", "binary32")
class table_resized_in_bfloat16:
    """Right up to the length it was made for, and rows in another format after it."""

    def position_table(first, count, d, rule, layout, base):
        table = right.position_table(first, count, d, rule, layout, base)
        return [row if first + k < 512 else [rounded(value, "bfloat16") for value in row]
                for k, row in enumerate(table)]


@wrong("tensorops/TransformerX#115")
class halves_for_interleaved:
    def position_table(first, count, d, rule, layout, base):
        return right.position_table(first, count, d, rule, "halves", base)


@wrong("bojone/attention#5")
class cosine_before_sine:
    def position_table(first, count, d, rule, layout, base):
        table = right.position_table(first, count, d, rule, "halves", base)
        pairs = [list(zip(row[d // 2:], row[:d // 2])) for row in table]
        return [right.arranged(row, layout) for row in pairs]


@wrong("BrianPulfer/PapersReimplementations#9")
class slices_of_the_other_layout:
    def position_table(first, count, d, rule, layout, base):
        other = "halves" if layout == "interleaved" else "interleaved"
        return right.position_table(first, count, d, rule, other, base)


@wrong("jadore801120/attention-is-all-you-need-pytorch#32", *WIDE)
class exponent_of_the_channel:
    """2j/d with j the channel, of which i is the half."""

    def position_table(first, count, d, rule, layout, base):
        def pair(p, i):
            return (math.sin(p * base ** -exponent(2 * i, d, rule)),
                    math.cos(p * base ** -exponent(2 * i + 1, d, rule)))
        return [right.arranged([pair(p, i) for i in range(d // 2)], layout)
                for p in range(first, first + count)]


@wrong("without a thread: the reverse of jadore801120's #32", *WIDE)
class exponent_halved:
    """i/d in place of 2i/d."""

    def position_table(first, count, d, rule, layout, base):
        return table_of(first, count, d, layout,
                        lambda p, i: p * base ** (-exponent(i, d, rule) / 2))


@wrong("zju3dv/LoFTR#41", *WIDE)
class exponent_by_floor_division:
    """-log(base)/d//2, which Python takes for the floor of a quotient."""

    def position_table(first, count, d, rule, layout, base):
        rate = -math.log(base) / d // 2
        return table_of(first, count, d, layout, lambda p, i: p * math.exp(2 * i * rate))


@wrong("maxjcohen/transformer#62", *WIDE)
class base_of_1000:
    def position_table(first, count, d, rule, layout, base):
        return right.position_table(first, count, d, rule, layout, base / 10)


@wrong("converters of Marian's models, by reading")
class papers_frequencies_always:
    def position_table(first, count, d, rule, layout, base):
        return right.position_table(first, count, d, "paper", layout, base)


@wrong("huggingface/optimum-nvidia#85")
class multiplier_hard_coded:
    def multiplier(d_model):
        return math.sqrt(512)


@wrong("huggingface/transformers#29402", *WIDE)
class multiplier_in_bfloat16:
    def multiplier(d_model):
        return rounded(math.sqrt(d_model), "bfloat16")


@wrong("without a thread: the root missing as in delzac/cntkx#10")
class multiplier_without_root:
    def multiplier(d_model):
        return d_model


@wrong("TensorAuto/OpenTau#179")
class multiplied_twice:
    def look_up(table, tokens, multiplier):
        return right.look_up(table, tokens, float(multiplier) ** 2)

    def input(table, tokens, positions, multiplier):
        return right.input(table, tokens, positions, float(multiplier) ** 2)


@wrong("SamLynnEvans/Transformer#10")
class multiplier_forgotten:
    def look_up(table, tokens, multiplier):
        return right.look_up(table, tokens, 1)

    def input(table, tokens, positions, multiplier):
        return right.input(table, tokens, positions, 1)


@wrong("nicklashansen/dreamer4#4")
class positions_divided:
    def input(table, tokens, positions, multiplier):
        faint = [[x / float(multiplier) for x in row] for row in right.values(positions)]
        return right.input(table, tokens, faint, 1)


@wrong("proposed in pytorch/tutorials#2849")
class divided_for_multiplied:
    def up(e, p, m):
        return right.up(e, p, 1 / float(m))

    def look_up(table, tokens, multiplier):
        return right.look_up(table, tokens, 1 / float(multiplier))


@wrong("harvardnlp/annotated-transformer#119")
class layer_norm_unbiased:
    def layer_norm(x, epsilon):
        c = right.centred(right.values(x))
        deviation = math.sqrt(right.dot(c, c) / (len(c) - 1) + float(epsilon))
        return [value / deviation for value in c]


@wrong("codertimo/BERT-pytorch#30")
class epsilon_on_the_deviation:
    def layer_norm(x, epsilon):
        c = right.centred(right.values(x))
        deviation = math.sqrt(right.dot(c, c) / len(c)) + float(epsilon)
        return [value / deviation for value in c]

    def rms_norm(x, epsilon):
        x = right.values(x)
        size = math.sqrt(right.dot(x, x) / len(x)) + float(epsilon)
        return [value / size for value in x]


@wrong("131250208/TPlinker-joint-extraction#37")
class variance_squared:
    def layer_norm(x, epsilon):
        c = right.centred(right.values(x))
        return [value / (right.dot(c, c) / len(c) + float(epsilon)) ** 2 for value in c]


@wrong("keras-team/keras#22393")
class rms_norm_less_the_mean:
    """The mean square about the mean: a variance."""

    def rms_norm(x, epsilon):
        x = right.values(x)
        c = right.centred(x)
        size = math.sqrt(right.dot(c, c) / len(x) + float(epsilon))
        return [value / size for value in x]


@wrong("mosaicml/llm-foundry#371")
class rms_norm_by_reciprocal:
    """Divided by the reciprocal root."""

    def rms_norm(x, epsilon):
        x = right.values(x)
        size = 1 / math.sqrt(right.dot(x, x) / len(x) + float(epsilon))
        return [value / size for value in x]


def exponential(value, format):
    """Infinite where the format has no larger number."""
    try:
        return rounded(math.exp(value), format)
    except OverflowError:
        return math.inf


def weights_of(z, largest, format):
    weights = [exponential(value - largest, format) for value in z]
    whole = rounded(right.total(weights), format)
    return [weight / whole if whole else math.nan for weight in weights]


@wrong("dwavesystems/dwave-optimization#555")
class softmax_without_maximum:
    def softmax(z, format):
        return weights_of(right.values(z), 0, format)


@wrong("FluxML/NNlib.jl#43")
class softmax_less_a_maximum_with_zero:
    def softmax(z, format):
        z = right.values(z)
        return weights_of(z, max(0, *z), format)


@wrong("FrancescoSaverioZuppichini/ViT#1")
class attention_scaled_by_d_model:
    def attention_scale(d_model, d_k):
        return 1 / math.sqrt(d_model)


@wrong("delzac/cntkx#10")
class attention_scale_without_root:
    def attention_scale(d_model, d_k):
        return 1 / d_k


@wrong("wenet-e2e/wenet#891", *WIDE)
class logits_in_binary16:
    """Query times key in binary16, and scaled after it."""

    def logits(q, keys, scale):
        q = right.values(q)
        return [float(scale) * rounded(right.dot(q, key), "binary16")
                for key in right.values(keys)]


@wrong("mattn/tensai#248")
class logits_multiplier_forgotten:
    def tied_logits(table, h, multiplier):
        return right.tied_logits(table, h, 1)


@wrong("asked about in Cohere-Labs-Community/Targeted-Dropout#14")
class dropout_unscaled:
    def dropout(rate, x, kept):
        return right.dropout(0, x, kept)


@wrong("kaldi-asr/kaldi#2814")
class dropout_by_the_rate:
    def dropout(rate, x, kept):
        return right.dropout(1 - rate, x, kept) if rate else right.dropout(0, x, kept)


@wrong("mlverse/torch#555")
class xavier_without_brackets:
    """√(2/fan_in + fan_out)."""

    def initialise(distribution, rows, columns, seed, parameter=None):
        if distribution == "xavier_normal":
            distribution, parameter = "normal", math.sqrt(2 / columns + rows)
        if distribution == "xavier_uniform":
            distribution, parameter = "uniform", math.sqrt(6 / columns + rows)
        return right.initialise(distribution, rows, columns, seed, parameter)


@wrong("without a thread: sum of the fans for their mean")
class xavier_of_the_sum:
    def initialise(distribution, rows, columns, seed, parameter=None):
        if distribution == "xavier_normal":
            distribution, parameter = "normal", math.sqrt(1 / (rows + columns))
        if distribution == "xavier_uniform":
            distribution, parameter = "uniform", math.sqrt(3 / (rows + columns))
        return right.initialise(distribution, rows, columns, seed, parameter)


@wrong("keras-team/keras#372")
class uniform_by_its_deviation:
    """The standard deviation for the limit."""

    def initialise(distribution, rows, columns, seed, parameter=None):
        if distribution == "xavier_uniform":
            distribution, parameter = "uniform", math.sqrt(2 / (rows + columns))
        return right.initialise(distribution, rows, columns, seed, parameter)


@wrong("KerasHub T5Backbone, by reading")
class mean_for_deviation:
    """N(σ, 0.05²): rows that are almost one row."""

    def initialise(distribution, rows, columns, seed, parameter=None):
        table = right.initialise(distribution, rows, columns, seed, parameter)
        if distribution != "normal":
            return table
        return [[parameter + 0.05 * value / parameter for value in row] for row in table]


@wrong("proposed in mlpack/mlpack#1510")
class truncated_by_clamping:
    def initialise(distribution, rows, columns, seed, parameter=None):
        if distribution != "truncated_normal":
            return right.initialise(distribution, rows, columns, seed, parameter)
        table = right.initialise("normal", rows, columns, seed, parameter)
        return [[max(-2 * parameter, min(2 * parameter, x)) for x in row] for row in table]


@wrong("oxiglade/mlx-rs#301")
class adam_without_correction:
    def optimizer_step(kind, step, **inputs):
        return right.optimizer_step(kind, 10**9, **inputs)  # where nothing is left to correct


@wrong("karpathy/convnetjs#70")
class adam_multiplied_by_correction:
    """Moments times 1 - β^k, where the paper divides."""

    def optimizer_step(kind, step, rate, epsilon=0, **inputs):
        if kind in ("adam", "adamw"):
            by_1 = right.correction(float(inputs["beta_1"]), step)
            by_2 = right.correction(float(inputs["beta_2"]), step)
            rate, epsilon = float(rate) * by_1 / math.sqrt(by_2), float(epsilon) / math.sqrt(by_2)
            step = 10**9
        return right.optimizer_step(kind, step, rate=rate, epsilon=epsilon, **inputs)


@wrong("FluxML/Flux.jl#448")
class adam_epsilon_in_the_root:
    def optimizer_step(kind, step, epsilon=0, **inputs):
        after = right.optimizer_step(kind, step, epsilon=epsilon, **inputs)
        if kind != "adam":
            return after
        by_1 = right.correction(float(inputs["beta_1"]), step)
        by_2 = right.correction(float(inputs["beta_2"]), step)
        rate, epsilon = float(inputs["rate"]), float(epsilon)
        divisors = [math.sqrt(b / by_2 + epsilon) for b in after["second"]]
        change = [rate * (a / by_1) / divisor if divisor else 0.0
                  for a, divisor in zip(after["first"], divisors)]
        parameter = [t - fall for t, fall in zip(right.values(inputs["parameter"]), change)]
        return {**after, "parameter": parameter}


@wrong("mapbox/robosat#166")
class adamw_decay_as_penalty:
    def optimizer_step(kind, step, penalty=0, decay=0, **inputs):
        if kind == "adamw":
            penalty, decay = float(penalty) + float(decay), 0
        return right.optimizer_step(kind, step, penalty=penalty, decay=decay, **inputs)


@wrong("Happy-Algorithms-League/hal-cgp#210")
class clip_by_value:
    def clip_by_global_norm(parts, max_norm, **gradients):
        bound = float(max_norm)
        return {f"out_{k}": right.mapped(lambda x: max(-bound, min(bound, x)),
                                         right.values(gradients[f"gradient_{k}"]))
                for k in range(parts)}


@wrong("carpedm20/MemN2N-tensorflow#19")
class clip_each_part_by_itself:
    def clip_by_global_norm(parts, max_norm, **gradients):
        alone = [right.clip_by_global_norm(1, max_norm, gradient_0=gradients[f"gradient_{k}"])
                 for k in range(parts)]
        return {f"out_{k}": clipped["out_0"] for k, clipped in enumerate(alone)}


def main():
    if sys.argv[1:] == ["--list"]:
        for name, (thread, _, _) in SUBJECTS.items():
            print(f"{name} # {thread}")
        return
    if len(sys.argv) != 2 or sys.argv[1] not in SUBJECTS:
        sys.exit("usage: wrong.py NAME, or wrong.py --list")
    _, formats, subject = SUBJECTS[sys.argv[1]]
    for name, function in vars(subject).items():
        if not name.startswith("_"):
            operation(*formats)(function)
    serve(name=f"wrong.py {sys.argv[1]}", version="1")


if __name__ == "__main__":
    main()
