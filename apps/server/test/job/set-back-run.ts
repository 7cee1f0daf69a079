// Payments that clients repeat with their keys, and a person's decisions about a database that was restored to an earlier
// state.
import { setTimeout as pause } from 'node:timers/promises';
import type { Anvil, Misbehaviour } from '@ledger-ops/devnet';
import { openSnapshot } from '@ledger-ops/store';
import { expect } from 'vitest';
import { databasePlace } from '../../src/database-place.ts';
import { readConfig } from '../../src/settings/config.ts';
import { freshAddress } from './chain.ts';
import { type Action, callContract, deploy, type Product, type TestWallet, transferTo } from './product.ts';

/**
 * What a client requests. `hurried`: a transfer whose fee it raises immediately. `canceled`: a transfer that it cancels immediately.
 * `expiring`: a transfer with a deadline in the near future. The last two may depend on another payment, and are
 * then not signed yet.
 */
export const paymentKinds = [
  ...(['transfer', 'dependent', 'call', 'deployment', 'hurried'] as const),
  ...(['canceled', 'canceled', 'expiring', 'expiring'] as const),
];

export interface Payment {
  readonly key: string;
  readonly kind: (typeof paymentKinds)[number];
  readonly wallet: TestWallet;
  readonly target: string;
  /** No other payment has this amount, so the ledger shows which payment it executed. */
  readonly amount: number;
  /** The payment that a dependent payment waits for. */
  readonly after: Payment | undefined;
  /** Deadline of an expiring payment, in milliseconds since the epoch. */
  readonly deadline: number | undefined;
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
  /** Null on ledgers without sequences. */
  readonly sequence: number | null;
  readonly txId: string | null;
  readonly notCompared: string | null;
  readonly matches: readonly string[];
}

/** A transaction as a node returns it. */
export interface Mined {
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

/**
 * Sends a payment with its key. Returns false if the server exited before it responded. A payment that is
 * refused, because its deadline passed or its dependency failed, has no action.
 */
export async function pay(product: Product, payment: Payment, contracts: Contracts): Promise<boolean> {
  const { key, kind, after, deadline } = payment;
  // The payment's dependency was refused.
  if (after !== undefined && after.actionId === undefined) return true;
  try {
    const sent = await product.call('POST', '/v1/ledger-ops/send', bodyOf(payment, contracts), {
      'Idempotency-Key': key,
    });
    const refusal = JSON.stringify(sent.body);
    if (after !== undefined && refusal.includes('dependency-failed')) return true;
    if (deadline !== undefined && sent.status === 400) {
      expect(refusal).toContain('must be in the future');
      return true;
    }
    expect(sent).toMatchObject({ status: 201 });
    payment.actionId = String(sent.body.actionId);
    if (kind !== 'hurried' && kind !== 'canceled') return true;
    const change = kind === 'hurried' ? 'hurry' : 'cancel';
    const path = `/v1/ledger-ops/actions/${payment.actionId}/${change}`;
    const changed = await product.call('POST', path, {}, { 'Idempotency-Key': `${key}-${change}` });
    // 200: the action was unsigned, so it is canceled. 409: the action has completed, or it is unsigned, so
    // it has no fee to raise.
    expect(kind === 'hurried' ? [202, 409] : [200, 202, 409]).toContain(changed.status);
    return true;
  } catch (error) {
    // The connection broke.
    if (error instanceof TypeError) return false;
    throw error;
  }
}

function bodyOf({ kind, wallet, target, amount, after, deadline }: Payment, { tokens, template }: Contracts) {
  switch (kind) {
    case 'call': {
      const token = tokens.get(wallet.walletId) ?? '';
      return callContract(wallet, token, 'transfer(address,uint256)', [target, String(amount)]);
    }
    case 'deployment':
      return deploy(wallet, template, [`Coin ${target}`, 'COIN', String(amount)]);
    default: {
      const dependencies = after === undefined ? {} : { dependencies: [String(after.actionId)] };
      const until = deadline === undefined ? {} : { deadline: new Date(deadline).toISOString() };
      return { ...transferTo(wallet, target, amount), ...dependencies, ...until };
    }
  }
}

/** Creates payments of random kinds. */
export class Payments {
  readonly #chance: (least: number, most: number) => number;
  readonly #wallets: readonly TestWallet[];
  /** An amount that no other payment has. */
  #amount = 1;

  constructor(chance: (least: number, most: number) => number, wallets: readonly TestWallet[]) {
    this.#chance = chance;
    this.#wallets = wallets;
  }

