import type { ResolvedOperation } from '@ledger-ops/adapter';
import { type SolanaProcess, startSolanaProcess } from '@ledger-ops/devnet-solana';
import { address, getAddressEncoder, getProgramDerivedAddress } from '@solana/addresses';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { planToJson } from '../src/plan.ts';
import { referenceOf } from '../src/transactions/reference.ts';
import { systemProgram, transferInstruction } from '../src/transactions/system.ts';
import { fund, furnish } from './conformance-harness.ts';
import { type Actor, ledgerOf, openActor, pendingOf, sign } from './stage.ts';

const tableProgram = 'AddressLookupTab1e1111111111111111111111111';

let ledger: SolanaProcess;
let actor: Actor;
let wallet: string;

beforeAll(async () => {
  ledger = await startSolanaProcess({ slotTime: 'on-demand', confirmed: 0, finalized: 2 });
  await furnish(ledger);
  actor = await openActor(ledgerOf([ledger.url]));
  wallet = actor.wallet.address;
  await fund(ledger, wallet, 10_000_000_000);
});
afterAll(async () => {
  await actor?.session.close();
  await ledger?.stop();
});

function call(instructions: Parameters<typeof planToJson>[0]['instructions'], more = {}): ResolvedOperation {
  const content = { instructions: planToJson({ instructions, amount: 0n }).instructions ?? [], ...more };
  return {
    type: 'contract_call',
    contract: { address: systemProgram },
    value: 0n,
    native: { technology: 'solana', content },
  };
}

async function execute(operation: ResolvedOperation, blocks = 3) {
  const main = await sign(actor, operation);
  await actor.session.submit([main]);
  await ledger.rpc('devnet_mine', [blocks]);
  const { outcomes } = await actor.session.confirm({ cursor: null, pending: pendingOf(actor, [main]) });
  return { outcome: outcomes[0], size: main.bytes.length };
}

/** Creates a lookup table. */
async function makeTable(addresses: readonly string[]): Promise<string> {
  const slot = BigInt(await ledger.rpc<number>('getSlot', [{ commitment: 'finalized' }]));
  const slotBytes = Buffer.alloc(8);
  slotBytes.writeBigUInt64LE(slot);
  const encoder = getAddressEncoder();
  const [table, bump] = await getProgramDerivedAddress({
    programAddress: address(tableProgram),
    seeds: [encoder.encode(address(wallet)), slotBytes],
  });
  const accounts = accountsOf(table);
  const create = Buffer.concat([Buffer.alloc(4), slotBytes, Buffer.of(bump)]);
  const made = { program: tableProgram, accounts, data: create.toString('base64') };
  expect(await execute(call([made]))).toMatchObject({ outcome: { status: 'succeeded' } });
  for (let start = 0; start < addresses.length; start += 20) {
    const extended = await execute(extend(table, addresses.slice(start, start + 20)));
    expect(extended).toMatchObject({ outcome: { status: 'succeeded' } });
  }
  return table;
}

function accountsOf(table: string) {
  return [
    { address: table, writable: true },
    { address: wallet, signer: true },
    { address: wallet, signer: true, writable: true },
    { address: systemProgram },
  ];
}

function extend(table: string, addresses: readonly string[]): ResolvedOperation {
  const encoder = getAddressEncoder();
  const head = Buffer.alloc(12);
  head.writeUInt32LE(2, 0);
  head.writeBigUInt64LE(BigInt(addresses.length), 4);
  const data = Buffer.concat([head, ...addresses.map((one) => Buffer.from(encoder.encode(address(one))))]);
  return call([{ program: tableProgram, accounts: accountsOf(table), data: data.toString('base64') }]);
}

