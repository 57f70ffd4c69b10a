"""A subject in ten lines: embedscale check -- python3 example.py"""

from math import sqrt

from embedscale_subject import operation, serve


@operation("binary64", "binary32")
def layer_norm(x, epsilon):
    mean = sum(x) / len(x)
    centred = [value - mean for value in x]
    variance = sum(value * value for value in centred) / len(x)
    return [value / sqrt(variance + epsilon) for value in centred]


serve(name="example.py", version="1")
