import { X509Certificate } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { type CaBody, parseBody } from './bodies.ts';
import { enroll, issueFor } from './enroll.ts';
import { CaError, notAuthenticated } from './error.ts';
import { type CaAttribute, type Identities, openIdentities } from './identities.ts';
import { issueTls, type KeyPair } from './issue.ts';
import { register } from './register.ts';
import { revoke } from './revoke.ts';
import { hashSecret } from './secret.ts';
import { authenticate, type CaState, describe, holderOf } from './state.ts';
import { whoSigned } from './token.ts';

export interface CertificateAuthorityOptions {
  /** MSP id of the organization. */
  mspId: string;
  /** The organization's root, which certifies its members. */
  root: KeyPair;
  /** The CA's name in the `caname` of requests. */
  name: string;
  /** The initial registrar, which may register all other identities. */
  registrar: { enrollmentId: string; enrollmentSecret: string };
  /**
   * Directory of `fabric-ca.sqlite`, which stores identities and certificates. If absent, they are kept in
   * memory.
   */
  directory?: string;
  /** Root that certifies the server itself; default `root`. */
  tlsRoot?: KeyPair;
  /** TCP port on 127.0.0.1. If absent or 0, any free port. */
  port?: number;
  /** Affiliations in addition to the root affiliation, with segments joined by dots: `org1.department1`. */
  affiliations?: readonly string[];
}

export interface CertificateAuthority {
  mspId: string;
  name: string;
  /** `https://127.0.0.1:<port>` */
  url: string;
  /** PEM of the root that verifies the server's certificate. */
  tlsCaCertificate: string;
  /** The organization's root certificate, PEM. */
  rootCertificate: string;
  /** Stops the server and closes its connections. Idempotent. */
  close(): Promise<void>;
}

interface CaRequest {
  method: string;
  /** Path and query as received. */
  uri: string;
  authorization: string | undefined;
  bytes: Buffer;
  /** @throws CaError 400 */
  body(): CaBody;
}

interface Endpoint {
  methods: readonly string[];
  success: number;
  answer(state: CaState, request: CaRequest): Promise<unknown>;
}

const maxBody = 1024 * 1024;

/**
 * Starts a CA that implements fabric-ca's REST calls `enroll`, `reenroll`, `register`, `revoke` and `cainfo`,
 * with and without `/api/v1/`. Responses are `{result, errors: [{code, message}], messages, success}` with
 * fabric-ca's codes.
 */
export async function startCertificateAuthority(
  options: CertificateAuthorityOptions,
): Promise<CertificateAuthority> {
  const identities = openIdentities(options.directory);
  try {
    await addRegistrar(identities, options.registrar);
    const state: CaState = {
      ...{ name: options.name, root: options.root, identities },
      affiliations: options.affiliations ?? [],
    };
    const tlsRoot = options.tlsRoot ?? options.root;
    const tls = await issueTls(tlsRoot, { commonName: 'localhost' });
    const server = createServer({ cert: tls.certificate, key: tls.privateKey }, listener(state));
    await new Promise<void>((done, fail) =>
      server.once('error', fail).listen(options.port ?? 0, '127.0.0.1', done),
    );
    const address = server.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    let closed: Promise<void> | undefined;
    return {
      ...{ mspId: options.mspId, name: options.name, url: `https://127.0.0.1:${port}` },
      ...{ tlsCaCertificate: tlsRoot.certificate, rootCertificate: options.root.certificate },
      close() {
        closed ??= new Promise<void>((done) => {
          server.close(() => done());
          server.closeAllConnections();
        }).then(() => identities.close());
        return closed;
      },
    };
  } catch (error) {
    identities.close();
    throw error;
  }
}

const powers: readonly CaAttribute[] = [
  ['hf.Registrar.Roles', '*'],
  ['hf.Registrar.DelegateRoles', '*'],
  ['hf.Registrar.Attributes', '*'],
  ['hf.Revoker', 'true'],
  ['hf.GenCRL', 'true'],
  ['hf.IntermediateCA', 'true'],
  ['hf.AffiliationMgr', 'true'],
].map(([name = '', value = '']) => ({ name, value, ecert: false }));

async function addRegistrar(
  identities: Identities,
  registrar: CertificateAuthorityOptions['registrar'],
): Promise<void> {
  if (identities.find(registrar.enrollmentId) !== undefined) return;
  identities.add({
    ...{
      id: registrar.enrollmentId,
      type: 'client',
      affiliation: '',
      attributes: powers,
      maxEnrollments: -1,
    },
    secret: await hashSecret(registrar.enrollmentSecret),
  });
}

