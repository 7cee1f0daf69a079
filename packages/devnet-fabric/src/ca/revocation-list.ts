import { DevnetError } from '@ledger-ops/devnet';
import type { KeyPair } from './issue.ts';
import { x509 } from './x509.ts';

/** Normalizes a serial number (hexadecimal), so that two can be compared. */
export function plainSerial(serial: string): string {
  return serial.toLowerCase().replace(/^0+/, '');
}

/** Returns the serial numbers in a revocation list (PEM), see {@link plainSerial}. */
export function serialsOf(list: string): string[] {
  return new x509.X509Crl(list).entries.map(({ serialNumber }) => plainSerial(serialNumber));
}

/**
 * Checks that a revocation list (PEM) names this root and is signed by it. A peer ignores a list that another CA signed
 * or that names another CA. If a list names no CA, the peer refuses every certificate of the organization (Fabric:
 * msp/mspimplvalidate.go).
 * @throws DevnetError if the list cannot be read or the check fails
 */
export async function requireIssuedBy(list: string, root: Pick<KeyPair, 'certificate'>): Promise<void> {
  const issuer = new x509.X509Certificate(root.certificate);
  let issued: x509.X509Crl;
  try {
    issued = new x509.X509Crl(list);
  } catch (cause) {
    throw new DevnetError('This is not a certificate revocation list in PEM.', { cause });
  }
  const named = issued.getExtension(x509.AuthorityKeyIdentifierExtension)?.keyId;
  const expected = issuer.getExtension(x509.SubjectKeyIdentifierExtension)?.keyId;
  if (named === undefined)
    throw new DevnetError(
      'This revocation list has no authorityKeyIdentifier. With it, peers would refuse every certificate of the organization, including those of its administrators.',
    );
  if (named !== expected || !(await issued.verify({ publicKey: issuer })))
    throw new DevnetError(
      `Peers would ignore this revocation list, because ${issuer.subject} did not issue it.`,
    );
}
