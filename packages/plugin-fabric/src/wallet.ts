import {
  type Advance,
  adapterError,
  type JsonObject,
  type Round,
  type SigningRequest,
  type WalletIdentity,
} from '@ledger-ops/adapter';
import { z } from 'zod';
import type { Enrollment, NewIdentity } from './ca/enrollment.ts';
import { readAffiliation, readAttributes } from './ca/registration.ts';
import { addressOf } from './identity/address.ts';
import { pointOf, publicKeyOf, readCertificate } from './identity/certificate.ts';
import { certificationRequest, digestOfRequest, signedRequest } from './identity/csr.ts';
import { toDer } from './identity/ecdsa.ts';
import { type X509Ids, x509IdsOf } from './identity/x509-id.ts';
import { invalid } from './invalid.ts';
import { type Msps, requireIdentity } from './msp/msp.ts';
import type { FabricProperties } from './properties.ts';
import { sha256 } from './proposal.ts';

/** The parts of a session that creating a wallet needs. */
export interface WalletContext {
  msps: Msps;
  /** Undefined if the ledger has no CA. */
  enrollment: Pick<Enrollment, keyof Enrollment> | undefined;
  properties: FabricProperties;
  now(): number;
}

/** State between the rounds of creating a wallet. */
type WalletState =
  | { step: 'enrol'; request: Uint8Array; id: string; secret: string }
  /** Identity that the ledger's registrar registers first. */
  | {
      step: 'register';
      request: Uint8Array;
      id: string;
      publicKey: Uint8Array;
      attributes: Record<string, string>;
      affiliation?: string | undefined;
    }
  | { step: 'renew'; request: Uint8Array; certificate: string; address: string }
  | { step: 'reenroll'; body: string; certificate: string; address: string };

const bytes = z.instanceof(Uint8Array);
const stateSchema = z.discriminatedUnion('step', [
  z.object({ step: z.literal('enrol'), request: bytes, id: z.string(), secret: z.string() }),
  z.object({
    step: z.literal('register'),
    request: bytes,
    id: z.string(),
    publicKey: bytes,
    attributes: z.record(z.string(), z.string()),
    affiliation: z.string().optional(),
  }),
  z.object({ step: z.literal('renew'), request: bytes, certificate: z.string(), address: z.string() }),
  z.object({ step: z.literal('reenroll'), body: z.string(), certificate: z.string(), address: z.string() }),
]);

const phase = 'wallet';
const parameterNames = [
  'certificate',
  'mspId',
  'enrollmentId',
  'enrollmentSecret',
  'attributes',
  'affiliation',
];
const notOfP256 = 'must be an X.509 certificate of a P-256 key, in PEM';
/** Part of a certificate's validity after which it is renewed. */
const renewAfter = 2 / 3;

/**
 * Creates a wallet, which is an X.509 identity. It is imported (`certificate`), enrolled with the CA
 * (`enrollmentId`, `enrollmentSecret`), or first registered there and then enrolled (only `enrollmentId`, or
 * the wallet's id; `attributes` is a JSON object of strings; the ledger's properties limit `attributes` and
 * `affiliation`).
 *
 * @throws AdapterError `invalid-argument` at `/parameters/<name>`, `certificate-invalid`
 */
export async function createWallet(
  request: { walletId: string; publicKey: Uint8Array; parameters: Readonly<Record<string, string>> },
  context: WalletContext,
): Promise<Round<WalletIdentity>> {
  const { walletId, publicKey, parameters } = request;
  const point = requirePoint(publicKey);
  const unknown = Object.keys(parameters).find((name) => !parameterNames.includes(name));
  if (unknown !== undefined) {
    throw invalid(phase, `/parameters/${unknown}`, 'is not a parameter of Fabric wallets');
  }
  const { certificate, mspId } = parameters;
  if (certificate !== undefined) {
    refuseEnrollment(parameters);
    const imported = await importCertificate(certificate, point, mspId ?? context.properties.mspId, context);
    return { done: true, result: imported };
  }
  const enrollmentId = parameters.enrollmentId ?? nameFor(walletId, parameters, context);
  if (mspId !== undefined && mspId !== context.properties.mspId) {
    throw invalid(
      phase,
      '/parameters/mspId',
      `must be ${context.properties.mspId}, the organization of the CA`,
    );
  }
  return enrolRound(enrollmentId, parameters, point, context);
}