const endpoints: ReadonlyMap<string, Endpoint> = new Map<string, Endpoint>([
  ['cainfo', { methods: ['GET', 'POST', 'HEAD'], success: 200, answer: async (state) => describe(state) }],
  [
    'enroll',
    {
      methods: ['POST'],
      success: 201,
      async answer(state, request) {
        const [id, secret] = credentials(request.authorization);
        toThisCa(state, request);
        return await enroll(state, await authenticate(state, id, secret), nonEmpty(request));
      },
    },
  ],
  ['reenroll', signed(201, issueFor)],
  ['register', signed(201, register)],
  ['revoke', signed(200, revoke)],
]);

/** Handles a call by an enrolled identity. */
function signed(
  success: number,
  call: (state: CaState, caller: ReturnType<typeof holderOf>, body: CaBody) => Promise<unknown>,
): Endpoint {
  return {
    ...{ methods: ['POST'], success },
    async answer(state, request) {
      const token = authorization(request.authorization);
      toThisCa(state, request);
      const root = new X509Certificate(state.root.certificate);
      const { method, uri, bytes } = request;
      const certificate = whoSigned(token, { method, uri, body: bytes }, root, state.identities);
      return await call(state, holderOf(state, certificate), nonEmpty(request));
    },
  };
}

function listener(state: CaState): RequestListener {
  return (message, response) => {
    void answer(state, message).then(
      ({ status, body }) => send(response, status, body),
      // The request was aborted, so no response can be sent.
      () => response.destroy(),
    );
  };
}

async function answer(state: CaState, message: IncomingMessage): Promise<{ status: number; body: object }> {
  const { method = '', url: uri = '/' } = message;
  try {
    const path = new URL(uri, 'https://localhost').pathname.replace(/^\/(api\/v1\/)?/, '');
    const endpoint = endpoints.get(path);
    if (endpoint === undefined) throw new CaError(404, 'unknown', '404 page not found');
    if (!endpoint.methods.includes(method))
      throw new CaError(405, 'methodNotAllowed', `Method ${method} is not allowed`);
    const bytes = await read(message);
    let body: CaBody | undefined;
    const request: CaRequest = {
      ...{ method, uri, authorization: message.headers.authorization, bytes },
      // Parsed on demand, because an authentication error takes precedence over a malformed body.
      body: () => {
        body ??= parseBody(bytes);
        return body;
      },
    };
    if (path === 'cainfo') toThisCa(state, request);
    const result = await endpoint.answer(state, request);
    return { status: endpoint.success, body: { result, errors: [], messages: [], success: true } };
  } catch (error) {
    if (message.destroyed && !message.complete) throw error;
    const { status, code } = error instanceof CaError ? error : { status: 500, code: 0 };
    const text = error instanceof Error ? error.message : String(error);
    return {
      status,
      body: { result: '', errors: [{ code, message: text }], messages: [], success: false },
    };
  }
}

async function read(message: IncomingMessage): Promise<Buffer> {
  const tooLong = new CaError(413, 'badBody', `The request body is longer than ${maxBody} bytes`);
  if (Number(message.headers['content-length'] ?? 0) > maxBody) throw tooLong;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of message) {
    // Chunks are Buffers, because no encoding is set.
    const bytes = chunk as Buffer;
    length += bytes.length;
    // The content-length header may be missing.
    if (length > maxBody) throw tooLong;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** Refuses a request that names another CA. */
function toThisCa(state: CaState, request: CaRequest): void {
  const query = new URL(request.uri, 'https://localhost').searchParams.get('ca') ?? '';
  const name = query === '' ? request.body().text('caname') : query;
  if (name !== '' && name !== state.name) throw new CaError(404, 'caNotFound', `CA '${name}' does not exist`);
}

function nonEmpty(request: CaRequest): CaBody {
  if (request.bytes.length === 0) throw new CaError(400, 'emptyBody', 'Empty request body');
  return request.body();
}

function authorization(header: string | undefined): string {
  if (header === undefined || header === '')
    throw new CaError(401, 'noAuthorization', 'No authorization header');
  return header;
}

function credentials(header: string | undefined): [id: string, secret: string] {
  const basic = /^basic (.+)$/i.exec(authorization(header))?.[1];
  const text = Buffer.from(basic ?? '', 'base64').toString();
  const colon = text.indexOf(':');
  if (colon < 0) throw notAuthenticated();
  return [text.slice(0, colon), text.slice(colon + 1)];
}