  transferFrom(wallet: TestWallet): Payment {
    this.#amount += 1;
    return {
      ...{ key: `payment-${this.#amount}`, kind: 'transfer', wallet, amount: this.#amount },
      ...{ target: freshAddress(), after: undefined, deadline: undefined, actionId: undefined },
    };
  }

  /** Adds payments to a list. A payment with a dependency depends on the payment before it in the list. */
  add(payments: Payment[], count: number): Payment[] {
    const chance = this.#chance;
    const added: Payment[] = [];
    for (let index = 0; index < count; index += 1) {
      const wallet = this.#wallets[chance(0, this.#wallets.length)];
      const kind = paymentKinds[chance(0, paymentKinds.length)];
      const mayDepend = chance(0, 2) === 0;
      const expiresIn = chance(1_000, 12_000);
      if (wallet === undefined || kind === undefined) throw new RangeError('There is none.');
      this.#amount += 1;
      const isDependent = kind === 'dependent' || (mayDepend && (kind === 'canceled' || kind === 'expiring'));
      const payment: Payment = {
        ...{ key: `payment-${this.#amount}`, kind, wallet, amount: this.#amount, target: freshAddress() },
        after: isDependent ? payments.at(-1) : undefined,
        deadline: kind === 'expiring' ? Date.now() + expiresIn : undefined,
        actionId: undefined,
      };
      payments.push(payment);
      added.push(payment);
    }
    return added;
  }
}

/** For each payment, counts the mined transactions that executed it. */
export async function executionsOf(anvil: Anvil, payments: readonly Payment[], mined: readonly Mined[]) {
  const isOf = ({ kind, target, amount, wallet }: Payment, { from, to, value, input }: Mined): boolean => {
    if (from !== wallet.address.toLowerCase()) return false;
    const bare = target.slice(2).toLowerCase();
    if (kind === 'call') return input.startsWith('0xa9059cbb') && input.includes(bare);
    // The token has the payment's target as its name.
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

/** Returns the transactions of wallets in the blocks after one height, up to another height. */
export async function minedBetween(
  anvil: Anvil,
  { from, to }: { from: number; to: number },
  wallets: readonly TestWallet[],
): Promise<Mined[]> {
  const senders = new Set(wallets.map(({ address }) => address.toLowerCase()));
  const mined: Mined[] = [];
  for (let at = from + 1; at <= to; at += 1) {
    const block = await anvil.rpc<{ transactions: Mined[] }>('eth_getBlockByNumber', [
      ...[`0x${at.toString(16)}`, true],
    ]);
    mined.push(...block.transactions.filter(({ from }) => senders.has(from)));
  }
  return mined;
}

/** Returns the transactions of wallets in all blocks after a height. */
export async function minedSince(
  anvil: Anvil,
  height: number,
  wallets: readonly TestWallet[],
): Promise<Mined[]> {
  return minedBetween(anvil, { from: height, to: await heightOf(anvil) }, wallets);
}

export async function heightOf(anvil: Anvil): Promise<number> {
  return Number(await anvil.rpc<string>('eth_blockNumber'));
}

/** Returns the ids of the transactions that servers on this database signed. A server may be running. */
export async function signedHere({ folder, masterKey }: Product, databaseUrl?: string): Promise<Set<string>> {
  const url = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl };
  const config = readConfig({ DATA_DIR: folder, MASTER_KEY: masterKey, ...url });
  const store = await openSnapshot(databasePlace(config));
  try {
    // Excludes transactions that a person assigned to an action.
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

/** Ids of the unknown transactions that were shown to a person, by wallet. */
export class Noticed extends Map<string, Set<string>> {
  /** Wallets that were not resumed since their unknown transactions were read last. */
  readonly suspended = new Set<string>();

  add(walletId: string, txIds: readonly string[]): void {
    const shown = this.get(walletId) ?? new Set();
    for (const txId of txIds) shown.add(txId.toLowerCase());
    this.set(walletId, shown);
  }
}

/**
 * Follows docs/operations.md: resumes ledgers that are suspended because the database was promoted, marks actions that unknown
 * transactions executed, and then resumes the wallets. Adds the unknown transactions to `noticed`. Returns the number of
 * suspended ledgers.
 */
export async function decide(product: Product, noticed = new Noticed()): Promise<number> {
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
    noticed.suspended.add(walletId);
    const unknown = await readUnknown(product, walletId);
    // Marked transactions are not listed again.
    noticed.add(
      walletId,
      unknown.flatMap(({ txId }) => txId ?? []),
    );
    for (const { txId, matches } of unknown) {
      // An unknown transaction in a mempool has no id yet.
      isClear &&= txId !== null;
      if (txId === null) continue;
      for (const actionId of matches) {
        const marked = await product.call('POST', `/v1/ledger-ops/actions/${actionId}/executed`, { txId });
        if (marked.status === 422) {
          // A deployment on Solana cannot be marked as executed. The ledger shows the program, so nothing
          // remains to be done.
          await product.call('POST', `/v1/ledger-ops/actions/${actionId}/cancel`, {});
          continue;
        }
        // 409: the action depends on an action of another wallet that has to be marked first, or the
        // transaction is not final.
        expect([200, 409]).toContain(marked.status);
        isClear &&= marked.status === 200;
      }
    }
    if (!isClear) continue;
    const resumed = await product.call('DELETE', `/v1/ledger-ops/suspensions/${suspensionId}`);
    if (resumed.status < 300) noticed.suspended.delete(walletId);
  }
  return ledgers;
}

/** Time limit in milliseconds until all payments of a round are final. */
const patience = 180_000;
/** Time limit in milliseconds after startup until every wallet with unknown transactions is suspended. */
const soon = 30_000;

/** Resolves and resumes suspended wallets until no payment is pending. Adds each suspended wallet to `noticed`. */
export async function settle(
  product: Product,
  payments: readonly Payment[],
  noticed: Noticed,
): Promise<{ promotions: number; ends: Action[] }> {
  const ids = payments.flatMap(({ actionId }) => actionId ?? []);
  let promotions = 0;
  const end = performance.now() + patience;
  for (;;) {
    promotions += await decide(product, noticed);
    const ends = await product.actions(ids);
    const pending = ends.filter(({ status }) => status === 'PENDING');
    if (pending.length === 0) return { promotions, ends };
    if (performance.now() > end) {
      const open = (await readSuspensions(product)).flatMap(({ walletId }) => walletId ?? []);
      const unknown = await Promise.all(open.map((walletId) => readUnknown(product, walletId)));
      throw new Error(`Payments are PENDING: ${JSON.stringify({ pending, unknown })}`);
    }
    await pause(100);
  }
}

/**
 * Resolves and resumes suspended wallets until each forgotten transaction has been listed as unknown and
 * its wallet has been resumed. A wallet may be suspended again for transactions that were still in the mempool when it was
 * resumed.
 *
 * @throws Error if a transaction is not noticed in time
 */
export async function noticeAll(
  product: Product,
  forgotten: ReadonlyMap<string, readonly Mined[]>,
  noticed: Noticed,
): Promise<void> {
  const end = performance.now() + soon;
  for (;;) {
    const missing = [...forgotten].flatMap(([walletId, transactions]) =>
      transactions.filter(({ hash }) => noticed.get(walletId)?.has(hash.toLowerCase()) !== true),
    );
    if (missing.length === 0 && noticed.suspended.size === 0) return;
    if (performance.now() > end) {
      const suspended = [...noticed.suspended];
      throw new Error(`Not noticed or resumed: ${JSON.stringify({ missing, suspended })}`);
    }
    await decide(product, noticed);
    await pause(100);
  }
}

/** Returns the mined transactions that the database does not contain, by wallet. Omits wallets without such transactions. */
export function forgottenOf(
  wallets: readonly TestWallet[],
  mined: readonly Mined[],
  signed: ReadonlySet<string>,
): Map<string, Mined[]> {
  const unknown = mined.filter(({ hash }) => !signed.has(hash.toLowerCase()));
  return new Map(
    wallets.flatMap(({ walletId, address }) => {
      const own = unknown.filter(({ from }) => from === address.toLowerCase());
      return own.length === 0 ? [] : [[walletId, own] as const];
    }),
  );
}

/**
 * Checks that a succeeded action was executed once. Checks that a failed action was not executed, unless its
 * problem says that it may have been.
 *
 * @param isRestored a deployer stated that pending actions of the database may have been executed
 */
export function expectPaidOnce(
  payment: Payment,
  end: Action | undefined,
  executions: number | undefined,
  isRestored: boolean,
): void {
  const { key, kind } = payment;
  const happened = { key, kind, status: end?.status, problem: end?.problem, executions };
  if (end?.status === 'SUCCEEDED') expect(happened).toEqual({ ...happened, executions: 1 });
  else expect([0, 1], JSON.stringify(happened)).toContain(executions);
  if (end?.status !== 'FAILED' || executions === 0 || isRestored) return;
  // The client must not assume that nothing was executed.
  expect(happened).toMatchObject({
    problem: { detail: expect.stringContaining('may have executed the action') },
  });
}

/** Answers `txpool_contentFrom` as geth does. Anvil has only `txpool_content`, for all accounts. */
export const withPool: Misbehaviour = {
  async txpool_contentFrom(call, ask) {
    const answer = await ask({ ...call, method: 'txpool_content', params: [] });
    if (!('result' in answer)) return answer;
    const from = String(call.params[0]).toLowerCase();
    // Nodes answer in this form.
    const { pending, queued } = answer.result as Record<'pending' | 'queued', Record<string, unknown>>;
    return { result: { pending: pending[from] ?? {}, queued: queued[from] ?? {} } };
  },
};
