import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { Agent, fetch } from 'undici';
import type { CertificateAuthority } from '../../src/ca/server.ts';
import { x509 } from '../../src/ca/x509.ts';

export interface CaAnswer {
  status: number;
  // Each test knows the type of the response.
  // biome-ignore lint/suspicious/noExplicitAny: a JSON value of a shape that each test states
  result: any;
  errors: { code: number; message: string }[];
  success: boolean;
}

export interface Enrolled {
  certificate: string;
  key: KeyObject;
}

const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** Creates a client with its own keys and tokens. It uses the X.509 library, but none of the CA's code. */
export function createCaClient(ca: CertificateAuthority) {
  const agent = new Agent({ connect: { ca: ca.tlsCaCertificate } });

  async function call(
    method: string,
    path: string,
    body?: string | object,
    authorization?: string,
  ): Promise<CaAnswer> {
    const answer = await fetch(`${ca.url}${path}`, {
      method,
      dispatcher: agent,
      ...(body === undefined ? {} : { body: text(body) }),
      headers: authorization === undefined ? {} : { authorization },
    });
    const { result, errors, success } = (await answer.json()) as Omit<CaAnswer, 'status'>;
    return { status: answer.status, result, errors, success };
  }

  return {
    call,
    enroll: (id: string, secret: string, body: object) =>
      call('POST', '/api/v1/enroll', body, `Basic ${base64(`${id}:${secret}`)}`),
    signed: (path: string, who: Enrolled, body: object, options: TokenOptions = {}) =>
      call('POST', path, body, token('POST', path, text(body), who, options)),
    close: () => agent.close(),
  };
}

/** Faults that a token can have. */
export interface TokenOptions {
  /** Uses the higher of the two valid values of s, as half of all ECDSA signatures do. */
  high?: boolean;
  /** Signs a different body. */
  otherBody?: string;
}

/** `base64(certificate).base64(signature)` */
function token(
  method: string,
  uri: string,
  body: string,
  who: Enrolled,
  { high = false, otherBody }: TokenOptions = {},
): string {
  const certificate = base64(who.certificate);
  const signed = `${method}.${base64(uri)}.${base64(otherBody ?? body)}.${certificate}`;
  const raw = sign('sha256', Buffer.from(signed), { key: who.key, dsaEncoding: 'ieee-p1363' });
  const s = BigInt(`0x${raw.subarray(32).toString('hex')}`);
  const wanted = s > order / 2n === high ? s : order - s;
  const der = sequence(
    integer(raw.subarray(0, 32)),
    integer(Buffer.from(wanted.toString(16).padStart(64, '0'), 'hex')),
  );
  return `${certificate}.${base64(der)}`;
}

/** Creates a certificate request and its key. */
export async function certificateRequest(
  commonName: string,
  more: { names?: Record<string, string[]>[]; extensions?: x509.Extension[] } = {},
): Promise<{ pem: string; key: KeyObject }> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const load = (key: KeyObject, usage: 'sign' | 'verify') =>
    crypto.subtle.importKey('jwk', key.export({ format: 'jwk' }), algorithm, true, [usage]);
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: new x509.Name([...(more.names ?? []), { CN: [commonName] }]),
    keys: { privateKey: await load(privateKey, 'sign'), publicKey: await load(publicKey, 'verify') },
    signingAlgorithm: algorithm,
    extensions: more.extensions ?? [],
  });
  return { pem: request.toString('pem'), key: privateKey };
}

function base64(value: string | Uint8Array): string {
  return Buffer.from(value).toString('base64');
}

function text(body: string | object): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

function integer(bytes: Buffer): Buffer {
  let from = 0;
  while (from < bytes.length - 1 && bytes[from] === 0) from++;
  const short = bytes.subarray(from);
  const value = (short[0] ?? 0) > 127 ? Buffer.concat([Buffer.of(0), short]) : short;
  return Buffer.concat([Buffer.of(2, value.length), value]);
}

function sequence(...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(0x30, body.length), body]);
}
