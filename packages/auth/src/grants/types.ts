import type { Secret } from '@ledger-ops/base';

/** A key pair that is not stored yet. */
export interface PreparedKey {
  /** SPKI, PEM. */
  readonly publicKey: string;
  /** PKCS #8, PEM. */
  readonly privateKey: Secret;
}

/** The key file for the owner of a service account. Call `reveal()` on `privateKey` to write it as JSON. */
export interface KeyFile {
  readonly accountId: string;
  readonly keyId: number;
  /** PKCS #8, PEM. */
  readonly privateKey: Secret;
  /** URL of the token endpoint. */
  readonly tokenUri: string;
}

/** A key with which a service account signs its assertions, as stored: without the private part. */
export interface ServiceAccountKeyRecord {
  keyId: number;
  /** The service account. */
  serviceId: string;
  /** SPKI, PEM. */
  publicKey: string;
  publicKeyFormat: string;
  privateKeyFormat: string;
  status: 'ENABLED' | 'DISABLED';
  /** serviceId of the identity that requested it. */
  generatedBy: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
  updatedAt: number;
}
