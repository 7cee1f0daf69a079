import { invalidRequest } from '@ledger-ops/base';
import { KeystoreError, type KeystoreFault, readKeystore } from '../keys/keystore.ts';
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
  if (publicKey !== null) return { secret, publicKey };
  secret.fill(0);
  throw refused('privateKey', `is out of range: no private key of ${keyType}`);

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

function refused(name: string, detail: string) {
  return invalidRequest([{ pointer: parameterPointer(name), detail }]);
}
