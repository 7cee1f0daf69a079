import { createHmac, generateKeyPairSync } from 'node:crypto';
import { AdapterError, adapterError } from '@ledger-ops/adapter';
import { z } from 'zod';
import { pointOf, readCertificate } from '../identity/certificate.ts';
import { certificationRequest, signedRequest } from '../identity/csr.ts';
import { type OwnSigner, ownSigner } from '../identity/ecdsa.ts';
import type { CaProperties } from '../properties.ts';
import type { CaClient, CaError } from './ca-client.ts';

/** The CA's calls on behalf of wallets. */
export interface Enrollment {
  /** A certificate for a request, by name and secret, which the CA uses up. Resolves to PEM. */
  enroll(id: string, secret: string, request: string): Promise<string>;
  /**
   * Makes an identity known to the CA, as the ledger's registrar, and enrols it. Whatever of it broke off, the same
   * call goes on: its secret is the same. With another key, or as somebody else, a known identity is refused.
   */
  registerAndEnroll(identity: NewIdentity, request: string): Promise<string>;
  /** The message that the bearer of a certificate signs to have it renewed, and the request's body. */
  renewal(certificate: string, request: string): { body: string; message: Uint8Array };
  /** @param signature DER, over the renewal's message. Resolves to PEM. */
  reenroll(certificate: string, body: string, signature: Uint8Array): Promise<string>;
}

export interface NewIdentity {
  id: string;
  /** Compressed point. */
  publicKey: Uint8Array;
  /** Put into its certificates, where chaincode reads them. */
  attributes: Readonly<Record<string, string>>;
  affiliation: string | undefined;
}

const phase = 'wallet';
/** Codes of fabric-ca, lib/caerrors. */
const knownAlready = 74;
const tooManyEnrollments = 82;
const enrolled = z.object({ Cert: z.string() });

/** Enrolments of an identity that is registered here: one, and those whose answers are lost. One where the CA allows no more. */
const enrollments = [3, 1];

/**
 * The secret of an identity that is registered here, which nobody else than the registrar can tell; who has the
 * registrar's may set anybody's at the CA. It is of one request: id, key, attributes, affiliation.
 */
function secretOf({ id, publicKey, attributes, affiliation }: NewIdentity, registrarSecret: string): string {
  const sorted = Object.entries(attributes).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const request = ['enrolment', id, Buffer.from(publicKey).toString('hex'), sorted, affiliation ?? null];
  return createHmac('sha256', registrarSecret).update(JSON.stringify(request)).digest('base64url');
}

