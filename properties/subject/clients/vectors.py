"""Tries functions against the vectors, without anything of embedscale: vectors.py DIRECTORY.

    from vectors import differences
    print(differences("vectors/layer_norm.json", lambda x, epsilon: my_layer_norm(x, epsilon)))
"""

import json
import math


def differences(file, function):
    """Of each result that is farther off than allowed: the case, the entry, what is right, what came."""
    with open(file, encoding="utf-8") as opened:
        vectors, found = json.load(opened), []
    for number, case in enumerate(vectors["cases"]):
        given = {array["name"]: shaped(array["decimal"], array["shape"]) for array in case["arrays"]}
        results = function(**case["arguments"], **given)
        results = results if isinstance(results, dict) else {"out": results}
        for right in case["results"]:
            came = flat(results[right["name"]])
            if len(came) != len(right["exact"]):
                found.append((number, right["name"], len(right["exact"]), len(came)))
            for entry, (is_, exact, allowed) in enumerate(zip(came, right["exact"], right["allowed"])):
                if not abs(is_ - exact) <= allowed:
                    found.append((number, f"{right['name']}[{entry}]", exact, is_))
    return found


def shaped(numbers, shape):
    if not shape:
        return numbers[0]
    step = math.prod(shape[1:])
    rows = [numbers[k * step:(k + 1) * step] for k in range(shape[0])]
    return [shaped(row, shape[1:]) for row in rows] if len(shape) > 1 else numbers


def flat(result):
    result = result.tolist() if hasattr(result, "tolist") else result
    return [x for part in result for x in flat(part)] if isinstance(result, (list, tuple)) else [result]
