import { deflateSync } from 'node:zlib';
import type { ResolvedOperation } from '@ledger-ops/adapter';
import { startProxy } from '@ledger-ops/devnet';
import { type SolanaProcess, startSolanaProcess } from '@ledger-ops/devnet-solana';
import { address, createAddressWithSeed, getProgramDerivedAddress } from '@solana/addresses';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fund, furnish, recipient, systemIdl, systemProgram } from './conformance-harness.ts';
import { type Actor, ledgerOf, openActor, pendingOf, sign } from './stage.ts';

let ledger: SolanaProcess;
let actor: Actor;

beforeAll(async () => {
  ledger = await startSolanaProcess({ slotTime: 'on-demand', confirmed: 0, finalized: 2 });
  await furnish(ledger);
  actor = await openActor(ledgerOf([ledger.url]));
  await fund(ledger, actor.wallet.address, 10_000_000_000);
});
afterAll(async () => {
  await actor?.session.close();
  await ledger?.stop();
});

const call = (args: string[], content = {}, name = 'transfer'): ResolvedOperation => ({
  type: 'contract_call',
  contract: { address: systemProgram, interface: systemIdl },
  method: { name, args },
  value: 0n,
  native: { technology: 'solana', content },
});
const check = (operation: ResolvedOperation) => actor.session.check({ wallet: actor.wallet, operation });

test('calls an instruction by name, and signs for accounts that the IDL marks as signers', async () => {
  const [before = 0n] = await actor.session.balances([recipient]);
  const main = await sign(actor, call([recipient, '77']));
  await actor.session.submit([main]);
  await ledger.rpc('devnet_mine', [3]);
  const { outcomes } = await actor.session.confirm({ cursor: null, pending: pendingOf(actor, [main]) });
  expect(outcomes).toMatchObject([{ status: 'succeeded' }]);
  expect(await actor.session.balances([recipient])).toEqual([before + 77n]);
});

test.each([
  [['1'], {}, '/args'],
  [[recipient, '-1'], {}, '/args/1'],
  [['nobody', '1'], {}, '/args/0'],
  [[recipient, '1'], { accounts: { from: recipient } }, '/native/accounts/from'],
  [[recipient, '1'], { accounts: { payer: recipient } }, '/native/accounts/payer'],
  [
    [recipient, '1'],
    { remainingAccounts: [{ address: recipient, signer: true }] },
    '/native/remainingAccounts/0/signer',
  ],
  [[recipient, '1'], { instructions: [{ program: systemProgram }] }, '/native/instructions'],
])('rejects the arguments %j with the native content %j and reports %s', async (args, content, pointer) => {
  await expect(check(call(args, content))).rejects.toMatchObject({
    code: 'invalid-argument',
    problem: { issues: [{ pointer }] },
  });
});

test('rejects an instruction that the IDL does not contain, and lists the known instructions', async () => {
  const operation = call([], {}, 'burn');
  await expect(check(operation)).rejects.toMatchObject({
    code: 'unknown-method',
    message: expect.stringMatching(/transfer/),
  });
});

/** Returns the account of an IDL, as written by `anchor idl init`. */
function published(text: string, length?: number): Buffer {
  const packed = deflateSync(text);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(length ?? packed.length);
  return Buffer.concat([Buffer.from('184662bf3a907b9e', 'hex'), Buffer.alloc(32), size, packed]);
}
const withErrors = JSON.stringify({
  ...JSON.parse(systemIdl),
  errors: [{ code: 1, name: 'TooPoor', msg: 'The account holds less.' }],
});
const named = { program: systemProgram, code: 1, name: 'TooPoor', message: 'The account holds less.' };

test.each<[string, Buffer | null, string, object | undefined]>([
  ['the error name from the IDL that the program published', published(withErrors), systemProgram, named],
  ['no error name if another program owns the IDL account', published(withErrors), recipient, undefined],
  [
    'no error name if the published IDL expands too much',
    published(' '.repeat(4_000_000)),
    systemProgram,
    undefined,
  ],
  [
    'no error name if the published IDL is truncated',
    published(withErrors).subarray(0, 60),
    systemProgram,
    undefined,
  ],
  [
    'no error name if the account declares too long an IDL',
    published(withErrors, 0xffffffff).subarray(0, 50),
    systemProgram,
    undefined,
  ],
  [
    'no error name if the published content is not an IDL',
    published('{"instructions": 1}'),
    systemProgram,
    undefined,
  ],
  ['no error name if no IDL is published', null, systemProgram, undefined],
])(
  'looks up a failed transaction of another sender with its fee, its time and %s',
  async (_, data, owner, expected) => {
    const main = await sign(
      actor,
      call([recipient, '9999999999999999'], { computeUnitLimit: 200_000, computeUnitPrice: 0 }),
    );
    await actor.session.submit([main]);
    await ledger.rpc('devnet_mine', [3]);
    const { outcomes } = await actor.session.confirm({ cursor: null, pending: pendingOf(actor, [main]) });
    const programAddress = address(systemProgram);
    const [baseAddress] = await getProgramDerivedAddress({ programAddress, seeds: [] });
    const account = await createAddressWithSeed({ baseAddress, programAddress, seed: 'anchor:idl' });
    const proxy = await startProxy(ledger.url);
    proxy.setFault(([one]) => {
      if (one?.method !== 'getAccountInfo' || one.params[0] !== account) return undefined;
      const value = data && {
        owner,
        data: [data.toString('base64'), 'base64'],
        lamports: 1,
        executable: false,
      };
      return JSON.stringify({ jsonrpc: '2.0', id: one.id, result: { context: { slot: 1 }, value } });
    });
    const { session } = await openActor(ledgerOf([proxy.url]));
    const [outcome] = outcomes;
    if (outcome?.status !== 'failed') throw new Error('It did not fail.');
    const found = await session.lookup(main.txId);
    expect(found).toMatchObject({
      ...{ status: 'FAILED', fee: outcome.fee, blockTime: outcome.blockTime },
      problem: { code: 'reverted', phase: 'lookup' },
    });
    expect(found?.problem?.data?.customError).toEqual(expected);
    await session.close();
    await proxy.close();
  },
);
