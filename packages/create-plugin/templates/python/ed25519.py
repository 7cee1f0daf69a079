"""Ed25519 (RFC 8032) with only the standard library.

It is correct but not constant-time: precise measurements of this process may reveal keys. For production, replace it with
a library (`cryptography`) or a key store; the functions stay the same.
"""

import hashlib

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
BASE_Y = 4 * pow(5, -1, P) % P


def _x_of(y):
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * pow(2, (P - 1) // 4, P) % P
    return x if x % 2 == 0 else P - x


# Points are (X, Y, Z, T) with x = X/Z, y = Y/Z, x*y = T/Z.
_X = _x_of(BASE_Y)
BASE = (_X, BASE_Y, 1, _X * BASE_Y % P)


def _add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def _multiply(scalar, point):
    result = (0, 1, 1, 0)
    while scalar > 0:
        if scalar & 1:
            result = _add(result, point)
        point = _add(point, point)
        scalar >>= 1
    return result


def _encode(point):
    inverse = pow(point[2], -1, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | ((x & 1) << 255)).to_bytes(32, "little")


def _expand(seed):
    digest = hashlib.sha512(seed).digest()
    scalar = int.from_bytes(digest[:32], "little") & ((1 << 254) - 8) | (1 << 254)
    return scalar, digest[32:]


def _number(*parts):
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little") % ORDER


def public_key(seed):
    """Returns the public key (32 bytes) of a seed (32 bytes)."""
    scalar, _ = _expand(seed)
    return _encode(_multiply(scalar, BASE))


def sign(seed, message):
    """Returns the signature (64 bytes)."""
    scalar, prefix = _expand(seed)
    public = _encode(_multiply(scalar, BASE))
    nonce = _number(prefix, message)
    point = _encode(_multiply(nonce, BASE))
    s = (nonce + _number(point, public, message) * scalar) % ORDER
    return point + s.to_bytes(32, "little")


def verify(public, message, signature):
    """Returns whether the signature was made with the key."""
    if len(public) != 32 or len(signature) != 64:
        return False
    y = int.from_bytes(public, "little") & ((1 << 255) - 1)
    s = int.from_bytes(signature[32:], "little")
    if y >= P or s >= ORDER:
        return False
    x = _x_of(y)
    if ((y * y - 1) - x * x * (D * y * y + 1)) % P != 0:
        return False
    if x & 1 != public[31] >> 7:
        x = P - x
    # R = sB - kA, compared as bytes.
    scalar = _number(signature[:32], public, message)
    negative = (P - x, y, 1, (P - x) * y % P)
    return _encode(_add(_multiply(s, BASE), _multiply(scalar, negative))) == signature[:32]