/**
 * Rejects parameters that cannot be combined with a certificate, which belongs to an identity that is already
 * enrolled.
 */
function refuseEnrollment(parameters: Readonly<Record<string, string>>): void {
  const issues = Object.keys(parameters)
    .filter((name) => name !== 'certificate' && name !== 'mspId')
    .map((name) => ({
      pointer: `/parameters/${name}`,
      detail: 'and certificate cannot be combined, because a certificate is already enrolled',
    }));
  if (issues.length === 0) return;
  const detail = issues.map((issue) => `${issue.pointer} ${issue.detail}`).join('; ');
  throw adapterError('invalid-argument', `${detail}.`, { phase, issues });
}

/** If the ledger has a registrar, a wallet without a name is named after its id. */
function nameFor(
  walletId: string,
  { enrollmentSecret }: Readonly<Record<string, string>>,
  { properties }: WalletContext,
): string {
  if (properties.ca?.registrar !== undefined && enrollmentSecret === undefined) return walletId;
  throw invalid(
    phase,
    '/parameters/enrollmentId',
    'is required, unless a certificate and its privateKey are given',
  );
}

function enrolRound(
  id: string,
  { enrollmentSecret, attributes, affiliation }: Readonly<Record<string, string>>,
  point: Uint8Array,
  context: WalletContext,
): Round<WalletIdentity> {
  requireEnrollment(context);
  if (!/^[^\p{Cc}/:]{1,64}$/u.test(id)) {
    throw invalid(phase, '/parameters/enrollmentId', 'must have 1 to 64 characters, without / and :');
  }
  const { ca } = context.properties;
  // The derived secret would be wrong for the registrar, and ten wrong secrets lock an identity (fabric-ca:
  // cfg.identities.passwordattempts).
  if (ca?.registrar !== undefined && id.trim().toLowerCase() === ca.registrar.id.trim().toLowerCase()) {
    throw invalid(phase, '/parameters/enrollmentId', "must not be the id of the ledger's registrar");
  }
  const request = certificationRequest(id, point);
  let state: WalletState;
  if (enrollmentSecret !== undefined) {
    for (const [name, value] of Object.entries({ attributes, affiliation })) {
      const detail =
        "is allowed only if the ledger's registrar registers the identity; omit it, or omit enrollmentSecret";
      if (value !== undefined) throw invalid(phase, `/parameters/${name}`, detail);
    }
    state = { step: 'enrol', request, id, secret: enrollmentSecret };
  } else {
    if (ca?.registrar === undefined) {
      throw invalid(
        phase,
        '/parameters/enrollmentSecret',
        'is required, because the ledger has no registrar',
      );
    }
    const chosen = {
      attributes: readAttributes(attributes, ca),
      affiliation: readAffiliation(affiliation, ca),
    };
    state = { step: 'register', request, id, publicKey: point, ...chosen };
  }
  return ask(digestOfRequest(request), state);
}

/** Runs the next round. @throws AdapterError */
export async function advanceWallet(
  { state, signatures: [signature, ...more] }: Advance,
  context: WalletContext,
): Promise<Round<WalletIdentity>> {
  const parsed = stateSchema.safeParse(state);
  if (!parsed.success || signature === undefined || more.length > 0) {
    const detail =
      'The state does not belong to the creation of a wallet, or does not come with exactly one signature.';
    throw adapterError('invalid-argument', detail, {
      phase,
      issues: [{ pointer: '/state', detail: 'is not the state of a wallet with one signature' }],
    });
  }
  const der = toDer(signature, phase);
  const enrollment = requireEnrollment(context);
  const { mspId } = context.properties;
  const current = parsed.data;
  switch (current.step) {
    case 'enrol':
    case 'register': {
      const request = signedRequest(current.request, der);
      const certificate =
        current.step === 'enrol'
          ? await enrollment.enroll(current.id, current.secret, request)
          : await enrollment.registerAndEnroll(newIdentity(current), request);
      requireAsked(certificate, current.request);
      return { done: true, result: identityOf(certificate, mspId, true) };
    }
    case 'renew': {
      const { certificate, address } = current;
      const { body, message } = enrollment.renewal(certificate, signedRequest(current.request, der));
      return ask(sha256(message), { step: 'reenroll', body, certificate, address });
    }
    case 'reenroll': {
      const certificate = await enrollment.reenroll(current.certificate, current.body, der);
      requireAsked(certificate, requestOf(current.certificate));
      const renewed = identityOf(certificate, mspId, true);
      return { done: true, result: { ...renewed, address: current.address } };
    }
  }
}

