import { X509Certificate } from 'node:crypto';
import type { CaBody } from './bodies.ts';
import { parseRequest } from './csr.ts';
import { CaError, notAuthenticated } from './error.ts';
import type { CaIdentity } from './identities.ts';
import { attributesExtension, certify, hostNames } from './issue.ts';
import { authorityOf, serialOf } from './names.ts';
import { type CaInfo, type CaState, describe } from './state.ts';
import { x509 } from './x509.ts';

/** Response of `/enroll` and `/reenroll`. */
export interface EnrollmentResult {
  Cert: string;
  ServerInfo: CaInfo;
}

/**
 * Enrolls an identity. An enrollment is counted only if a certificate was issued.
 * @throws CaError 401 if no enrollments remain, or the error of {@link issueFor}
 */
export async function enroll(state: CaState, identity: CaIdentity, body: CaBody): Promise<EnrollmentResult> {
  if (!state.identities.takeEnrollment(identity.id)) throw notAuthenticated();
  try {
    return await issueFor(state, identity, body);
  } catch (error) {
    state.identities.returnEnrollment(identity.id);
    throw error;
  }
}

/** Certifies the public key in a known identity's certificate request, for an enrollment or a re-enrollment. */
export async function issueFor(
  state: CaState,
  identity: CaIdentity,
  body: CaBody,
): Promise<EnrollmentResult> {
  const request = await parseRequest(body.text('certificate_request'));
  if (request.commonName !== identity.id)
    throw new CaError(403, 'commonName', 'The CSR subject common name must equal the enrollment ID');
  const hosts = body.texts('hosts');
  const alternativeNames = hosts.length > 0 ? hostNames(hosts) : request.alternativeNames;
  const attributes = attributesFor(identity, body.list('attr_reqs'));
  const tls = body.text('profile') === 'tls';
  const certificate = await certify(state.root, {
    publicKey: request.publicKey,
    subject: [
      ...request.names,
      ['OU', [identity.type, ...identity.affiliation.split('.').filter((part) => part !== '')]],
      ['CN', identity.id],
    ],
    ...(tls ? { usages: tlsUsages } : {}),
    extensions: [
      ...(tls ? [new x509.ExtendedKeyUsageExtension(tlsPurposes)] : []),
      ...(alternativeNames === undefined ? [] : [alternativeNames]),
      ...(attributes === undefined ? [] : [attributesExtension(attributes)]),
    ],
  });
  const issued = new X509Certificate(Buffer.from(certificate.rawData));
  state.identities.addCertificate(serialOf(issued), authorityOf(issued), identity.id);
  // PEM from Node ends with a line feed, as in fabric-ca.
  return { Cert: Buffer.from(issued.toString()).toString('base64'), ServerInfo: describe(state, '') };
}

const tlsUsages =
  x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyEncipherment | x509.KeyUsageFlags.keyAgreement;
const tlsPurposes = [x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth];

/**
 * Returns the requested attributes, or all `ecert` attributes if the request names none. Undefined if there
 * are none.
 */
function attributesFor(
  identity: CaIdentity,
  requests: CaBody[] | undefined,
): Record<string, string> | undefined {
  const given = requests?.map((one) => ({ name: one.text('name'), optional: one.flag('optional') }));
  const meant = identity.attributes.filter((one) => one.ecert).map(({ name }) => ({ name, optional: true }));
  if (given === undefined && meant.length === 0) return undefined;
  const values = new Map(identity.attributes.map((one) => [one.name, one.value]));
  const asked = given ?? meant;
  const missing = asked.filter((one) => !one.optional && !values.has(one.name)).map((one) => one.name);
  if (missing.length > 0)
    throw new CaError(
      500,
      'unknown',
      `Failed to find requested attributes: The following required attributes are missing: [${missing.join(' ')}]`,
    );
  const found = asked.flatMap(({ name }) => {
    const value = values.get(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(found.sort(([a], [b]) => (a < b ? -1 : 1)));
}
