import { Problem, type Secret } from '@ledger-ops/base';
import { type HeldType, keyTypes } from './key-types.ts';
import { ethersSigner, nativeSigner, type Secp256k1Signer } from './secp256k1.ts';
import type { WalletKey } from './types.ts';
import { demandAlive, type HeldKey } from './wallet-key.ts';
import type { WrittenKey } from './written-key.ts';

/** Makes keys that sign, of the types that the installation knows. */
export interface Signers {
  /** Which secp256k1 signer is in use; benches and logs name it. */
  secp256k1SignerName(): 'native' | 'ethers';
  /** A new private key. @throws Problem `unsupported-operation` for a key type that is not known */
  generate(keyType: string): Uint8Array;
  /**
   * The public key: a compressed point of 33 bytes, of ed25519 the 32 bytes of RFC 8032, none of `remote`. Null when the
   * bytes are no private key of the type.
   */
  publicKey(keyType: string, privateKey: Uint8Array): Uint8Array | null;
  /** Reads a private key as somebody brings it; or says, for people, what it must be. */
  read(keyType: string, text: Secret): Uint8Array | { fault: string };
  /** Writes a private key for its owner. */
  write(keyType: string, privateKey: Uint8Array, password: Secret): Promise<WrittenKey>;
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

  const known = keyTypes(signer);
  const operations = (keyType: string) => {
    if (isHeld(keyType)) return known[keyType];
    throw new Problem(
      'unsupported-operation',
      `Keys of type ${keyType} are not held by this version; it holds ${Object.keys(known).join(', ')}.`,
    );
  };
  const isHeld = (keyType: string): keyType is HeldType => Object.hasOwn(known, keyType);

  return {
    secp256k1SignerName: () => signer().name,
    generate: (keyType) => operations(keyType).generate(),
    publicKey: (keyType, privateKey) => operations(keyType).publicKey(privateKey),
    read(keyType, text) {
      const { read } = operations(keyType);
      if (read === undefined) throw keptElsewhere();
      return read.key(text) ?? { fault: read.form };
    },
    async write(keyType, privateKey, password) {
      const { write } = operations(keyType);
      if (write === undefined) throw keptElsewhere();
      return await write(privateKey, password);
    },
    open(keyType, privateKey) {
      const state = { bytes: Uint8Array.from(privateKey), destroyed: false };
      const key = operations(keyType).open(state);
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

function keptElsewhere(): Problem {
  return new Problem('unsupported-operation', 'The key is not here: the ledger’s plugin keeps it.');
}
