"""A subject in ten lines: embedscale check -- python3 example.py"""

import numpy as np

from embedscale_subject import operation, serve


@operation("binary64", "binary32")
def layer_norm(x, epsilon):
    centred = x - np.mean(x)
    return centred / np.sqrt(np.mean(centred * centred) + epsilon)


serve(name="example.py", version="1")
