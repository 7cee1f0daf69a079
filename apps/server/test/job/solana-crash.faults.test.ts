import { randomUUID } from 'node:crypto';
import type { FaultPoint } from '@ledger-ops/runtime';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { isFaultsRun, selectCases } from '../../../../testing/faults.ts';
import type { Product } from './product.ts';
import {
  freshAddress,
  least,
  openSolanaJob,
  type SolanaJob,
  toBase58,
  tokenProgram,
  transferGlo,
  walletPassword,
} from './solana-ledger.ts';

let job: SolanaJob;
let product: Product;

beforeAll(async () => {
  job = await openSolanaJob();
  ({ product } = job);
});
afterAll(() => job?.stop());

interface Sent {
  readonly target: string;
  readonly amount: number;
  /** Null if its server ended before responding. */
  readonly actionId: string | null;
}

async function send(walletId: string, amount: number): Promise<Sent> {
  const target = freshAddress();
  const glo = transferGlo(target, amount);
  const sending = product.call<{ actionId: string }>('POST', '/v1/ledger-ops/send', {
    ...{ walletId, walletPassword, glo },
  });
  try {
    const { status, body } = await sending;
    expect(status, JSON.stringify(body)).toBe(201);
    return { target, amount, actionId: body.actionId };
  } catch (error) {
    if (error instanceof TypeError) return { target, amount, actionId: null };
    throw error;
  }
}

const sendMany = async (walletId: string, count: number) =>
  await Promise.all(Array.from({ length: count }, (_, at) => send(walletId, least + at)));

/** Checks that each recipient got its amount once, or at most once if no client got a 201 response. */
async function expectOnce(sent: readonly Sent[]): Promise<void> {
  const ends = await product.ended(sent.flatMap(({ actionId }) => actionId ?? []));
  expect(ends.map(({ status, problem }) => [status, problem])).toEqual(
    ends.map(() => ['SUCCEEDED', undefined]),
  );
  for (const { target, amount, actionId } of sent) {
    expect(actionId === null ? [0, amount] : [amount]).toContain(await job.balanceOf(target));
  }
}

const points: readonly FaultPoint[] = [
  ...(['accept:before-commit', 'accept:after-commit', 'sign:before-commit', 'sign:after-commit'] as const),
  ...(['submit:before', 'submit:after', 'settle:before-commit', 'settle:after-commit'] as const),
];

test.each(selectCases(points, (point) => point === 'submit:after'))(
  'each transfer is executed once although the server is killed at %s',
  async (point) => {
    const { walletId } = await job.wallet();
    await product.breakAt({ point, nth: 3 });
    const sent = await sendMany(walletId, 12);
    await product.untilKilled(async () => {
      const round = await sendMany(walletId, 2);
      sent.push(...round);
      return round.map(({ actionId }) => actionId);
    });
    await product.start();
    await expectOnce(sent);
    await expectOnce(await sendMany(walletId, 2));
  },
  300_000,
);

test.runIf(isFaultsRun)(
  'after a crash before signing, a transfer whose fee is paid by a second wallet is executed once',
  async () => {
    const [sender, payer] = [await job.wallet(), await job.wallet()];
    const balances = () => Promise.all([sender, payer].map(({ address }) => job.balanceOf(address)));
    const [own = 0, before = 0] = await balances();
    const target = freshAddress();
    const body = {
      ...{ walletId: sender.walletId, walletPassword },
      wallets: [{ walletId: payer.walletId, walletPassword }],
      glo: {
        ...transferGlo(target, least),
        meta: {
          ledger: { solana: { version: '1', native_transaction_content: { feePayer: payer.walletId } } },
        },
      },
    };
    const key = { 'Idempotency-Key': randomUUID() };
    const sending = () => product.call<{ actionId: string }>('POST', '/v1/ledger-ops/send', body, key);
    await product.breakAt({ point: 'sign:before-commit', nth: 1 });
    // The response may arrive before the server dies.
    await sending().catch(() => undefined);
    await vi.waitFor(() => expect(product.isAlive()).toBe(false), 30_000);
    await product.start();
    const { status, body: accepted } = await sending();
    expect(status, JSON.stringify(accepted)).toBe(201);
    const [end] = await product.ended([accepted.actionId]);
    expect(end).toMatchObject({ status: 'SUCCEEDED' });
    expect(await job.balanceOf(target)).toBe(least);
    const [left = 0, after = 0] = await balances();
    expect(own - left).toBe(least);
    // Two signatures, and the priority fee.
    expect(before - after).toBeGreaterThanOrEqual(10_000);
  },
  180_000,
);

