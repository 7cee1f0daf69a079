// Transactions that several wallets sign, and fees that another wallet pays, executed by the real runtime.
import { readFileSync } from 'node:fs';
import type { JsonObject, ResolvedOperation, WalletIdentity } from '@ledger-ops/adapter';
import { createTestSigner, prepareAndSign, type TestSigner } from '@ledger-ops/adapter-kit/conformance';
import { type SolanaProcess, startSolanaProcess } from '@ledger-ops/devnet-solana';
import { address, createAddressWithSeed, getAddressDecoder } from '@solana/addresses';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { planToJson } from '../src/plan.ts';
import { createWithSeedInstruction } from '../src/transactions/system.ts';
import { fund, furnish, memo, memoProgram, recipient, transferOf } from './conformance-harness.ts';
import { type Actor, ledgerOf, openActor, pendingOf } from './stage.ts';

const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const idl = readFileSync(new URL('../idl/spl-token.json', import.meta.url), 'utf8');

interface Other extends WalletIdentity {
  signer: TestSigner;
}

let ledger: SolanaProcess;
let actor: Actor;
let wallet: string;
let payer: Other;
let second: Other;

async function openOther(lamports: number): Promise<Other> {
  const signer = createTestSigner('ed25519');
  const other = { address: getAddressDecoder().decode(signer.publicKey), signer };
  if (lamports > 0) await fund(ledger, other.address, lamports);
  return other;
}

beforeAll(async () => {
  ledger = await startSolanaProcess({ slotTime: 'on-demand', confirmed: 0, finalized: 2 });
  await furnish(ledger);
  actor = await openActor(ledgerOf([ledger.url]));
  wallet = actor.wallet.address;
  await fund(ledger, wallet, 10_000_000_000);
  [payer, second] = [await openOther(1_000_000_000), await openOther(0)];
});
afterAll(async () => {
  await actor?.session.close();
  await ledger?.stop();
});

const identityOf = ({ address }: Other): WalletIdentity => ({ address });
const balanceOf = async (account: string) =>
  (await ledger.rpc<{ value: number }>('getBalance', [account, { commitment: 'confirmed' }])).value;

/** Signs like the host, with the key of each requested signer. */
async function execute(operation: ResolvedOperation, others: readonly Other[]) {
  const { session, signer } = actor;
  const named = { others: others.map(identityOf) };
  const checked = await session.check({ wallet: actor.wallet, ...named, operation });
  const [estimated] = await session.estimate([{ wallet: actor.wallet, plan: checked.plan, minHeight: 0 }]);
  if (estimated?.status !== 'ready')
    throw new Error(`The estimate is not ready: ${JSON.stringify(estimated)}`);
  const request = { actionId: crypto.randomUUID(), wallet: actor.wallet, ...named, plan: estimated.plan };
  const asked: string[] = [];
  const [main] = await prepareAndSign(session, request, ({ signer: name, ...one }) => {
    asked.push(name ?? wallet);
    const key = name === undefined ? signer : others.find((other) => other.address === name)?.signer;
    if (key === undefined) throw new Error(`No wallet is named ${name}.`);
    return key.sign(one);
  });
  if (main === undefined) throw new Error('Nothing was prepared.');
  await session.submit([main]);
  await ledger.rpc('devnet_mine', [3]);
  const { outcomes } = await session.confirm({ cursor: null, pending: pendingOf(actor, [main]) });
  return { checked, main, asked, outcome: outcomes[0], cost: estimated.cost };
}

test('another wallet pays the fee of a transfer, and the sender pays only the transferred lamports', async () => {
  const before = { wallet: await balanceOf(wallet), payer: await balanceOf(payer.address) };
  const operation = {
    ...transferOf(recipient, 7_000n),
    native: { technology: 'solana', content: { feePayer: payer.address, computeUnitPrice: 1_000 } },
  };
  const { checked, main, asked, outcome, cost } = await execute(operation, [payer]);
  expect(outcome).toMatchObject({ status: 'succeeded', txId: main.txId });
  expect(asked).toEqual([payer.address, wallet]);
  const fee = before.payer - (await balanceOf(payer.address));
  expect(outcome?.status === 'succeeded' && outcome.fee).toBe(BigInt(fee));
  expect(fee).toBeGreaterThan(10_000);
  expect([before.wallet - (await balanceOf(wallet)), checked.cost, cost, main.cost]).toEqual([
    ...[7_000, 7_000n, 7_000n, 7_000n],
  ]);
  expect(checked.costs).toEqual([{ address: payer.address, amount: 10_000n }]);
});

