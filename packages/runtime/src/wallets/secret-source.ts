import { invalidRequest } from '@ledger-ops/base';
import { KeystoreError, type KeystoreFault, readKeystore } from '../keys/keystore.ts';
import { generatePlaceholder } from '../keys/plugin-key.ts';
import type { Signers } from '../keys/signers.ts';
import type { PasswordCaller, Vault } from '../keys/vault.ts';
import { type KeySource, parameterPointer } from './parameters.ts';

/**
 * A private key and its public key. The function that obtained the pair must overwrite the private key after use. If a
 * plugin holds the key, `secret` is a placeholder and `publicKey` is empty.
 */
export interface KeyPair {
  secret: Uint8Array;
  publicKey: Uint8Array;
}

export interface SecretSourceContext {
  signers: Signers;
  vault: Pick<Vault, 'inTurn'>;
}

/**
 * Generates or imports the key of a new wallet.
 *
 * @param keyType null if a plugin holds the key
 * @throws Problem `invalid-request` with the pointer of the invalid parameter, `too-many-requests`
 */
export async function obtainKey(
  source: KeySource,
  keyType: string | null,
  caller: PasswordCaller,
  { signers, vault }: SecretSourceContext,
): Promise<KeyPair> {
  if (keyType === null) return { secret: generatePlaceholder(), publicKey: new Uint8Array() };
  const secret = await secretOf(keyType);
  const publicKey = signers.publicKey(keyType, secret);
  if (publicKey !== null) return { secret, publicKey };
  secret.fill(0);
  throw refused('privateKey', `is out of range for a private ${keyType} key`);

  async function secretOf(keyType: string): Promise<Uint8Array> {
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
