import { invalidRequest, type Secret } from '@ledger-ops/base';
import { KeystoreError, type KeystoreFault, readKeystore } from '../keys/keystore.ts';
import { certificateKey } from '../keys/pem.ts';
import type { Signers } from '../keys/signers.ts';
import type { PasswordCaller } from '../keys/types.ts';
import type { WalletVault } from '../keys/vault.ts';
import { type KeySource, parameterPointer } from './parameters.ts';

/** A private key and its public key. The private key is to be overwritten after use. */
export interface KeyPair {
  secret: Uint8Array;
  publicKey: Uint8Array;
}

export interface SecretSourceContext {
  signers: Signers;
  vault: Pick<WalletVault, 'inTurn'>;
}

/**
 * Makes or imports the key of a new wallet.
 *
 * @throws Problem `invalid-request` at the parameter that is wrong, `too-many-requests`
 */
export async function obtainKey(
  source: KeySource,
  keyType: string,
  caller: PasswordCaller,
  { signers, vault }: SecretSourceContext,
): Promise<KeyPair> {
  const secret = await secretOf();
  const publicKey = signers.publicKey(keyType, secret);
  try {
    if (publicKey === null) throw refused('privateKey', `is out of range: no private key of ${keyType}`);
    if (source.kind === 'private-key' && source.certificate !== undefined) {
      demandCertified(source.certificate, publicKey);
    }
    return { secret, publicKey };
  } catch (error) {
    secret.fill(0);
    throw error;
  }

  async function secretOf(): Promise<Uint8Array> {
    switch (source.kind) {
      case 'new':
        return signers.generate(keyType);
      case 'private-key': {
        const read = signers.read(keyType, source.privateKey);
        if ('fault' in read) throw refused('privateKey', read.fault);
        return read;
      }
      case 'keystore':
        if (keyType !== 'secp256k1')
          throw refused('keystore', `holds keys of secp256k1, this ledger's are ${keyType}`);
        return await vault
          .inTurn(caller, () => readKeystore(source.keystore.reveal(), source.password))
          .catch((error: unknown) => {
            throw error instanceof KeystoreError ? refused(members[error.fault], error.message) : error;
          });
    }
  }
}

const members: Record<KeystoreFault, string> = {
  malformed: 'keystore',
  'wrong-address': 'keystore',
  'wrong-password': 'keystorePassword',
};

function demandCertified(certificate: Secret, publicKey: Uint8Array): void {
  const certified = certificateKey(certificate.reveal());
  if (certified === null) throw refused('certificate', 'must be an X.509 certificate of a P-256 key, in PEM');
  if (!Buffer.from(certified).equals(publicKey)) {
    throw refused('privateKey', 'is not the key of the certificate');
  }
}

function refused(name: string, detail: string) {
  return invalidRequest([{ pointer: parameterPointer(name), detail }]);
}
