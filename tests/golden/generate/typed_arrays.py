"""Arrays as types.jsonl names them (s32, where the older files say i32), and when approximate results disagree."""

import numpy as np

import arrays
from arrays import FORMATS, differ, is_float, is_nan, parts_of, words_of


def name_of(array):
    name = arrays.name_of(array)
    return "s32" if name == "i32" else name


def encode(array):
    return {**arrays.encode(array), "dtype": name_of(array)}


def places(array):
    """Integers that order floats, with both zeros at one place."""
    format = FORMATS[name_of(array)]
    sign = 1 << format.mantissa + format.exponent
    values = [-(word & sign - 1) if word & sign else word for word in words_of(array).ravel().tolist()]
    return np.array(values, object).reshape(array.shape)


def disagree(compiled, folded, op):
    """Where two approximate results are farther apart than the two ways of XLA's may be."""
    if compiled.dtype == np.complex64:
        return _complex_disagree(compiled, folded)
    name = name_of(compiled)
    if not is_float(compiled):
        return compiled != folded
    # Half precision is rounded from float32 and is right but for ties.
    steps = 1 if FORMATS[name].word == np.uint16 else 16
    far = np.abs(places(compiled) - places(folded)) > steps
    far = far.astype(bool) & ~(is_nan(compiled) & is_nan(folded))
    if op in ("Lgamma", "Digamma"):
        # Beside a zero of the function the distance itself counts.
        with np.errstate(all="ignore"):
            distance = np.abs(compiled.astype(np.float64) - folded.astype(np.float64))
        far &= ~(distance < 32 * 2.0 ** -FORMATS[name].mantissa)
    return far


def _complex_disagree(compiled, folded):
    with np.errstate(all="ignore"):
        parts = parts_of(compiled), parts_of(folded)
        finite = np.isfinite(parts[0]) & np.isfinite(parts[1])
        odd = (differ(*parts) & ~finite).any(-1)
        distance = np.abs(compiled.astype(np.complex128) - folded)
        return odd | finite.all(-1) & (distance > 1e-5 * np.abs(folded.astype(np.complex128)))
