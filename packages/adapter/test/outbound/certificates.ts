import {
  createPrivateKey,
  createPublicKey,
  generatePrimeSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';

/** Encodes one value in DER. */
function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}

const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts);
const integer = (bytes: Uint8Array) => der(2, (bytes[0] ?? 0) > 127 ? Buffer.of(0) : Buffer.alloc(0), bytes);
const oid = (hex: string) => der(6, Buffer.from(hex, 'hex'));
const pem = (name: string, bytes: Uint8Array) =>
  `-----BEGIN ${name}-----\n${Buffer.from(bytes)
    .toString('base64')
    .replace(/.{64}(?!$)/g, '$&\n')}\n-----END ${name}-----\n`;

/**
 * Returns a DSA key (PKCS #8). OpenSSL computes its public key while it reads the key, which takes seconds.
 */
export function slowDsaKey(bytes = 1_900): string {
  const odd = Buffer.alloc(bytes, 0xff);
  const parameters = sequence(integer(odd), integer(Buffer.of(3)), integer(Buffer.of(2)));
  const secret = integer(Buffer.alloc(bytes, 0x55));
  const algorithm = sequence(oid('2a8648ce380401'), parameters);
  return pem('PRIVATE KEY', sequence(integer(Buffer.of(0)), algorithm, der(4, secret)));
}

function bytesOf(value: bigint): Buffer {
  const hex = value.toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
}

/** @returns undefined if the value and the modulus have a common factor */
function inverse(value: bigint, modulus: bigint): bigint | undefined {
  let [a, b, x, y] = [value % modulus, modulus, 1n, 0n];
  while (a > 1n) [a, b, x, y] = [b % a, a, y - (b / a) * x, x];
  return a === 0n ? undefined : ((x % modulus) + modulus) % modulus;
}

function requiredInverse(value: bigint, modulus: bigint): bigint {
  const found = inverse(value, modulus);
  if (found === undefined) throw new RangeError('The numbers have a common factor.');
  return found;
}

/** Returns a prime of 1,024 bits that an RSA key with this exponent can use. */
function primeFor(exponent: bigint): bigint {
  const prime = generatePrimeSync(1_024, { bigint: true });
  return inverse(exponent, prime - 1n) === undefined ? primeFor(exponent) : prime;
}

/**
 * Returns an RSA key of any size, generated quickly. Both factors of its modulus are products of smaller
 * primes, which TLS does not detect. @param primes an even number of primes of 1,024 bits
 */
export function rsaKey(primes: number, exponent = 65_537n): KeyObject {
  const half = () => {
    const factors = Array.from({ length: primes / 2 }, () => primeFor(exponent));
    const order = factors.reduce((product, prime) => product * (prime - 1n), 1n);
    return { value: factors.reduce((product, prime) => product * prime, 1n), order };
  };
  const [p, q] = [half(), half()];
  const text = (value: bigint) => bytesOf(value).toString('base64url');
  const [dp, dq] = [requiredInverse(exponent, p.order), requiredInverse(exponent, q.order)];
  const key = {
    ...{ kty: 'RSA', n: text(p.value * q.value), e: text(exponent), p: text(p.value), q: text(q.value) },
    ...{ dp: text(dp), dq: text(dq), qi: text(requiredInverse(q.value, p.value)) },
    // Ignored if the factors are set.
    d: text(requiredInverse(exponent, p.order * q.order)),
  };
  return createPrivateKey({ format: 'jwk', key });
}

/**
 * Returns a self-signed certificate, valid today; by default for 127.0.0.1 and localhost.
 * @param more number of additional names
 */
