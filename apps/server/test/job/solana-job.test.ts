import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import '../../../../testing/faults.ts';
import { startReceiver } from '../events/receiver.ts';
import {
  freshAddress,
  instructionGlo,
  least,
  memoInstruction,
  memoProgram,
  mintAccount,
  openSolanaJob,
  type SolanaJob,
  tokenProgram,
  transferGlo,
  walletPassword,
} from './solana-ledger.ts';

/** Number of actions; 300 in `npm run test:faults`. */
const actions = inject('faults') === undefined ? 30 : 300;
const idl = new URL('../../../../packages/plugin-solana/idl/spl-token.json', import.meta.url);
/** With these options, the transaction is signed without a simulation, so it fails in a block. */
const unseen = { computeUnitLimit: 200_000, computeUnitPrice: '0' };
const noText = Uint8Array.of(0xff, 0xfe);

let job: SolanaJob;
let wallets: { walletId: string; address: string }[];
let contractId: string;
let mint: string;

const walletAt = (index: number) => wallets[index % wallets.length] as (typeof wallets)[number];

async function send(index: number, glo: object): Promise<string> {
  const { walletId } = walletAt(index);
  const body = { walletId, walletPassword, glo };
  return (await job.created<{ actionId: string }>('/v1/ledger-ops/send', body)).actionId;
}

const tokenGlo = (method_name: string, args: string[]) => ({
  ...{ version: '0.1.0', type: 'contract_call' },
  options: {
    contract_instance: { lookup_service: { type: 'service', value: 'service' }, resource: contractId },
    ...{ method_name, args },
  },
});

async function succeed(...ids: string[]): Promise<void> {
  const ends = await job.product.ended(ids);
  expect(ends.map(({ status, problem }) => [status, problem])).toEqual(
    ids.map(() => ['SUCCEEDED', undefined]),
  );
}

async function tokensOf(owner: string): Promise<string[]> {
  const options = [owner, { mint }, { encoding: 'jsonParsed', commitment: 'finalized' }];
  const { value } = await job.ledger.rpc<{
    value: { account: { data: { parsed: { info: { tokenAmount: { amount: string } } } } } }[];
  }>('getTokenAccountsByOwner', options);
  return value.map(({ account }) => account.data.parsed.info.tokenAmount.amount);
}

/** Three wallets that hold a token. */
beforeAll(async () => {
  job = await openSolanaJob();
  wallets = [await job.wallet(), await job.wallet(), await job.wallet()];
  const { groupId } = await job.created<{ groupId: string }>('/v1/contract-groups', { name: 'tokens' });
  const instance = {
    interface: readFileSync(idl, 'utf8'),
    ledgerReference: { ledgerId: 'sol', nativeReference: tokenProgram },
  };
  ({ contractId } = await job.created<{ contractId: string }>(
    `/v1/contract-groups/${groupId}/instances`,
    instance,
  ));
  const { address } = walletAt(0);
  const made = mintAccount(address);
  ({ mint } = made);
  await succeed(await send(0, instructionGlo(made.instruction)));
  await succeed(await send(0, tokenGlo('initializeMint2', [mint, '6', address, 'null'])));
  for (const holder of wallets)
    await succeed(
      await send(0, tokenGlo('mintToChecked', [mint, `${holder.address}/${mint}`, '1000000', '6'])),
    );
}, 300_000);
afterAll(() => job?.stop());

test('a program’s log from the first block on arrives at a webhook, once per transaction', async () => {
  const receiver = await startReceiver();
  const { secret } = await job.created<{ secret: string }>('/v1/webhooks', {
    ...{ url: receiver.url, types: ['contract.event'] },
  });
  receiver.secret = secret;
  const { groupId } = await job.created<{ groupId: string }>('/v1/contract-groups', { name: 'memos' });
  const memo = await job.created<{ contractId: string }>(`/v1/contract-groups/${groupId}/instances`, {
    ...{
      interface: '{"instructions": []}',
      ledgerReference: { ledgerId: 'sol', nativeReference: memoProgram },
    },
  });
  const words = ['one', 'two', 'three'];
  for (const word of words) await succeed(await send(0, instructionGlo(memoInstruction(word))));
  const { contractId: told } = memo;
  await job.created('/v1/contract-subscriptions', { contractId: told, fromBlock: 0 });
  await vi.waitFor(() => expect(receiver.received).toHaveLength(words.length), 30_000);
  expect(receiver.received.map(({ data }) => data)).toMatchObject(
    words.map((word) => ({
      ...{ contractId: told, name: null, args: null },
      raw: { log: [`Memo (len ${word.length})`, word], data: [] },
    })),
  );
  await receiver.close();
}, 180_000);

test(`${actions} concurrent actions have one outcome each, as on the ledger, although some transactions expire`, async () => {
  const before = new Set(await executed());
  const kinds = [
    'transfer',
    'token',
    'memo',
    'transfer',
    'token',
    'fails',
    'transfer',
    'refused',
    'memo',
  ] as const;
  const plans = Array.from({ length: actions }, (_, index) => {
    const [kind = 'transfer', target] = [kinds[index % kinds.length], freshAddress()];
    const glo = {
      transfer: () => transferGlo(target, least + index),
      token: () => tokenGlo('transferChecked', [mint, `${target}/${mint}`, String(index + 1), '6']),
      memo: () => instructionGlo(memoInstruction(`memo ${index}`)),
      fails: () => instructionGlo(memoInstruction(noText), unseen),
      refused: () => instructionGlo(memoInstruction(noText)),
    }[kind]();
    return { index, kind, target, glo };
  });
  const sendAll = (some: typeof plans) => Promise.all(some.map(({ index, glo }) => send(index, glo)));
  const lost = Math.ceil(actions / 3);
  const ids = await sendAll(plans.slice(lost));
  await job.ledger.rpc('devnet_setDropping', [true]);
  const dropped = await sendAll(plans.slice(0, lost));
  await job.ledger.rpc('devnet_mine', [151]);
  await job.ledger.rpc('devnet_setDropping', [false]);
  ids.unshift(...dropped);

  const ends = await job.product.ended(ids);
  expect(new Set(ends.map(({ actionId }) => actionId)).size).toBe(actions);
  const endOf = new Map(ends.map((end) => [end.actionId, end]));
  const signatures: string[] = [];
  for (const [at, { index, kind, target }] of plans.entries()) {
    const { status, problem, locator = null } = endOf.get(ids[at] ?? '') ?? {};
    const isGood = kind !== 'fails' && kind !== 'refused';
    expect([kind, status, problem?.detail]).toEqual([
      kind,
      isGood ? 'SUCCEEDED' : 'FAILED',
      isGood ? undefined : expect.stringContaining('invalid utf-8 sequence'),
    ]);
    // A failing transaction reaches a block only if it was not simulated before.
    if (kind !== 'fails') expect([kind, locator !== null]).toEqual([kind, isGood]);
    if (locator !== null) signatures.push(locator);
    if (kind === 'transfer') expect(await job.balanceOf(target)).toBe(least + index);
    if (kind === 'token') expect(await tokensOf(target)).toEqual([String(index + 1)]);
  }
  expect(new Set(signatures).size).toBe(signatures.length);
  const now = await executed();
  expect(now.filter((signature) => !before.has(signature)).sort()).toEqual(signatures.sort());
}, 300_000);

/** Returns every transaction of the wallets. */
async function executed(): Promise<string[]> {
  const found = await Promise.all(wallets.map(({ address }) => job.signaturesOf(address)));
  return [...new Set(found.flat())];
}
