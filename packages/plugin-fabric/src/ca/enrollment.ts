import { createHmac, generateKeyPairSync } from 'node:crypto';
import { AdapterError, adapterError } from '@ledger-ops/adapter';
import { z } from 'zod';
import { pointOf, readCertificate } from '../identity/certificate.ts';
import { certificationRequest, signedRequest } from '../identity/csr.ts';
import { type OwnSigner, ownSigner } from '../identity/ecdsa.ts';
import type { CaProperties } from '../properties.ts';
import type { CaClient, CaError } from './ca-client.ts';

export interface NewIdentity {
  id: string;
  /** Compressed point. */
  publicKey: Uint8Array;
  /** Attributes in the identity's certificates, where chaincode reads them. */
  attributes: Readonly<Record<string, string>>;
  affiliation: string | undefined;
}

const phase = 'wallet';
/** Error codes of fabric-ca, lib/caerrors. */
const knownAlready = 74;
const tooManyEnrollments = 82;
const enrolled = z.object({ Cert: z.string() });

/**
 * Number of enrollments that a newly registered identity may make: one, and two more in case a response is
 * lost. If the CA allows fewer, the identity may make only one.
 */
const enrollments = [3, 1];

/**
 * Returns the secret of a newly registered identity. It is derived from the registrar's secret and from the
 * whole request (id, key, attributes, affiliation), so the same request always has the same secret. This
 * discloses nothing new: anyone who has the registrar's secret can set any secret at the CA.
 */
function secretOf({ id, publicKey, attributes, affiliation }: NewIdentity, registrarSecret: string): string {
  const sorted = Object.entries(attributes).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const request = ['enrolment', id, Buffer.from(publicKey).toString('hex'), sorted, affiliation ?? null];
  return createHmac('sha256', registrarSecret).update(JSON.stringify(request)).digest('base64url');
}

/** Calls the CA for wallets. Caches the registrar's certificate until it must be renewed. */
export class Enrollment {
  readonly #client: CaClient;
  readonly #ca: CaProperties;
  readonly #registrarRenewal: number;
  #registrar: Promise<{ certificate: string; sign: OwnSigner }> | undefined;

  /**
   * @param registrarRenewal milliseconds before its expiry at which the registrar's certificate is replaced
   */
  constructor(client: CaClient, ca: CaProperties, registrarRenewal: number) {
    this.#client = client;
    this.#ca = ca;
    this.#registrarRenewal = registrarRenewal;
  }