test.runIf(isFaultsRun)(
  'transfers whose transactions were dropped until they expired are sent again and executed once',
  async () => {
    const { walletId } = await job.wallet();
    await job.ledger.rpc('devnet_setDropping', [true]);
    const sent = await sendMany(walletId, 5);
    const ids = sent.flatMap(({ actionId }) => actionId ?? []);
    const signed = { status: 'PENDING', pending: { stage: 'signed' } };
    await vi.waitFor(
      async () => expect(await product.actions(ids)).toMatchObject(ids.map(() => signed)),
      30_000,
    );
    const before = await attemptsOf(ids);
    await job.ledger.rpc('devnet_mine', [151]);
    await job.ledger.rpc('devnet_setDropping', [false]);
    await expectOnce(sent);
    const after = await attemptsOf(ids);
    for (const [at, txIds] of after.entries()) expect(txIds.length).toBeGreaterThan(before[at]?.length ?? 0);
  },
  300_000,
);

// About forty transactions, each of which waits for its block.
test.each(selectCases<FaultPoint>(['settle:after-commit'], () => false))(
  'a deployment continues after the server is killed at %s, and nothing is sent twice',
  async (point) => {
    const { walletId, address } = await job.wallet();
    const before = await job.signaturesOf(address);
    // The code needs more transactions than are sent at the same time.
    const code = await elfOf(tokenProgram);
    const path = '/v1/smart-contracts/templates';
    await job.created(path, { contractTemplateID: 'program', name: 'Program' });
    await job.created(`${path}/program/specifications`, {
      ...{ tag: '1', ledgerTechnology: { ledgerTechnologyID: 'solana' } },
      compilationSpecification: { code: code.toString('base64'), interface: '{"instructions": []}' },
    });
    await product.breakAt({ point, nth: 1 });
    const source = { lookup_service: { type: 'service', value: 'service' }, resource: 'program:1' };
    const glo = { version: '0.1.0', type: 'contract_deploy', options: { contract_source: source, args: [] } };
    const { actionId } = await job.created<{ actionId: string }>('/v1/ledger-ops/send', {
      ...{ walletId, walletPassword, glo },
    });
    await vi.waitFor(() => expect(product.isAlive()).toBe(false), 30_000);
    await product.start();
    const [end] = await product.ended([actionId]);
    expect([end?.status, end?.problem]).toEqual(['SUCCEEDED', undefined]);
    const [attempts = []] = await attemptsOf([actionId]);
    expect(attempts.length).toBeGreaterThan(3);
    const sent = (await job.signaturesOf(address)).filter((signature) => !before.includes(signature));
    expect(new Set(sent)).toEqual(new Set([...sent, ...attempts]));
    // Each write was sent once: one transaction per 900 bytes, plus those that create the buffer and the program.
    expect(sent.length).toBeLessThanOrEqual(Math.ceil(code.length / 900) + attempts.length);
    const program = await job.dataOf(end?.contractAddress ?? '');
    expect((await job.dataOf(toBase58(program.subarray(4)))).subarray(45, 45 + code.length)).toEqual(code);
  },
  300_000,
);

/** Returns the code of a program that exists on every development ledger. */
async function elfOf(program: string): Promise<Buffer> {
  const data = await job.dataOf(program);
  // A program of the upgradeable loader contains only the address of its data account.
  return data.length > 36 ? data : (await job.dataOf(toBase58(data.subarray(4)))).subarray(45);
}

/** Returns the transaction ids of each action. */
async function attemptsOf(ids: readonly string[]): Promise<string[][]> {
  return await Promise.all(
    ids.map(async (id) => {
      const { body } = await product.call<{ attempts: { txId: string }[] }>(
        'GET',
        `/v1/ledger-ops/actions/${id}`,
      );
      return body.attempts.map(({ txId }) => txId);
    }),
  );
}
