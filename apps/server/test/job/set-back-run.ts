// Payments that clients repeat with their keys, and a person's decisions about a database that was set back.
import type { Anvil, Misbehaviour } from '@ledger-ops/devnet';
import { openSnapshot } from '@ledger-ops/store';
import { expect } from 'vitest';
import { databasePlace } from '../../src/database-place.ts';
import { readConfig } from '../../src/settings/config.ts';
import { freshAddress } from './chain.ts';
import { callContract, deploy, type Product, type TestWallet, transferTo } from './product.ts';

/** What a client requests. `hurried`: a transfer whose fee it raises at once. */
export const paymentKinds = ['transfer', 'dependent', 'call', 'deployment', 'hurried'] as const;

export interface Payment {
  readonly key: string;
  readonly kind: (typeof paymentKinds)[number];
  readonly wallet: TestWallet;
  readonly target: string;
  /** Not used by another payment, so that the ledger shows which one it executed. */
  readonly amount: number;
  /** The payment that a dependent one waits for. */
  readonly after: Payment | undefined;
  actionId: string | undefined;
}

export interface Suspension {
  readonly suspensionId: string;
  readonly walletId?: string;
  readonly createdBy: string;
  readonly cause: string | null;
  readonly reason: string;
}

export interface Unknown {
  readonly id: string;
  readonly sequence: number;
  readonly txId: string | null;
  readonly matches: readonly string[];
}

/** A transaction as a node returns it. */
interface Mined {
  readonly hash: string;
  readonly nonce: string;
  readonly from: string;
  readonly to: string | null;
  readonly value: string;
  readonly input: string;
}

export interface Contracts {
  /** Address of a token whose supply each wallet may spend. */
  readonly tokens: ReadonlyMap<string, string>;
  /** Locator of a template version. */
  readonly template: string;
}

/** Deploys a token from each wallet. */
export async function addContracts(product: Product, wallets: readonly TestWallet[]): Promise<Contracts> {
  const template = await product.template();
  const tokens = new Map<string, string>();
  for (const wallet of wallets) {
    const body = deploy(wallet, template, ['Coin', 'COIN', '1000000000']);
    const sent = await product.call('POST', '/v1/ledger-ops/send', body);
    const [end] = await product.ended([String(sent.body.actionId)]);
    expect(end).toMatchObject({ status: 'SUCCEEDED' });
    tokens.set(wallet.walletId, String(end?.contractAddress));
  }
  return { tokens, template };
}

/** Sends a payment with its key; returns false if the server died before it answered. */
export async function pay(product: Product, payment: Payment, contracts: Contracts): Promise<boolean> {
  try {
    const sent = await product.call('POST', '/v1/ledger-ops/send', bodyOf(payment, contracts), {
      'Idempotency-Key': payment.key,
    });
    expect(sent).toMatchObject({ status: 201 });
    payment.actionId = String(sent.body.actionId);
    if (payment.kind !== 'hurried') return true;
    const path = `/v1/ledger-ops/actions/${payment.actionId}/hurry`;
    const hurried = await product.call('POST', path, {}, { 'Idempotency-Key': `${payment.key}-hurry` });
    // 409: it is unsigned, because its wallet is suspended, or it has ended.
    expect([202, 409]).toContain(hurried.status);
    return true;
  } catch (error) {
    // The connection broke.
    if (error instanceof TypeError) return false;
    throw error;
  }
}

function bodyOf({ kind, wallet, target, amount, after }: Payment, { tokens, template }: Contracts) {
  switch (kind) {
    case 'call': {
      const token = tokens.get(wallet.walletId) ?? '';
      return callContract(wallet, token, 'transfer(address,uint256)', [target, String(amount)]);
    }
    case 'deployment':
      return deploy(wallet, template, [`Coin ${target}`, 'COIN', String(amount)]);
    default: {
      const dependencies = after === undefined ? {} : { dependencies: [String(after.actionId)] };
      return { ...transferTo(wallet, target, amount), ...dependencies };
    }
  }
}

/** A payment of a random kind. */
export function createPayment(
  key: string,
  amount: number,
  wallet: TestWallet,
  { kind, before }: { kind: Payment['kind']; before: Payment | undefined },
): Payment {
  const isDependent = kind === 'dependent' && before !== undefined;
  return {
    ...{ key, kind, wallet, amount, target: freshAddress(), actionId: undefined },
    after: isDependent ? before : undefined,
  };
}