/** First round of a new certificate for the same key and name. @throws AdapterError */
export function renewWallet(wallet: WalletIdentity, context: WalletContext): Round<WalletIdentity> {
  requireEnrollment(context);
  const { certificate, mspId } = requireIdentity(wallet, phase);
  if (mspId !== context.properties.mspId) {
    const detail = `The certificate belongs to the organization ${mspId}, but the ledger's CA belongs to ${context.properties.mspId}.`;
    throw adapterError('certificate-invalid', detail, { phase });
  }
  const request = requestOf(certificate);
  const state: WalletState = { step: 'renew', request, certificate, address: wallet.address };
  return ask(digestOfRequest(request), state);
}

/** Returns the request for a certificate of the same key and name. */
function requestOf(certificate: string): Uint8Array {
  const point = pointOf(readCertificate(certificate)) ?? new Uint8Array();
  return certificationRequest(x509IdsOf(certificate).commonName, point);
}

/**
 * Checks that the CA returned the requested key and name. With another key, the wallet could not sign. With
 * another name, its address would belong to someone else.
 */
function requireAsked(certificate: string, request: Uint8Array): void {
  if (Buffer.compare(requestOf(certificate), request) === 0) return;
  const detail = 'The CA returned a certificate with a different key or name than requested.';
  throw adapterError('certificate-invalid', detail, { phase });
}

async function importCertificate(
  pem: string,
  point: Uint8Array,
  mspId: string,
  { msps, properties, now }: WalletContext,
): Promise<WalletIdentity> {
  const pointer = '/parameters/certificate';
  let own: Buffer | undefined;
  let certificate: string;
  try {
    const read = readCertificate(pem);
    own = pointOf(read);
    certificate = read.toString();
  } catch {
    throw invalid(phase, pointer, notOfP256);
  }
  if (own === undefined) throw invalid(phase, pointer, notOfP256);
  if (Buffer.compare(own, point) !== 0) {
    throw invalid(phase, '/parameters/privateKey', 'is not the key of the certificate');
  }
  await msps.requireValid(properties.channel, { mspId, certificate }, phase, now());
  return identityOf(certificate, mspId, false);
}

function identityOf(certificate: string, mspId: string, enrolled: boolean): WalletIdentity {
  const { commonName, ids } = readNames(certificate);
  if (commonName === '') throw invalid(phase, '/parameters/certificate', 'must have a common name');
  const { validFromDate, validToDate } = readCertificate(certificate);
  const [from, to] = [validFromDate.getTime(), validToDate.getTime()];
  const material: JsonObject = { certificate, mspId, notAfter: validToDate.toISOString() };
  return {
    address: addressOf(mspId, commonName),
    aliases: ids,
    material,
    // The certificate is renewed only if it was enrolled: the owner of an imported certificate renews it.
    ...(enrolled ? { renewAt: Math.round(from + (to - from) * renewAfter) } : {}),
  };
}

function readNames(certificate: string): X509Ids {
  try {
    return x509IdsOf(certificate);
  } catch {
    throw invalid(phase, '/parameters/certificate', 'must have names that are valid DER');
  }
}

function requirePoint(publicKey: Uint8Array): Uint8Array {
  try {
    if (publicKey.length !== 33) throw new TypeError('A compressed point must have 33 bytes.');
    publicKeyOf(publicKey);
    return publicKey;
  } catch {
    throw invalid(phase, '/publicKey', 'must be a compressed P-256 point');
  }
}

function newIdentity({
  id,
  publicKey,
  attributes,
  affiliation,
}: Extract<WalletState, { step: 'register' }>): NewIdentity {
  return { id, publicKey, attributes, affiliation };
}

function requireEnrollment({ enrollment }: WalletContext): Pick<Enrollment, keyof Enrollment> {
  if (enrollment !== undefined) return enrollment;
  throw adapterError(
    'unsupported-operation',
    'The ledger has no CA (property ca_url). Import a certificate instead.',
    {
      phase,
    },
  );
}

function ask(digest: Uint8Array, state: WalletState): Round<WalletIdentity> {
  const requests: SigningRequest[] = [{ curve: 'p256', digest }];
  return { done: false, requests, state };
}
