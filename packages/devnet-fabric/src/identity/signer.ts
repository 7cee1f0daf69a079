import { createPrivateKey, randomBytes } from 'node:crypto';
import { common } from '@hyperledger/fabric-protos';
import { serializeIdentity } from './membership.ts';
import { signLowS } from './p256.ts';

/** One that signs: a node of the network, or a member acting for it. */
export interface Signing {
  mspId: string;
  /** Serialized identity. */
  serialized: Uint8Array;
  sign(data: Uint8Array): Buffer;
  /** `SignatureHeader` bytes with a fresh nonce. */
  signatureHeader(): Uint8Array;
}

/** An organization's member with its key. Both PEM. */
export interface Credentials {
  mspId: string;
  certificate: string;
  privateKey: string;
}

/** Signs with these credentials. */
export function signerOf({ mspId, certificate, privateKey }: Credentials): Signing {
  const key = createPrivateKey(privateKey);
  const serialized = serializeIdentity(mspId, certificate);
  return {
    mspId,
    serialized,
    sign: (data) => signLowS(data, key),
    signatureHeader: () => {
      const header = new common.SignatureHeader();
      header.setCreator(serialized);
      header.setNonce(randomBytes(24));
      return header.serializeBinary();
    },
  };
}
