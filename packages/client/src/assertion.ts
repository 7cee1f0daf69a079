/** Signs a client assertion (RFC 7523) with a service account's key. */
export async function signAssertion(options: {
  serviceAccount: string;
  keyId: string;
  privateKey: string;
  audience: string;
  /** Milliseconds since the epoch. */
  now: number;
}): Promise<string> {
  const { serviceAccount, keyId, privateKey, audience, now } = options;
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('pkcs8', derOf(privateKey), algorithm, false, ['sign']);
  const seconds = Math.floor(now / 1_000);
  const claims = {
    ...{ iss: serviceAccount, sub: serviceAccount, aud: audience, jti: randomId() },
    ...{ iat: seconds, exp: seconds + 120 },
  };
  const content = [{ alg: 'RS256', typ: 'JWT', kid: keyId }, claims]
    .map((part) => base64url(new TextEncoder().encode(JSON.stringify(part))))
    .join('.');
  const signature = await crypto.subtle.sign(algorithm.name, key, new TextEncoder().encode(content));
  return `${content}.${base64url(new Uint8Array(signature))}`;
}

/** 128 random bits. `crypto.randomUUID` is missing on pages loaded without TLS. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** @throws TypeError without any part of the key */
function derOf(pem: string): Uint8Array<ArrayBuffer> {
  const [, body] = /-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END PRIVATE KEY-----/.exec(pem) ?? [];
  if (body === undefined)
    throw new TypeError('privateKey must be a PKCS#8 key in PEM format ("BEGIN PRIVATE KEY").');
  return Uint8Array.from(atob(body.replaceAll(/\s/g, '')), (character) => character.charCodeAt(0));
}

function base64url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