/** @param registrarRenewal milliseconds before its end that the registrar's certificate is replaced */
export function createEnrollment(client: CaClient, ca: CaProperties, registrarRenewal: number): Enrollment {
  let registrar: Promise<{ certificate: string; sign: OwnSigner }> | undefined;

  async function enroll(id: string, secret: string, request: string): Promise<string> {
    const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
    const body = JSON.stringify({ certificate_request: request, ...caName(ca) });
    const result = await client.post({ path: '/api/v1/enroll', body, authorization }, (error) =>
      error.status === 401
        ? refusal(
            error,
            `The CA does not take the secret of ${id}: it is wrong, or used up`,
            '/parameters/enrollmentSecret',
          )
        : refusal(error, `The CA does not enrol ${id}`, '/parameters/enrollmentId'),
    );
    return readEnrolled(result);
  }

  /** The registrar has a key of its own in this process; its certificate is got when it is first needed. */
  function enrollRegistrar(): Promise<{ certificate: string; sign: OwnSigner }> {
    const known = registrar;
    if (known !== undefined) return known;
    if (ca.registrar === undefined) {
      const detail =
        'The ledger has no registrar (ca_registrar_id, ca_registrar_secret): give an enrollmentSecret.';
      throw adapterError('invalid-argument', detail, {
        phase,
        issues: [
          { pointer: '/parameters/enrollmentSecret', detail: 'is required: the ledger has no registrar' },
        ],
      });
    }
    const { id, secret } = ca.registrar;
    const fresh = (async () => {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const sign = ownSigner(privateKey);
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
      const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
      const request = certificationRequest(id, point);
      const certificate = await enroll(id, secret, signedRequest(request, sign(request))).catch(
        (cause: unknown) => {
          const why = cause instanceof AdapterError ? `: ${cause.problem.detail}` : '.';
          const detail = `The ledger's registrar could not enrol with the CA${why}`;
          const isClosed = cause instanceof AdapterError && cause.code === 'not-opened';
          throw adapterError(isClosed ? 'not-opened' : 'unavailable', detail, { phase, cause });
        },
      );
      return { certificate, sign };
    })();
    registrar = fresh;
    fresh.catch(() => {
      registrar = undefined;
    });
    return fresh;
  }

  async function registrarNow(): Promise<{ certificate: string; sign: OwnSigner }> {
    const one = await enrollRegistrar();
    if (readCertificate(one.certificate).validToDate.getTime() > Date.now() + registrarRenewal) return one;
    registrar = undefined;
    return enrollRegistrar();
  }

  /** @returns the refusal, where the CA knows somebody of this name already */
  async function register(identity: NewIdentity, secret: string): Promise<AdapterError | undefined> {
    const { id, attributes, affiliation } = identity;
    const { certificate, sign } = await registrarNow();
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
        ...caName(ca),
      });
      const authorization = token(certificate, sign(tokenMessage(ca, path, certificate, body)));
      let answered: CaError | undefined;
      let refused: AdapterError | undefined;
      try {
        await client.post({ path, body, authorization }, (error) => {
          answered = error;
          const what =
            error.code === knownAlready
              ? `The CA knows ${id} already: give its enrollmentSecret, or another name`
              : `The CA does not register ${id}`;
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

  return {
    enroll,
    async registerAndEnroll(identity, request) {
      const secret = secretOf(identity, ca.registrar?.secret ?? '');
      const known = await register(identity, secret);
      try {
        return await enroll(identity.id, secret, request);
      } catch (error) {
        // The secret is another one: somebody else's identity.
        throw error instanceof AdapterError && error.code === 'invalid-argument' ? (known ?? error) : error;
      }
    },
    renewal(certificate, request) {
      const body = JSON.stringify({ certificate_request: request, ...caName(ca) });
      return { body, message: tokenMessage(ca, '/api/v1/reenroll', certificate, body) };
    },
    async reenroll(certificate, body, signature) {
      const result = await client.post(
        { path: '/api/v1/reenroll', body, authorization: token(certificate, signature) },
        (error) =>
          adapterError('certificate-invalid', `The CA does not renew the certificate: ${error.message}.`, {
            phase,
          }),
      );
      return readEnrolled(result);
    },
  };
}

function caName({ name }: CaProperties): { caname?: string } {
  return name === undefined ? {} : { caname: name };
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** The message that a token signs (fabric-ca, util.GenECDSAToken): method, path, body, certificate. */
function tokenMessage({ url }: CaProperties, path: string, certificate: string, body: string): Uint8Array {
  const uri = `${url.pathname.replace(/\/$/, '')}${path}`;
  return Buffer.from(`POST.${base64(uri)}.${base64(body)}.${base64(certificate)}`);
}

function token(certificate: string, signature: Uint8Array): string {
  return `${base64(certificate)}.${Buffer.from(signature).toString('base64')}`;
}

function readEnrolled(result: unknown): string {
  const parsed = enrolled.safeParse(result);
  if (!parsed.success) throw adapterError('unavailable', 'The CA answered without a certificate.', { phase });
  const pem = Buffer.from(parsed.data.Cert, 'base64').toString();
  try {
    if (pointOf(readCertificate(pem)) !== undefined) return pem;
  } catch {
    // Said below.
  }
  throw adapterError('unavailable', 'The CA answered with something that is no certificate on P-256.', {
    phase,
  });
}

function refusal(error: CaError, what: string, pointer: string): AdapterError {
  // 5xx, and errors of its database, are the CA's own affair.
  if (error.status >= 500) return adapterError('unavailable', `The CA failed: ${error.message}.`, { phase });
  const detail = `${what}: ${error.message}.`;
  return adapterError('invalid-argument', detail, { phase, issues: [{ pointer, detail: error.message }] });
}
