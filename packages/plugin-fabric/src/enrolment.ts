import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { AdapterError, adapterError } from '@ledger-ops/adapter';
import { z } from 'zod';
import type { CaClient, CaError } from './ca-client.ts';
import { pointOf, readCertificate } from './certificate.ts';
import { certificationRequest, signedRequest } from './csr.ts';
import type { CaProperties } from './properties.ts';
import { type OwnSigner, ownSigner } from './signature.ts';

/** What the CA is asked on behalf of wallets. */
export interface Enrolment {
  /** A certificate for a request, by name and secret, which the CA uses up. Resolves to PEM. */
  enroll(id: string, secret: string, request: string): Promise<string>;
  /**
   * Makes an identity known to the CA, as the ledger's registrar, and enrols it. One that is known already may be of
   * this very call, whose answer was lost: then its secret is as it was said.
   */
  registerAndEnroll(identity: NewIdentity, request: string): Promise<string>;
  /** What the bearer of a certificate signs, to have it renewed. */
  renewal(certificate: string, request: string): { body: string; message: Uint8Array };
  /** @param signature DER, over the renewal's message. Resolves to PEM. */
  reenroll(certificate: string, body: string, signature: Uint8Array): Promise<string>;
}

export interface NewIdentity {
  id: string;
  secret: string;
  /** Put into its certificates, where chaincode reads them. */
  attributes: Readonly<Record<string, string>>;
  affiliation: string | undefined;
}

const phase = 'wallet';
const enrolled = z.object({ Cert: z.string() });

/** A secret for an identity that is registered here, and used once. */
export const newSecret = (): string => randomBytes(24).toString('base64url');

export function createEnrolment(client: CaClient, ca: CaProperties): Enrolment {
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
  function enrolRegistrar(): Promise<{ certificate: string; sign: OwnSigner }> {
    const known = registrar;
    if (known !== undefined) return known;
    if (ca.registrar === undefined) {
      const detail =
        'The ledger has no registrar (ca_registrar_id, ca_registrar_secret): give an enrollmentSecret.';
      throw adapterError('invalid-argument', phase, detail, {
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
          throw adapterError('unavailable', phase, detail, { cause });
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
    const one = await enrolRegistrar();
    if (readCertificate(one.certificate).validToDate.getTime() > Date.now() + 60_000) return one;
    registrar = undefined;
    return enrolRegistrar();
  }

  async function register({
    id,
    secret,
    attributes,
    affiliation,
  }: NewIdentity): Promise<AdapterError | undefined> {
    let known: AdapterError | undefined;
    const { certificate, sign } = await registrarNow();
    const body = JSON.stringify({
      id,
      type: 'client',
      secret,
      max_enrollments: 1,
      ...(affiliation === undefined ? {} : { affiliation }),
      attrs: Object.entries(attributes).map(([name, value]) => ({ name, value, ecert: true })),
      ...caName(ca),
    });
    const path = '/api/v1/register';
    const authorization = token(certificate, sign(tokenMessage(ca, path, certificate, body)));
    const pointer = '/parameters/enrollmentId';
    try {
      await client.post({ path, body, authorization }, (error) => {
        if (error.code !== 74) return refusal(error, `The CA does not register ${id}`, pointer);
        known = refusal(
          error,
          `The CA knows ${id} already: give its enrollmentSecret, or another name`,
          pointer,
        );
        return known;
      });
    } catch (error) {
      if (known === undefined) throw error;
    }
    return known;
  }

  return {
    enroll,
    async registerAndEnroll(identity, request) {
      const known = await register(identity);
      try {
        return await enroll(identity.id, identity.secret, request);
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
          adapterError(
            'certificate-invalid',
            phase,
            `The CA does not renew the certificate: ${error.message}.`,
          ),
      );
      return readEnrolled(result);
    },
  };
}

function caName({ name }: CaProperties): { caname?: string } {
  return name === undefined ? {} : { caname: name };
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** What a token's signature is over (fabric-ca, util.GenECDSAToken): method, path, body, certificate. */
function tokenMessage({ url }: CaProperties, path: string, certificate: string, body: string): Uint8Array {
  const uri = `${url.pathname.replace(/\/$/, '')}${path}`;
  return Buffer.from(`POST.${base64(uri)}.${base64(body)}.${base64(certificate)}`);
}

function token(certificate: string, signature: Uint8Array): string {
  return `${base64(certificate)}.${Buffer.from(signature).toString('base64')}`;
}

function readEnrolled(result: unknown): string {
  const parsed = enrolled.safeParse(result);
  if (!parsed.success) throw adapterError('unavailable', phase, 'The CA answered without a certificate.');
  const pem = Buffer.from(parsed.data.Cert, 'base64').toString();
  try {
    if (pointOf(readCertificate(pem)) !== undefined) return pem;
  } catch {
    // Said below.
  }
  throw adapterError('unavailable', phase, 'The CA answered with something that is no certificate on P-256.');
}

function refusal(error: CaError, what: string, pointer: string): AdapterError {
  // 5xx, and errors of its database, are the CA's own affair.
  if (error.status >= 500) return adapterError('unavailable', phase, `The CA failed: ${error.message}.`);
  const detail = `${what}: ${error.message}.`;
  return adapterError('invalid-argument', phase, detail, { issues: [{ pointer, detail: error.message }] });
}
