import type { X509Certificate } from 'node:crypto';
import type { Identity } from '@hyperledger/fabric-gateway';
import { adapterError } from '@ledger-ops/adapter';
import { addressOf } from './address.ts';
import { readCertificate } from './certificate.ts';
import type { FabricProperties } from './properties.ts';
import { type OwnSigner, ownSigner, readPrivateKey } from './signature.ts';

/** The ledger's own identity: it reads blocks, system chaincode and metadata, and dry-runs without a wallet. */
export interface Observer {
  identity: Identity;
  sign: OwnSigner;
  /** `<mspId>/<common name>`. */
  address: string;
}

/** @throws AdapterError `invalid-argument` when certificate and key are not a pair; neither is quoted. */
export function openObserver({ mspId, observer }: FabricProperties): Observer {
  const refuse = (name: string, detail: string, cause?: unknown) =>
    adapterError('invalid-argument', 'open', `${name} ${detail}.`, {
      issues: [{ pointer: `/properties/${name}`, detail }],
      cause,
    });
  let certificate: X509Certificate;
  try {
    certificate = readCertificate(observer.certificate);
  } catch (cause) {
    throw refuse('observer_certificate', 'is no PEM certificate', cause);
  }
  let sign: OwnSigner;
  try {
    const key = readPrivateKey(observer.privateKey);
    if (!certificate.checkPrivateKey(key)) throw new TypeError('Certificate and key are no pair.');
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
