import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { addressOf, type Base58, bytesOf } from '../base58.ts';
import { systemProgram } from '../transactions/nonce.ts';
import type { Store } from './store.ts';

/** An account with its own key that sends lamports in ordinary transactions. */
export interface Faucet {
  address: Base58;
  /** Returns a signed transfer. Each one is unique. */
  transfer(to: Base58, lamports: bigint, blockhash: Base58): Uint8Array;
}

const lamportsPerSol = 1_000_000_000n;
/** Initial balance of the faucet. */
export const faucetLamports = 500_000_000n * lamportsPerSol;
const setting = 'faucet';

/** Opens the faucet of a state file. A new file gets a new key. */
export function openFaucet(store: Store): Faucet {
  const key = keyOf(store);
  const der = createPublicKey(key).export({ format: 'der', type: 'spki' });
  const publicKey = new Uint8Array(der.subarray(-32));
  let given = 0;
  return {
    address: addressOf(publicKey),
    transfer(to, lamports, blockhash) {
      given += 1;
      const amount = Buffer.alloc(12);
      amount.writeUInt32LE(2);
      amount.writeBigUInt64LE(lamports, 4);
      // Different compute unit limits give equal transfers different signatures.
      const limit = Buffer.alloc(5, 2);
      limit.writeUInt32LE(1000 + (given % 1_000_000), 1);
      const message = Buffer.concat([
        Buffer.from([1, 0, 2, 4]),
        publicKey,
        bytesOf(to),
        bytesOf(systemProgram),
        bytesOf('ComputeBudget111111111111111111111111111111'),
        bytesOf(blockhash),
        Buffer.from([2, 3, 0, limit.length]),
        limit,
        Buffer.from([2, 2, 0, 1, amount.length]),
        amount,
      ]);
      return Buffer.concat([Buffer.from([1]), sign(null, message, key), message]);
    },
  };
}

function keyOf(store: Store): KeyObject {
  const kept = store.setting(setting);
  if (kept !== undefined)
    return createPrivateKey({ key: Buffer.from(kept, 'base64'), format: 'der', type: 'pkcs8' });
  const { privateKey } = generateKeyPairSync('ed25519');
  store.setSetting(setting, privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'));
  return privateKey;
}
