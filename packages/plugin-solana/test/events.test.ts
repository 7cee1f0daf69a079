// Events that a program emits by calling itself. No program of the development ledger does that, so a proxy
// adds the instruction to an executed transaction.
import { createHash } from 'node:crypto';
import { type RpcProxy, startProxy } from '@ledger-ops/devnet';
import { type SolanaProcess, startSolanaProcess } from '@ledger-ops/devnet-solana';
import { address, getProgramDerivedAddress } from '@solana/addresses';
import { getBase58Decoder } from '@solana/codecs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fund, furnish, memo, memoProgram } from './conformance-harness.ts';
import { type Actor, ledgerOf, openActor, sign } from './stage.ts';

const fields = [{ name: 'amount', type: 'u64' }];
const discriminator = [...createHash('sha256').update('event:Paid').digest().subarray(0, 8)];
const idl = JSON.stringify({
  ...{ instructions: [], events: [{ name: 'Paid', discriminator }] },
  types: [{ name: 'Paid', type: { kind: 'struct', fields } }],
});
const paid = (amount: number) => [...discriminator, amount, 0, 0, 0, 0, 0, 0, 0];
const tag = [...Buffer.from('e445a52e51cb9a1d', 'hex')];

let ledger: SolanaProcess;
let proxy: RpcProxy;
let actor: Actor;

beforeAll(async () => {
  ledger = await startSolanaProcess({ slotTime: 'on-demand', confirmed: 0, finalized: 2 });
  await furnish(ledger);
  proxy = await startProxy(ledger.url);
  actor = await openActor(ledgerOf([proxy.url]));
  await fund(ledger, actor.wallet.address, 10_000_000_000);
});
afterAll(async () => {
  await actor?.session.close();
  await proxy?.close();
  await ledger?.stop();
});

test('returns events of self-calls after the events in the log, with stable ids', async () => {
  const [authority] = await getProgramDerivedAddress({
    programAddress: address(memoProgram),
    seeds: ['__event_authority'],
  });
  proxy.setFault(async ([call], forward) => {
    if (call?.method !== 'getTransaction') return undefined;
    const answer = JSON.parse(await forward());
    const { meta, transaction } = answer.result;
    const { accountKeys, instructions } = transaction.message;
    const programIdIndex = accountKeys.indexOf(memoProgram);
    const index = instructions.findIndex(
      (one: { programIdIndex: number }) => one.programIdIndex === programIdIndex,
    );
    accountKeys.push(authority);
    const data = getBase58Decoder().decode(Buffer.from([...tag, ...paid(2)]));
    const inner = { programIdIndex, accounts: [accountKeys.length - 1], data, stackHeight: 2 };
    meta.innerInstructions = [{ index, instructions: [inner] }];
    const logged = `Program data: ${Buffer.from(paid(1)).toString('base64')}`;
    meta.logMessages = meta.logMessages.flatMap((line: string) =>
      line === `Program ${memoProgram} success` ? [logged, line] : line,
    );
    return JSON.stringify(answer);
  });
  const contract = { address: memoProgram, interface: idl };
  const { session } = actor;
  const start = await session.contractEvents?.({ contract, after: null, limit: 1 });
  await session.submit([await sign(actor, memo('Hello'))]);
  await ledger.rpc('devnet_mine', [5]);
  const after = start?.after ?? null;
  const all = await session.contractEvents?.({ contract, after, limit: 10 });
  expect(all?.events).toMatchObject([
    { name: 'Paid', args: { amount: '1' } },
    { name: 'Paid', args: { amount: '2' }, raw: { data: Buffer.from(paid(2)).toString('base64') } },
  ]);
  const first = await session.contractEvents?.({ contract, after, limit: 1 });
  const second = await session.contractEvents?.({ contract, after: first?.after ?? null, limit: 1 });
  expect([...(first?.events ?? []), ...(second?.events ?? [])]).toEqual(all?.events);
});
