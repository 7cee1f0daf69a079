import { Problem } from '@ledger-ops/base';
import type { LedgerDefinition } from '../ledger-definition.ts';
import { generateP256, p256PublicKey } from './p256.ts';
import { createRemoteKey, generateRemote, remotePublicKey } from './remote-key.ts';
import {
  ethersSigner,
  generateSecp256k1,
  nativeSigner,
  type Secp256k1Signer,
  secp256k1PublicKey,
} from './secp256k1.ts';
import type { WalletKey } from './types.ts';
import { createP256Key, createWalletKey, demandAlive, type HeldKey } from './wallet-key.ts';

/** Makes keys that sign, of the types that the installation knows. */
export interface Signers {
  /** Which secp256k1 signer is in use; benches and logs name it. */
  secp256k1SignerName(): 'native' | 'ethers';
  /** A new private key. @throws Problem `unsupported-operation` for a key type that is not known */
  generate(keyType: string): Uint8Array;
  /** The public key (33 bytes, compressed; none for `remote`); null when the bytes are no private key of the type. */
  publicKey(keyType: string, privateKey: Uint8Array): Uint8Array | null;
  /** A key that signs with a copy of the bytes. */
  open(keyType: string, privateKey: Uint8Array): WalletKey;
  /** A copy of the private key of a key opened here; the caller overwrites it. */
  reveal(key: WalletKey): Uint8Array;
}

/** How keys are made. */
export interface SignersOptions {
  /** `native` fails where the binary does not load, instead of signing in JavaScript. Default: whichever there is. */
  secp256k1?: 'native' | 'ethers';
  /** Told once, when the first key needs a signer. */
  onSigner?: (name: 'native' | 'ethers') => void;
}

/** Makes signers. Native code is loaded when the first signature is asked for. */
export function createSigners(options: SignersOptions = {}): Signers {
  let loaded: Secp256k1Signer | undefined;
  const held = new WeakMap<WalletKey, HeldKey>();

  function signer(): Secp256k1Signer {
    if (loaded !== undefined) return loaded;
    const native = options.secp256k1 === 'ethers' ? null : nativeSigner();
    if (native === null && options.secp256k1 === 'native') {
      throw new Problem(
        'internal',
        'The native secp256k1 signer was demanded, but its binary does not load.',
      );
    }
    loaded = native ?? ethersSigner();
    options.onSigner?.(loaded.name);
    return loaded;
  }

  return {
    secp256k1SignerName: () => signer().name,
    generate(keyType) {
      return { secp256k1: generateSecp256k1, p256: generateP256, remote: generateRemote }[
        demandKnown(keyType)
      ]();
    },
    publicKey(keyType, privateKey) {
      const read = { secp256k1: secp256k1PublicKey, p256: p256PublicKey, remote: remotePublicKey };
      return read[demandKnown(keyType)](privateKey);
    },
    open(keyType, privateKey) {
      const known = demandKnown(keyType);
      const state = { bytes: Uint8Array.from(privateKey), destroyed: false };
      const create = {
        secp256k1: (held: HeldKey) => createWalletKey(held, signer),
        p256: createP256Key,
        remote: createRemoteKey,
      };
      const key = create[known](state);
      held.set(key, state);
      return key;
    },
    reveal(key) {
      const state = held.get(key);
      if (state === undefined) throw new Problem('internal', 'The key was not opened by this server.');
      demandAlive(state);
      return Uint8Array.from(state.bytes);
    },
  };
}

type HeldType = LedgerDefinition['keyType'];

const keyTypes: readonly HeldType[] = ['secp256k1', 'p256', 'remote'];

function demandKnown(keyType: string): HeldType {
  const known = keyTypes.find((one) => one === keyType);
  if (known !== undefined) return known;
  throw new Problem(
    'unsupported-operation',
    `Keys of type ${keyType} are not held by this version; it holds ${keyTypes.join(', ')}.`,
  );
}
