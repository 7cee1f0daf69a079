/**
 * Measures what a wallet adds to the time of an operation: unlocking it (its key is cached in memory) and signing.
 * Prints µs per call. Run: node --conditions=@ledger-ops/source bench/unlock.ts
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMasterKey, Secret } from '@ledger-ops/base';
import { openStore } from '@ledger-ops/store';
import { Signers } from '../src/keys/signers.ts';
import { Vault } from '../src/keys/vault.ts';
import type { WalletBinding } from '../src/keys/wallet-binding.ts';
import type { WalletRow } from '../src/wallets/types.ts';

const rounds = 5;
const perRound = 4_000;
const walletCount = 64;

/** Returns the median of the rounds, after one warm-up round. */
async function measure(work: (n: number) => Promise<unknown> | unknown): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const started = process.hrtime.bigint();
    for (let n = 0; n < perRound; n += 1) await work(n);
    times.push(Number(process.hrtime.bigint() - started) / 1_000 / perRound);
  }
  return times.slice(1).sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
}

const folder = await mkdtemp(join(tmpdir(), 'ledger-ops-bench-'));
const store = await openStore({ file: join(folder, 'bench.db') });
const password = new Secret('correct horse battery staple');
const digest = randomBytes(32);
const caller = { serviceId: 'bench', appId: 'bench', projectUid: 'project', organizationUid: 'organization' };

async function wallets(vault: Vault, publicKeyOf: (s: Uint8Array) => Uint8Array) {
  const rows: WalletRow[] = [];
  for (let n = 0; n < walletCount; n += 1) {
    const secret = randomBytes(32);
    const binding: WalletBinding = {
      uid: `01900000-0000-7000-8000-${String(n).padStart(12, '0')}`,
      ledgerUid: '01900000-0000-7000-8000-ffffffffffff',
      keyType: 'secp256k1',
      publicKey: publicKeyOf(secret),
      address: `0x${randomBytes(20).toString('hex')}`,
    };
    rows.push({
      ...binding,
      ...(await vault.sealNewWallet(secret, password, binding, caller)),
      projectId: 'project',
      walletId: `wallet-${n}`,
      ledgerId: 'main',
      chainId: 'eip155:1',
      material: null,
      aliases: null,
      renewAt: null,
      exclusive: 1,
      createdBy: 'bench',
      createdAt: 0,
      updatedAt: 0,
    });
  }
  return rows;
}

const rowsOut: Record<string, Record<string, number>> = {};
for (const secp256k1 of ['native', 'wasm'] as const) {
  const signers = new Signers({ secp256k1 });
  const masterKey = createMasterKey(randomBytes(32));
  const vault = new Vault({ masterKey, store, now: Date.now, log: () => {}, signers });
  const rows = await wallets(vault, (secret) => signers.publicKey('secp256k1', secret) ?? new Uint8Array());
  const rowAt = (n: number) => rows[n % rows.length] ?? rows[0];
  for (const row of rows) (await vault.unlock(row, password, caller)).destroy();
  const unlock = (n: number) => {
    const row = rowAt(n);
    if (row === undefined) throw new Error('There are no wallets.');
    return vault.unlock(row, password, caller);
  };
  const key = await unlock(0);
  const binding = {
    actionId: 'action',
    walletUid: 'wallet',
    ledgerUid: 'ledger',
    operation: '{}'.repeat(200),
  };
  const sealed = vault.sealGrant(key, binding);
  rowsOut[signers.secp256k1SignerName()] = {
    'unlock from memory': await measure(async (n) => (await unlock(n)).destroy()),
    'sign one digest': await measure(() => key.sign([{ curve: 'secp256k1', digest }])),
    'unlock and sign': await measure(async (n) => {
      const opened = await unlock(n);
      await opened.sign([{ curve: 'secp256k1', digest }]);
      opened.destroy();
    }),
    'seal a grant': await measure(() => vault.sealGrant(key, binding)),
    'open a grant': await measure(() => vault.openGrant(sealed, 'secp256k1', binding).destroy()),
  };
}
await store.close();
await rm(folder, { recursive: true });

process.stdout.write(
  `${cpus()[0]?.model}, Node ${process.version}; µs per call, median of ${rounds} × ${perRound}\n`,
);
for (const [signer, figures] of Object.entries(rowsOut)) {
  for (const [name, figure] of Object.entries(figures)) {
    process.stdout.write(`${signer.padEnd(8)}${name.padEnd(22)}${figure.toFixed(1).padStart(8)}\n`);
  }
}
