import type { X509Certificate } from 'node:crypto';
import type { Identity } from '@hyperledger/fabric-gateway';
import { adapterError } from '@ledger-ops/adapter';
import { addressOf } from '../identity/address.ts';
import { readCertificate } from '../identity/certificate.ts';
import { type OwnSigner, ownSigner, readPrivateKey } from '../identity/ecdsa.ts';
import type { FabricProperties } from '../properties.ts';

/**
 * The ledger's own identity (`observer_certificate`): reads blocks, system chaincode and metadata, and emulates without
 * a wallet.
 */
export interface QueryIdentity {
  identity: Identity;
  sign: OwnSigner;
  /** `<mspId>/<common name>`. */
  address: string;
}

/** @throws AdapterError `invalid-argument` if certificate and key do not match; the error quotes neither */
export function openQueryIdentity({
  mspId,
  observer,
}: Pick<FabricProperties, 'mspId' | 'observer'>): QueryIdentity {
  const refuse = (name: string, detail: string, cause?: unknown) =>
    adapterError('invalid-argument', `${name} ${detail}.`, {
      phase: 'open',
      issues: [{ pointer: `/properties/${name}`, detail }],
      cause,
    });
  let certificate: X509Certificate;
  try {
    certificate = readCertificate(observer.certificate);
  } catch (cause) {
    throw refuse('observer_certificate', 'is not a PEM certificate', cause);
  }
  let sign: OwnSigner;
  try {
    const key = readPrivateKey(observer.privateKey);
    if (!certificate.checkPrivateKey(key)) throw new TypeError('The certificate and the key do not match.');
    sign = ownSigner(key);
  } catch (cause) {
    throw refuse('observer_private_key', 'is not the P-256 key (PKCS #8 PEM) of observer_certificate', cause);
  }
  return {
    identity: { mspId, credentials: Buffer.from(certificate.toString()) },
    sign,
    address: addressOf(mspId, commonNameOf(certificate)),
  };
}

function commonNameOf({ subject }: X509Certificate): string {
  return /^CN=(.*)$/m.exec(subject)?.[1] ?? '';
}