test('a call moves tokens of a second wallet if both wallets sign', async () => {
  const mint = await createAddressWithSeed({
    ...{ baseAddress: address(wallet), programAddress: address(tokenProgram), seed: 'mint' },
  });
  const create = createWithSeedInstruction({
    ...{ payer: wallet, account: mint, seed: 'mint', owner: tokenProgram },
    ...{ lamports: 10_000_000n, space: 82 },
  });
  const { instructions = [] } = planToJson({ instructions: [create], amount: 0n });
  const call = (method: string, args: string[], content: JsonObject = {}): ResolvedOperation => ({
    type: 'contract_call',
    contract: { address: tokenProgram, interface: idl },
    method: { name: method, args },
    ...{ value: 0n, native: { technology: 'solana', content } },
  });
  const steps = [
    { ...call('', []), native: { technology: 'solana', content: { instructions } } },
    call('initializeMint2', [mint, '2', wallet, 'null']),
    call('mintToChecked', [mint, `${second.address}/${mint}`, '1000', '2']),
  ];
  for (const step of steps) expect((await execute(step, [])).outcome).toMatchObject({ status: 'succeeded' });

  const args = [mint, `${recipient}/${mint}`, '250', '2'];
  const accounts = { authority: second.address, source: `${second.address}/${mint}` };
  const alone = call('transferChecked', args, { accounts });
  await expect(execute(alone, [])).rejects.toMatchObject({
    ...{ code: 'invalid-argument', problem: { issues: [{ pointer: '/native/accounts/authority' }] } },
  });
  const together = call('transferChecked', args, {
    accounts,
    signers: [second.address],
    feePayer: payer.address,
  });
  const before = await balanceOf(second.address);
  // The wallet signs for the token account that is created.
  const { asked, outcome } = await execute(together, [payer, second]);
  expect(outcome).toMatchObject({ status: 'succeeded' });
  expect(asked.toSorted()).toEqual([wallet, payer.address, second.address].toSorted());
  expect(asked[0]).toBe(payer.address);
  expect(await balanceOf(second.address)).toBe(before);
});

test('rejects a co-signer that signs nothing or is unknown, and reports the JSON pointer', async () => {
  const signing = (one: string) => ({ address: one, signer: true });
  const say = (accounts: string[], content: JsonObject) =>
    memo('Hello', {
      instructions: [{ program: memoProgram, data: 'SGVsbG8=', accounts: accounts.map(signing) }],
      ...content,
    });
  const cases: [ResolvedOperation, Other[], string][] = [
    [say([wallet, second.address], {}), [], '/native/instructions/0/accounts/1/signer'],
    [say([wallet, second.address], { signers: [second.address] }), [], '/native/signers/0'],
    [say([wallet], { signers: [second.address] }), [second], '/native/signers/0'],
    [say([wallet], { feePayer: payer.address }), [second], '/native/feePayer'],
    [say([], { feePayer: payer.address }), [payer], '/native/feePayer'],
  ];
  for (const [operation, others, pointer] of cases) {
    await expect(execute(operation, others)).rejects.toMatchObject({
      ...{ code: 'invalid-argument', problem: { issues: [{ pointer }] } },
    });
  }
  // Naming the sender as the fee payer has no effect.
  const { asked, checked } = await execute(say([wallet], { feePayer: wallet }), []);
  expect([asked, checked.costs]).toEqual([[wallet], undefined]);
});

test('rejects a co-signature of the wrong wallet', async () => {
  const { session, signer } = actor;
  const operation = {
    ...transferOf(recipient),
    native: {
      technology: 'solana',
      content: { feePayer: payer.address, computeUnitLimit: 1_000, computeUnitPrice: 0 },
    },
  };
  const named = { wallet: actor.wallet, others: [identityOf(payer)] };
  const { plan } = await session.check({ ...named, operation });
  const prepared = prepareAndSign(session, { actionId: 'a', ...named, plan }, ({ signer: _asked, ...one }) =>
    signer.sign(one),
  );
  await expect(prepared).rejects.toMatchObject({ code: 'invalid-argument' });
});