/** How often blocks after a height executed a payment. */
export async function executionsOf(anvil: Anvil, payments: readonly Payment[], mined: readonly Mined[]) {
  const isOf = ({ kind, target, amount, wallet }: Payment, { from, to, value, input }: Mined): boolean => {
    if (from !== wallet.address.toLowerCase()) return false;
    const bare = target.slice(2).toLowerCase();
    if (kind === 'call') return input.startsWith('0xa9059cbb') && input.includes(bare);
    // The token's name contains the address as text.
    if (kind === 'deployment')
      return to === null && input.includes(Buffer.from(target).toString('hex').slice(0, 40));
    return to === target.toLowerCase() && BigInt(value) === BigInt(amount);
  };
  const succeeded = await Promise.all(
    mined.map(async ({ hash }) => {
      const { status } = await anvil.rpc<{ status: string }>('eth_getTransactionReceipt', [hash]);
      return status === '0x1';
    }),
  );
  const executed = mined.filter((_, index) => succeeded[index]);
  return payments.map((payment) => executed.filter((one) => isOf(payment, one)).length);
}

/** The transactions of wallets in all blocks after a height. */
export async function minedSince(
  anvil: Anvil,
  height: number,
  wallets: readonly TestWallet[],
): Promise<Mined[]> {
  const senders = new Set(wallets.map(({ address }) => address.toLowerCase()));
  const mined: Mined[] = [];
  for (let at = height + 1; at <= (await heightOf(anvil)); at += 1) {
    const block = await anvil.rpc<{ transactions: Mined[] }>('eth_getBlockByNumber', [
      ...[`0x${at.toString(16)}`, true],
    ]);
    mined.push(...block.transactions.filter(({ from }) => senders.has(from)));
  }
  return mined;
}

export async function heightOf(anvil: Anvil): Promise<number> {
  return Number(await anvil.rpc<string>('eth_blockNumber'));
}

/** Ids of the transactions that the database's servers signed themselves, while a server may be running. */
export async function signedHere({ folder, masterKey }: Product, databaseUrl?: string): Promise<Set<string>> {
  const url = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl };
  const config = readConfig({ DATA_DIR: folder, MASTER_KEY: masterKey, ...url });
  const store = await openSnapshot(databasePlace(config));
  try {
    // Without those that a person assigned to an action.
    const rows = await store.read.all<{ id: string }>(
      "SELECT tx_id AS id FROM attempt WHERE kind <> 'outside'",
    );
    return new Set(rows.map(({ id }) => id.toLowerCase()));
  } finally {
    await store.close();
  }
}

export async function readSuspensions(product: Product): Promise<Suspension[]> {
  const { body } = await product.call<{ suspensions: Suspension[] }>('GET', '/v1/ledger-ops/suspensions');
  return body.suspensions;
}

export async function readUnknown(product: Product, walletId: string): Promise<Unknown[]> {
  const path = `/v1/cloud-wallet/wallets/${walletId}/unknown-transactions`;
  const { body } = await product.call<{ transactions: Unknown[] }>('GET', path);
  return body.transactions;
}

/**
 * Does what docs/operations.md says: resumes ledgers that are suspended because the database was promoted, marks what unknown
 * transactions executed, then resumes the wallets. Returns those wallets, and how many ledgers were suspended.
 */
export async function decide(product: Product): Promise<{ wallets: string[]; ledgers: number }> {
  const wallets: string[] = [];
  let ledgers = 0;
  for (const { suspensionId, walletId, cause, reason } of await readSuspensions(product)) {
    if (walletId === undefined) {
      expect(reason).toContain('A standby of the database was promoted.');
      await product.call('DELETE', `/v1/ledger-ops/suspensions/${suspensionId}`);
      ledgers += 1;
      continue;
    }
    expect(cause).toBe('unknown-transactions');
    let isClear = true;
    for (const { txId, matches } of await readUnknown(product, walletId)) {
      // A transaction in a mempool has no id yet.
      isClear &&= txId !== null;
      if (txId === null) continue;
      for (const actionId of matches) {
        const marked = await product.call('POST', `/v1/ledger-ops/actions/${actionId}/executed`, { txId });
        // 409: a payment of another wallet, on which it depends, has to be marked first, or the transaction is not final.
        expect([200, 409]).toContain(marked.status);
        isClear &&= marked.status === 200;
      }
    }
    if (!isClear) continue;
    await product.call('DELETE', `/v1/ledger-ops/suspensions/${suspensionId}`);
    wallets.push(walletId);
  }
  return { wallets, ledgers };
}

/** Answers `txpool_contentFrom` as geth does. Anvil has only `txpool_content`, for all accounts. */
export const withPool: Misbehaviour = {
  async txpool_contentFrom(call, ask) {
    const answer = await ask({ ...call, method: 'txpool_content', params: [] });
    if (!('result' in answer)) return answer;
    const from = String(call.params[0]).toLowerCase();
    // The form of a node's answer.
    const { pending, queued } = answer.result as Record<'pending' | 'queued', Record<string, unknown>>;
    return { result: { pending: pending[from] ?? {}, queued: queued[from] ?? {} } };
  },
};
