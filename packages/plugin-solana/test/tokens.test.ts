import { readFileSync } from 'node:fs';
import type { ResolvedOperation } from '@ledger-ops/adapter';
import { type SolanaProcess, startSolanaProcess } from '@ledger-ops/devnet-solana';
import { address, createAddressWithSeed } from '@solana/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { planToJson } from '../src/plan.ts';
import { createWithSeedInstruction, systemProgram } from '../src/transactions/system.ts';
import { fund, furnish, recipient } from './conformance-harness.ts';
import { type Actor, ledgerOf, openActor, pendingOf, sign } from './stage.ts';

const idlOf = (name: string) => readFileSync(new URL(`../idl/${name}.json`, import.meta.url), 'utf8');
const mintSize = 82;

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

async function execute(operation: ResolvedOperation) {
  const main = await sign(actor, operation);
  await actor.session.submit([main]);
  await ledger.rpc('devnet_mine', [3]);
  const { outcomes } = await actor.session.confirm({ cursor: null, pending: pendingOf(actor, [main]) });
  return outcomes[0];
}

test('the interfaces of both token programs differ in nothing but the program', () => {
  const first = JSON.parse(idlOf('spl-token'));
  const second = JSON.parse(idlOf('spl-token-2022'));
  const plain = (idl: typeof first) =>
    JSON.stringify({ ...idl, address: '', metadata: '' }).replaceAll(
      JSON.stringify(idl.instructions[0].accounts[0].pda.seeds[1].value),
      '[]',
    );
  expect(plain(second)).toBe(plain(first));
});

describe.each([
  ['spl-token', 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'],
  ['spl-token-2022', 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'],
])('tokens of %s', (name, program) => {
  const idl = idlOf(name);
  let mint: string;

  const call = (method: string, args: string[], content = {}, text = idl): ResolvedOperation => ({
    type: 'contract_call',
    contract: { address: program, interface: text },
    method: { name: method, args },
    value: 0n,
    native: { technology: 'solana', content },
  });
  const balanceOf = async (owner: string) => {
    const { value } = await ledger.rpc<{
      value: { account: { data: { parsed: { info: { tokenAmount: { amount: string } } } } } }[];
    }>('getTokenAccountsByOwner', [owner, { mint }, { encoding: 'jsonParsed', commitment: 'confirmed' }]);
    return value.map(({ account }) => account.data.parsed.info.tokenAmount.amount);
  };

  beforeAll(async () => {
    mint = await createAddressWithSeed({
      baseAddress: address(wallet),
      programAddress: address(program),
      seed: 'mint',
    });
    const create = createWithSeedInstruction({
      ...{ payer: wallet, account: mint, seed: 'mint', owner: program },
      ...{ lamports: 10_000_000n, space: mintSize },
    });
    const { instructions = [] } = planToJson({ instructions: [create], amount: 0n });
    const made = await execute({
      type: 'contract_call',
      contract: { address: systemProgram },
      value: 0n,
      native: { technology: 'solana', content: { instructions } },
    });
    expect(made).toMatchObject({ status: 'succeeded' });
    expect(await execute(call('initializeMint2', [mint, '6', wallet, 'null']))).toMatchObject({
      status: 'succeeded',
    });
  });

  test('are minted and transferred by mint and owner, into accounts that are made', async () => {
    const minted = await execute(call('mintToChecked', [mint, `${wallet}/${mint}`, '1000', '6']));
    expect(minted).toMatchObject({ status: 'succeeded' });
    expect(await balanceOf(wallet)).toEqual(['1000']);
    for (const left of ['900', '800']) {
      const sent = await execute(call('transferChecked', [mint, `${recipient}/${mint}`, '100', '6']));
      expect(sent).toMatchObject({ status: 'succeeded' });
      expect(await balanceOf(wallet)).toEqual([left]);
    }
    expect(await balanceOf(recipient)).toEqual(['200']);
    expect(await execute(call('burnChecked', [mint, '1', '6']))).toMatchObject({ status: 'succeeded' });
    expect(await balanceOf(wallet)).toEqual(['799']);
  });

  test('an error of the program is told by its name and its message, played and in a block', async () => {
    const tooMany = (content = {}) =>
      call('transferChecked', [mint, `${recipient}/${mint}`, '100000', '6'], content);
    const customError = { program, code: 1, name: 'InsufficientFunds', message: 'Insufficient funds' };
    const said = {
      code: 'reverted',
      detail: expect.stringMatching(/InsufficientFunds: Insufficient funds/),
      data: { customError },
    };
    const operation = tooMany();
    await expect(actor.session.emulate({ wallet: actor.wallet, operation })).rejects.toMatchObject({
      problem: said,
    });
    const fixed = { computeUnitLimit: 200_000, computeUnitPrice: 0 };
    expect(await execute(tooMany(fixed))).toMatchObject({ status: 'failed', problem: said });
  });

  test('an error of the program is told alike by a session that did not check the call', async () => {
    const fixed = { computeUnitLimit: 200_000, computeUnitPrice: 0 };
    const operation = call('transferChecked', [mint, `${recipient}/${mint}`, '100000', '6'], fixed);
    const main = await sign(actor, operation);
    await actor.session.submit([main]);
    await ledger.rpc('devnet_mine', [3]);
    const request = { cursor: null, pending: pendingOf(actor, [main]) };
    const [outcome] = (await actor.session.confirm(request)).outcomes;
    expect(outcome).toMatchObject({ problem: { detail: expect.stringMatching(/InsufficientFunds/) } });

    const { session } = await openActor(ledgerOf([ledger.url]));
    try {
      // The host sends again after a restart; until then nothing is said that would have to be said otherwise.
      expect((await session.confirm(request)).outcomes).toEqual([]);
      await session.submit([main]);
      expect((await session.confirm(request)).outcomes).toEqual([outcome]);
    } finally {
      await session.close();
    }
  });

  test('an estimate names the error of a plan that another session made', async () => {
    const operation = call('transferChecked', [mint, `${recipient}/${mint}`, '100000', '6']);
    const { plan } = await actor.session.check({ wallet: actor.wallet, operation });
    const { session } = await openActor(ledgerOf([ledger.url]));
    try {
      expect(await session.estimate([{ wallet: actor.wallet, plan, minHeight: 0 }])).toMatchObject([
        { status: 'failed', problem: { detail: expect.stringMatching(/InsufficientFunds/) } },
      ]);
    } finally {
      await session.close();
    }
  });

  test("an error has no name that another caller's interface gives it", async () => {
    const foreign = idl.replaceAll('InsufficientFunds', 'SendThemToMe');
    const tooMany = (text: string) =>
      call('transferChecked', [mint, `${recipient}/${mint}`, '100000', '6'], {}, text);
    const { plan } = await actor.session.check({ wallet: actor.wallet, operation: tooMany(idl) });
    await actor.session.check({ wallet: actor.wallet, operation: tooMany(foreign) });
    expect(await actor.session.estimate([{ wallet: actor.wallet, plan, minHeight: 0 }])).toMatchObject([
      { problem: { detail: expect.stringMatching(/InsufficientFunds/) } },
    ]);
  });

  test('what is no account of an owner is refused where it stands', async () => {
    const operation = call('transferChecked', [mint, `${recipient}/nothing`, '1', '6']);
    await expect(actor.session.check({ wallet: actor.wallet, operation })).rejects.toMatchObject({
      problem: { issues: [{ pointer: '/args/1' }] },
    });
  });
});
