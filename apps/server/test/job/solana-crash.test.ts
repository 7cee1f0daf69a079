// The plugin of Solana as any other one from elsewhere: registered by its URL, in a process of its own.
import { randomBytes, randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { type SolanaProcess, startSolanaProcess } from '@ledger-ops/devnet-solana';
import type { FaultPoint } from '@ledger-ops/runtime';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { crashes } from '../../../../testing/faults.ts';
import { createProduct, type Product } from './product.ts';

const module = fileURLToPath(new URL('../../../../packages/plugin-solana/src/index.ts', import.meta.url));
const walletPassword = 'correct horse battery staple';
/** Lamports that keep a new account. */
const least = 890_880;

let ledger: SolanaProcess;
let product: Product;
let wallets = 0;

beforeAll(async () => {
  ledger = await startSolanaProcess({ slotTime: 100, confirmed: 0, finalized: 2 });
  product = createProduct();
  await product.start();
  await created('/v1/plugins', {
    ...{ name: 'Solana', projectId: 'job-project', url: `file:${module}`, tags: ['solana'] },
  });
  await created('/v1/ledgers', {
    ...{ ledgerID: 'sol', name: 'Solana', ledgerTechnology: { ledgerTechnologyID: 'solana' } },
    nodes: [{ nodeID: 'sol-node', options: { uri: ledger.url } }],
  });
});
afterAll(async () => {
  await product?.stop();
  await ledger?.stop();
});

async function created<Body>(path: string, input: object): Promise<Body> {
  const { status, body } = await product.call<Body>('POST', path, input);
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}

const addresses = new Map<string, string>();

function addressOf(walletId: string): string {
  const address = addresses.get(walletId);
  if (address === undefined) throw new Error(`There is no wallet ${walletId}.`);
  return address;
}

/** A wallet with 100 SOL. */
async function wallet(): Promise<string> {
  wallets += 1;
  const walletId = `sol-${wallets}`;
  const { walletAddress } = await created<{ walletAddress: string }>('/v1/cloud-wallet/wallets', {
    ...{ walletId, ledgerId: 'sol', pluginParameters: { walletPassword } },
  });
  addresses.set(walletId, walletAddress);
  await ledger.rpc('requestAirdrop', [walletAddress, 100_000_000_000]);
  await vi.waitFor(async () => expect(await balanceOf(walletAddress)).toBeGreaterThan(0), 30_000);
  return walletId;
}

async function balanceOf(address: string): Promise<number> {
  const options = [address, { commitment: 'finalized' }];
  return (await ledger.rpc<{ value: number }>('getBalance', options)).value;
}

/** An address that nobody has the key of. */
function freshAddress(): string {
  const letters = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  // A first byte of zero would be a letter more.
  let rest = BigInt(`0x01${randomBytes(31).toString('hex')}`);
  let text = '';
  for (; rest > 0n; rest /= 58n) text = `${letters[Number(rest % 58n)]}${text}`;
  return text;
}

interface Sent {
  readonly target: string;
  readonly amount: number;
  /** Null where its server ended before it answered. */
  readonly actionId: string | null;
}

async function send(walletId: string, amount: number): Promise<Sent> {
  const target = freshAddress();
  const glo = {
    ...{ version: '0.1.0', type: 'transfer' },
    options: {
      recipient: { lookup_service: { type: 'ledger', value: 'solana' }, resource: target },
      amount: String(amount),
    },
  };
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

/** Each got its amount once, or, where nobody was told that it was accepted, not at all. */
async function expectOnce(sent: readonly Sent[]): Promise<void> {
  const ends = await product.ended(sent.flatMap(({ actionId }) => actionId ?? []));
  expect(ends.map(({ status, problem }) => [status, problem])).toEqual(
    ends.map(() => ['SUCCEEDED', undefined]),
  );
  for (const { target, amount, actionId } of sent) {
    expect(actionId === null ? [0, amount] : [amount]).toContain(await balanceOf(target));
  }
}

const points: readonly FaultPoint[] = [
  ...(['accept:before-commit', 'accept:after-commit', 'sign:before-commit', 'sign:after-commit'] as const),
  ...(['submit:before', 'submit:after', 'settle:before-commit', 'settle:after-commit'] as const),
];

test.each(crashes(points, (point) => point === 'submit:after'))(
  'a server that is killed at %s: each transfer is executed once',
  async (point) => {
    const walletId = await wallet();
    await product.breakAt({ point, nth: 3 });
    const sent = await sendMany(walletId, 12);
    for (let more = 0; more < 60 && product.isAlive(); more += 1) sent.push(...(await sendMany(walletId, 2)));
    await vi.waitFor(() => expect(product.isAlive()).toBe(false), 30_000);
    await product.start();
    await expectOnce(sent);
    await expectOnce(await sendMany(walletId, 2));
  },
  120_000,
);

test('a server that is killed before it signs: what two wallets sign is executed once, and the other one pays the fee', async () => {
  const [sender, payer] = [await wallet(), await wallet()];
  const [from, by] = [addressOf(sender), addressOf(payer)];
  const [own, before] = [await balanceOf(from), await balanceOf(by)];
  const target = freshAddress();
  const body = {
    ...{ walletId: sender, walletPassword, wallets: [{ walletId: payer, walletPassword }] },
    glo: {
      ...{ version: '0.1.0', type: 'transfer' },
      options: {
        recipient: { lookup_service: { type: 'ledger', value: 'solana' }, resource: target },
        amount: String(least),
      },
      meta: { ledger: { solana: { version: '1', native_transaction_content: { feePayer: payer } } } },
    },
  };
  const key = { 'Idempotency-Key': randomUUID() };
  const sending = () => product.call<{ actionId: string }>('POST', '/v1/ledger-ops/send', body, key);
  await product.breakAt({ point: 'sign:before-commit', nth: 1 });
  // Whether the answer arrives depends on which is faster.
  await sending().catch(() => undefined);
  await vi.waitFor(() => expect(product.isAlive()).toBe(false), 30_000);
  await product.start();
  const { status, body: accepted } = await sending();
  expect(status, JSON.stringify(accepted)).toBe(201);
  const [end] = await product.ended([accepted.actionId]);
  expect(end).toMatchObject({ status: 'SUCCEEDED' });
  expect(await balanceOf(target)).toBe(least);
  expect(own - (await balanceOf(from))).toBe(least);
  // Two signatures, and what is paid for priority.
  expect(before - (await balanceOf(by))).toBeGreaterThanOrEqual(10_000);
}, 60_000);

test('transfers that were lost until they expired are made anew, and executed once', async () => {
  const walletId = await wallet();
  await ledger.rpc('devnet_setDropping', [true]);
  const sent = await sendMany(walletId, 5);
  const ids = sent.flatMap(({ actionId }) => actionId ?? []);
  const signed = { status: 'PENDING', pending: { stage: 'signed' } };
  await vi.waitFor(
    async () => expect(await product.actions(ids)).toMatchObject(ids.map(() => signed)),
    30_000,
  );
  const before = await attemptsOf(ids);
  await ledger.rpc('devnet_mine', [151]);
  await ledger.rpc('devnet_setDropping', [false]);
  await expectOnce(sent);
  const after = await attemptsOf(ids);
  for (const [at, txIds] of after.entries()) expect(txIds.length).toBeGreaterThan(before[at]?.length ?? 0);
}, 120_000);

/** Ids of the transactions of each action. */
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