export function selfSigned(key: KeyObject, host?: string, more = 0): { key: string; cert: string } {
  const time = (offset: number) => {
    const text = new Date(Date.now() + offset).toISOString().replace(/[-:T]|\.\d+/g, '');
    return der(0x18, Buffer.from(text));
  };
  const day = 86_400_000;
  const isEc = key.asymmetricKeyType === 'ec';
  const algorithm = isEc ? sequence(oid('2a8648ce3d040302')) : sequence(oid('2a864886f70d01010b'), der(5));
  const name = sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from('localhost')))));
  const own =
    host === undefined
      ? [der(0x82, Buffer.from('localhost')), der(0x87, Buffer.of(127, 0, 0, 1))]
      : [der(0x82, Buffer.from(host))];
  const others = Array.from({ length: more }, (_, at) => der(0x82, Buffer.from(`name-${at}`)));
  const addresses = sequence(...own, ...others);
  const isAuthority = sequence(oid('551d13'), der(4, sequence(der(1, Buffer.of(0xff)))));
  const extensions = sequence(sequence(oid('551d11'), der(4, addresses)), isAuthority);
  const content = sequence(
    der(0xa0, integer(Buffer.of(2))),
    integer(Buffer.concat([Buffer.of(1), randomBytes(8)])),
    ...[algorithm, name, sequence(time(-day), time(day)), name],
    createPublicKey(key).export({ format: 'der', type: 'spki' }),
    der(0xa3, extensions),
  );
  const signature = der(3, Buffer.of(0), sign('sha256', content, key));
  return {
    key: key.export({ format: 'pem', type: 'pkcs8' }).toString(),
    cert: pem('CERTIFICATE', sequence(content, algorithm, signature)),
  };
}

/** Returns Diffie-Hellman parameters whose modulus has this many bits and is not prime. */
export function dhParameters(bits: number): string {
  const modulus = randomBytes(bits / 8);
  modulus[0] = 0xff;
  modulus[modulus.length - 1] = 0xff;
  return pem('DH PARAMETERS', sequence(integer(modulus), integer(Buffer.of(2))));
}

/**
 * Returns an untrusted chain whose issuers have large RSA keys. OpenSSL allows exponents as long as the
 * modulus for keys of up to 3,072 bits, and exponents of 64 bits for keys of up to 16,384 bits.
 */
export function expensiveChain(
  length: number,
  { bits, exponentBits } = { bits: 3_072, exponentBits: 3_072 },
): { key: string; cert: string } {
  const name = (text: string) => sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(text)))));
  const time = (offset: number) => {
    const text = new Date(Date.now() + offset).toISOString().replace(/[-:T]|\.\d+/g, '');
    return der(0x18, Buffer.from(text));
  };
  const algorithm = sequence(oid('2a864886f70d01010b'), der(5));
  const isAuthority = sequence(
    oid('551d13'),
    der(1, Buffer.of(0xff)),
    der(4, sequence(der(1, Buffer.of(0xff)))),
  );
  const odd = (first: number, size: number) => {
    const bytes = randomBytes(size / 8);
    bytes[0] = first;
    bytes[bytes.length - 1] = 0xff;
    return bytes.toString('base64url');
  };
  const certificate = (place: number, key: KeyObject) => {
    const content = sequence(
      der(0xa0, integer(Buffer.of(2))),
      integer(Buffer.of(1, place)),
      ...[algorithm, name(`c${place + 1}`), sequence(time(-86_400_000), time(86_400_000)), name(`c${place}`)],
      key.export({ format: 'der', type: 'spki' }),
      der(0xa3, sequence(isAuthority)),
    );
    const signature = der(3, Buffer.of(0, 0), randomBytes(bits / 8 - 1));
    return pem('CERTIFICATE', sequence(content, algorithm, signature));
  };
  const leaf = rsaKey(2);
  const others = Array.from({ length }, (_, index) => {
    const key = { kty: 'RSA', n: odd(0xff, bits), e: odd(0x7f, exponentBits) };
    return certificate(index + 1, createPublicKey({ format: 'jwk', key }));
  });
  return {
    key: leaf.export({ format: 'pem', type: 'pkcs8' }).toString(),
    cert: certificate(0, createPublicKey(leaf)) + others.join(''),
  };
}