  /** Gets a certificate for a request, by name and secret. The CA accepts a secret only once. Resolves to PEM. */
  async enroll(id: string, secret: string, request: string): Promise<string> {
    const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
    const body = JSON.stringify({ certificate_request: request, ...caName(this.#ca) });
    const result = await this.#client.post({ path: '/api/v1/enroll', body, authorization }, (error) =>
      error.status === 401
        ? refusal(
            error,
            `The CA rejected the secret of ${id}: it is wrong or already used`,
            '/parameters/enrollmentSecret',
          )
        : refusal(error, `The CA refused to enroll ${id}`, '/parameters/enrollmentId'),
    );
    return readEnrolled(result);
  }

  /**
   * Registers an identity as the ledger's registrar, and enrolls it. After an interruption, the same call
   * continues, because it derives the same secret. Rejects an existing identity that has another key or
   * owner.
   */
  async registerAndEnroll(identity: NewIdentity, request: string): Promise<string> {
    const secret = secretOf(identity, this.#ca.registrar?.secret ?? '');
    const known = await this.#register(identity, secret);
    try {
      return await this.enroll(identity.id, secret, request);
    } catch (error) {
      // The CA has this identity with another secret, so it belongs to someone else.
      throw error instanceof AdapterError && error.code === 'invalid-argument' ? (known ?? error) : error;
    }
  }

  /** Returns the message that the certificate's owner signs to renew it, and the request body. */
  renewal(certificate: string, request: string): { body: string; message: Uint8Array } {
    const body = JSON.stringify({ certificate_request: request, ...caName(this.#ca) });
    return { body, message: tokenMessage(this.#ca, '/api/v1/reenroll', certificate, body) };
  }

  /** @param signature DER, over the renewal's message. Resolves to PEM. */
  async reenroll(certificate: string, body: string, signature: Uint8Array): Promise<string> {
    const result = await this.#client.post(
      { path: '/api/v1/reenroll', body, authorization: token(certificate, signature) },
      (error) =>
        adapterError('certificate-invalid', `The CA refused to renew the certificate: ${error.message}.`, {
          phase,
        }),
    );
    return readEnrolled(result);
  }

  /**
   * The registrar's key exists only in this process. Its certificate is requested when the registrar is first
   * used.
   */
  #enrollRegistrar(): Promise<{ certificate: string; sign: OwnSigner }> {
    const known = this.#registrar;
    if (known !== undefined) return known;
    if (this.#ca.registrar === undefined) {
      const detail =
        'The ledger has no registrar. Set the ledger properties ca_registrar_id and ca_registrar_secret, or give an enrollmentSecret.';
      throw adapterError('invalid-argument', detail, {
        phase,
        issues: [
          {
            pointer: '/parameters/enrollmentSecret',
            detail: 'is required, because the ledger has no registrar',
          },
        ],
      });
    }
    const { id, secret } = this.#ca.registrar;
    const fresh = (async () => {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const sign = ownSigner(privateKey);
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
      const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
      const request = certificationRequest(id, point);
      const certificate = await this.enroll(id, secret, signedRequest(request, sign(request))).catch(
        (cause: unknown) => {
          const why = cause instanceof AdapterError ? `: ${cause.problem.detail}` : '.';
          const detail = `The ledger's registrar could not enroll with the CA${why}`;
          const isClosed = cause instanceof AdapterError && cause.code === 'not-opened';
          throw adapterError(isClosed ? 'not-opened' : 'unavailable', detail, { phase, cause });
        },
      );
      return { certificate, sign };
    })();
    this.#registrar = fresh;
    fresh.catch(() => {
      this.#registrar = undefined;
    });
    return fresh;
  }

  async #registrarNow(): Promise<{ certificate: string; sign: OwnSigner }> {
    const one = await this.#enrollRegistrar();
    if (readCertificate(one.certificate).validToDate.getTime() > Date.now() + this.#registrarRenewal)
      return one;
    this.#registrar = undefined;
    return this.#enrollRegistrar();
  }

  /** @returns the CA's rejection if it already has an identity of this name */
  async #register(identity: NewIdentity, secret: string): Promise<AdapterError | undefined> {
    const { id, attributes, affiliation } = identity;
    const { certificate, sign } = await this.#registrarNow();
    const path = '/api/v1/register';
    const pointer = '/parameters/enrollmentId';
    for (const times of enrollments) {
      const body = JSON.stringify({
        id,
        type: 'client',
        secret,
        max_enrollments: times,
        ...(affiliation === undefined ? {} : { affiliation }),
        attrs: Object.entries(attributes).map(([name, value]) => ({ name, value, ecert: true })),
        ...caName(this.#ca),
      });
      const authorization = token(certificate, sign(tokenMessage(this.#ca, path, certificate, body)));
      let answered: CaError | undefined;
      let refused: AdapterError | undefined;
      try {
        await this.#client.post({ path, body, authorization }, (error) => {
          answered = error;
          const what =
            error.code === knownAlready
              ? `The CA already has an identity ${id}. Give its enrollmentSecret, or choose another name`
              : `The CA refused to register ${id}`;
          refused = refusal(error, what, pointer);
          return refused;
        });
        return undefined;
      } catch (error) {
        if (answered?.code === knownAlready) return refused;
        if (answered?.code !== tooManyEnrollments || times === enrollments.at(-1)) throw error;
      }
    }
    return undefined;
  }
}

function caName({ name }: CaProperties): { caname?: string } {
  return name === undefined ? {} : { caname: name };
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Returns the message to sign for a token (fabric-ca, util.GenECDSAToken): method, path, body, certificate. */
function tokenMessage({ url }: CaProperties, path: string, certificate: string, body: string): Uint8Array {
  const uri = `${url.pathname.replace(/\/$/, '')}${path}`;
  return Buffer.from(`POST.${base64(uri)}.${base64(body)}.${base64(certificate)}`);
}

function token(certificate: string, signature: Uint8Array): string {
  return `${base64(certificate)}.${Buffer.from(signature).toString('base64')}`;
}

function readEnrolled(result: unknown): string {
  const parsed = enrolled.safeParse(result);
  if (!parsed.success) throw adapterError('unavailable', 'The CA returned no certificate.', { phase });
  const pem = Buffer.from(parsed.data.Cert, 'base64').toString();
  try {
    if (pointOf(readCertificate(pem)) !== undefined) return pem;
  } catch {
    // If this is not a certificate, the error below reports it.
  }
  throw adapterError('unavailable', 'The CA returned something that is not a P-256 certificate.', {
    phase,
  });
}

function refusal(error: CaError, what: string, pointer: string): AdapterError {
  // 5xx and database errors are faults of the CA itself.
  if (error.status >= 500) return adapterError('unavailable', `The CA failed: ${error.message}.`, { phase });
  const detail = `${what}: ${error.message}.`;
  return adapterError('invalid-argument', detail, { phase, issues: [{ pointer, detail: error.message }] });
}