test('an account in a lookup table takes one byte, so a larger transaction fits', async () => {
  const recipients = Array.from({ length: 30 }, (_, index) => referenceOf(`recipient ${index}`));
  const transfers = recipients.map((recipient) => transferInstruction(wallet, recipient, 1_000_000n));
  await expect(
    actor.session.check({ wallet: actor.wallet, operation: call(transfers) }),
  ).rejects.toMatchObject({ problem: { issues: [{ pointer: '/native/instructions' }] } });
  const table = await makeTable(recipients);
  const { outcome, size } = await execute(call(transfers, { addressLookupTables: [table] }));
  expect(outcome).toMatchObject({ status: 'succeeded' });
  expect(size).toBeLessThanOrEqual(1232);
  expect(new Set(await actor.session.balances(recipients))).toEqual(new Set([1_000_000n]));
});

test('rejects an address that is not a lookup table when the ledger is queried', async () => {
  const operation = call([transferInstruction(wallet, wallet, 1n)], { addressLookupTables: [wallet] });
  await expect(actor.session.emulate({ wallet: actor.wallet, operation })).rejects.toMatchObject({
    problem: { issues: [{ pointer: '/native/addressLookupTables/0' }] },
  });
});

test('the error for transfers through a lookup table names the account that would hold less than its rent exemption', async () => {
  const newcomers = [referenceOf('first newcomer'), referenceOf('second newcomer')];
  const table = await makeTable(newcomers);
  const [first = '', second = ''] = newcomers;
  const transfers = [transferInstruction(wallet, first, 1_000_000n), transferInstruction(wallet, second, 1n)];
  const operation = call(transfers, { addressLookupTables: [table] });
  await expect(actor.session.emulate({ wallet: actor.wallet, operation })).rejects.toMatchObject({
    code: 'reverted',
    problem: { detail: expect.stringContaining(`the account ${second}, which receives lamports`) },
  });
});

test('addresses added to a lookup table in the newest block wait for the next block', async () => {
  const recipients = Array.from({ length: 10 }, (_, index) => referenceOf(`late recipient ${index}`));
  const table = await makeTable([]);
  const transfers = recipients.map((recipient) => transferInstruction(wallet, recipient, 1_000_000n));
  const operation = call(transfers, { addressLookupTables: [table] });
  const { plan } = await actor.session.check({ wallet: actor.wallet, operation });
  const extension = await sign(actor, extend(table, recipients));
  await actor.session.submit([extension]);
  await ledger.rpc('devnet_mine', [1]);
  expect(await actor.session.estimate([{ wallet: actor.wallet, plan, minHeight: 0 }])).toMatchObject([
    { status: 'wait', problem: { detail: expect.stringContaining('can be used in the next block') } },
  ]);
  await ledger.rpc('devnet_mine', [1]);
  expect(await actor.session.estimate([{ wallet: actor.wallet, plan, minHeight: 0 }])).toMatchObject([
    { status: 'ready' },
  ]);
});

test('a deactivated lookup table can be used at first, and later the error before signing names it', async () => {
  const recipients = [referenceOf('last recipient')];
  const table = await makeTable(recipients);
  const data = Buffer.from([3, 0, 0, 0]).toString('base64');
  await execute(call([{ program: tableProgram, accounts: accountsOf(table).slice(0, 2), data }]));
  const transfers = recipients.map((recipient) => transferInstruction(wallet, recipient, 1_000_000n));
  const content = { addressLookupTables: [table], computeUnitLimit: 200_000, computeUnitPrice: 0 };
  const operation = call(transfers, content);
  expect(await execute(operation, 513)).toMatchObject({ outcome: { status: 'succeeded' } });
  const refused = {
    code: 'invalid-argument',
    issues: [
      { pointer: '/native/addressLookupTables/0', detail: expect.stringMatching(/deactivated in slot \d+/) },
    ],
  };
  // With a fixed limit and price, nothing is simulated before signing.
  const { plan } = await actor.session.check({ wallet: actor.wallet, operation });
  expect(await actor.session.prepare([{ actionId: 'late', wallet: actor.wallet, plan }])).toMatchObject([
    { status: 'failed', problem: refused },
  ]);
  await expect(actor.session.emulate({ wallet: actor.wallet, operation })).rejects.toMatchObject({
    problem: refused,
  });
});
