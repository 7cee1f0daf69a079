import { createPrivateKey, randomBytes } from 'node:crypto';
import { common } from '@hyperledger/fabric-protos';
import { serializeIdentity } from './membership.ts';
import { signLowS } from './p256.ts';

/** Signs as a node of the network, or as a member. */
export interface Signing {
  mspId: string;
  /** Serialized identity. */
  serialized: Uint8Array;
  sign(data: Uint8Array): Buffer;
  /** Creates `SignatureHeader` bytes with a new nonce. */
  signatureHeader(): Uint8Array;
}

/** An organization's member and its key. Both are PEM. */
export interface Credentials {
  mspId: string;
  certificate: string;
  privateKey: string;
}

/** Creates a signer with these credentials. */
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
