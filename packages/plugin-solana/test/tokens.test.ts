import { readFileSync } from 'node:fs';
import type { ResolvedOperation } from '@ledger-ops/adapter';
import { type SolanaProcess, startSolanaProcess } from '@ledger-ops/devnet-solana';
import { address, createAddressWithSeed } from '@solana/addresses';
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

test('the interfaces of both token programs are equal except for the program and the errors of extensions', () => {
  const first = JSON.parse(idlOf('spl-token'));
  const second = JSON.parse(idlOf('spl-token-2022'));
  const plain = (idl: typeof first) =>
    JSON.stringify({ ...idl, address: '', metadata: '', errors: idl.errors.slice(0, 20) }).replaceAll(
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

  test('mints and transfers tokens by mint and owner, and creates missing token accounts', async () => {
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

  test('the estimated cost includes rent for a new token account, but not for an existing one', async () => {
    const costOf = async (owner: string) => {
      const operation = call('transferChecked', [mint, `${owner}/${mint}`, '1', '6']);
      const { plan } = await actor.session.check({ wallet: actor.wallet, operation });
      const [estimated] = await actor.session.estimate([{ wallet: actor.wallet, plan, minHeight: 0 }]);
      return estimated?.status === 'ready' ? (estimated.cost ?? 0n) : 0n;
    };
    expect(await costOf('4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM')).toBeGreaterThan(2_039_280n);
    const existing = await costOf(recipient);
    expect(existing).toBeGreaterThanOrEqual(5_000n);
    expect(existing).toBeLessThan(200_000n);
  });

  test('reports a program’s error by name and message in a simulation and in a block', async () => {
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

  test('a session that did not check the call reports a program’s error by the same name', async () => {
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
      // After a restart, the host sends the transaction again. Until then there is no outcome, because the
      // error's name is missing.
      expect((await session.confirm(request)).outcomes).toEqual([]);
      await session.submit([main]);
      expect((await session.confirm(request)).outcomes).toEqual([outcome]);
    } finally {
      await session.close();
    }
  });

  test('an estimate in another session names a program’s error from the IDL in the plan', async () => {
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

  test('an IDL that another caller submitted is not used to name errors', async () => {
    const foreign = idl.replaceAll('InsufficientFunds', 'SendThemToMe');
    const tooMany = (text: string) =>
      call('transferChecked', [mint, `${recipient}/${mint}`, '100000', '6'], {}, text);
    const { plan } = await actor.session.check({ wallet: actor.wallet, operation: tooMany(idl) });
    await actor.session.check({ wallet: actor.wallet, operation: tooMany(foreign) });
    expect(await actor.session.estimate([{ wallet: actor.wallet, plan, minHeight: 0 }])).toMatchObject([
      { problem: { detail: expect.stringMatching(/InsufficientFunds/) } },
    ]);
  });

  test('rejects an address that is not an account of the owner, and reports its pointer', async () => {
    const operation = call('transferChecked', [mint, `${recipient}/nothing`, '1', '6']);
    await expect(actor.session.check({ wallet: actor.wallet, operation })).rejects.toMatchObject({
      problem: { issues: [{ pointer: '/args/1' }] },
    });
  });
});

describe('a mint of Token-2022 with a transfer fee', () => {
  const token = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
  const token2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
  let mint: string;

  const call = (method: string, args: string[], program = token2022): ResolvedOperation => ({
    type: 'contract_call',
    contract: { address: program, interface: idlOf(program === token ? 'spl-token' : 'spl-token-2022') },
    method: { name: method, args },
    value: 0n,
    native: { technology: 'solana', content: {} },
  });
  const given = (instructions: Parameters<typeof planToJson>[0]['instructions']): ResolvedOperation => ({
    type: 'contract_call',
    contract: { address: systemProgram },
    value: 0n,
    native: {
      technology: 'solana',
      content: { instructions: planToJson({ instructions, amount: 0n }).instructions ?? [] },
    },
  });
  const tokensOf = async (owner: string) => {
    const { value } = await ledger.rpc<{
      value: { account: { data: { parsed: { info: { tokenAmount: { amount: string } } } } } }[];
    }>('getTokenAccountsByOwner', [owner, { mint }, { encoding: 'jsonParsed', commitment: 'confirmed' }]);
    return value.map(({ account }) => account.data.parsed.info.tokenAmount.amount);
  };

  /** Creates a mint with a transfer fee of 1.5 %, at most 2,000 in the smallest unit. */
  beforeAll(async () => {
    const seed = 'fee mint';
    mint = await createAddressWithSeed({
      baseAddress: address(wallet),
      programAddress: address(token2022),
      seed,
    });
    const create = createWithSeedInstruction({
      ...{ payer: wallet, account: mint, seed, owner: token2022, lamports: 10_000_000n, space: 278 },
    });
    // TransferFeeExtension, InitializeTransferFeeConfig, without authorities.
    const data = Buffer.alloc(14);
    data.set([26, 0, 0, 0]);
    data.writeUInt16LE(150, 4);
    data.writeBigUInt64LE(2_000n, 6);
    const withFee = {
      ...{ program: token2022, accounts: [{ address: mint, writable: true }] },
      data: data.toString('base64'),
    };
    expect(await execute(given([create, withFee]))).toMatchObject({ status: 'succeeded' });
    const made = await execute(call('initializeMint2', [mint, '3', wallet, 'null']));
    expect(made).toMatchObject({ status: 'succeeded' });
    const minted = await execute(call('mintToChecked', [mint, `${wallet}/${mint}`, '10000000', '3']));
    expect(minted).toMatchObject({ status: 'succeeded' });
  });

  test.each([
    ['10000', '9850', 'a transfer fee of 0.15, so the recipient gets 9.85 of 10'],
    ['1000000', '998000', 'a transfer fee of 2, so the recipient gets 998 of 1000'],
    ['1', '0', 'a transfer fee of 0.001, so the recipient gets 0 of 0.001'],
  ])('emulating a transfer of the amount %s warns that %s arrives', async (amount, arrives, words) => {
    const operation = call('transferChecked', [mint, `${recipient}/${mint}`, amount, '3']);
    const before = BigInt((await tokensOf(recipient))[0] ?? 0);
    const emulated = await actor.session.emulate({ wallet: actor.wallet, operation });
    expect(emulated.warnings).toEqual([`The mint ${mint} withholds ${words}.`]);
    expect(await execute(operation)).toMatchObject({ status: 'succeeded' });
    expect(BigInt((await tokensOf(recipient))[0] ?? 0) - before).toBe(BigInt(arrives));
  });

  test('a call to the wrong token program fails, and the problem names the token program of the mint', async () => {
    const operation = call('transferChecked', [mint, `${recipient}/${mint}`, '1', '3'], token);
    const detail = expect.stringContaining(
      `The account ${mint} belongs to the token program ${token2022}, but the operation uses ${token}`,
    );
    await expect(actor.session.emulate({ wallet: actor.wallet, operation })).rejects.toMatchObject({
      code: 'reverted',
      problem: { detail },
    });
    const { plan } = await actor.session.check({ wallet: actor.wallet, operation });
    const estimated = await actor.session.estimate([{ wallet: actor.wallet, plan, minHeight: 0 }]);
    expect(estimated).toMatchObject([{ status: 'failed', problem: { code: 'reverted', detail } }]);
  });

  test('errors of Token-2022 extensions are reported by their names', async () => {
    // The transfer does not name the mint.
    const source = await accountOf(wallet);
    const data = Buffer.concat([Buffer.of(3), Buffer.alloc(8)]);
    const operation: ResolvedOperation = {
      type: 'contract_call',
      value: 0n,
      method: { name: 'plain', args: [] },
      native: { technology: 'solana', content: {} },
      contract: {
        address: token2022,
        interface: JSON.stringify({
          ...JSON.parse(idlOf('spl-token-2022')),
          instructions: [
            {
              name: 'plain',
              discriminator: [...data],
              accounts: [
                { name: 'source', writable: true, address: source },
                { name: 'destination', writable: true, address: source },
                { name: 'authority', signer: true },
              ],
              args: [],
            },
          ],
        }),
      },
    };
    await expect(actor.session.emulate({ wallet: actor.wallet, operation })).rejects.toMatchObject({
      problem: {
        detail: expect.stringMatching(/failed with MintRequiredForTransfer: [^.]*\.$/),
        data: { customError: { code: 31, name: 'MintRequiredForTransfer' } },
      },
    });
  });

  async function accountOf(owner: string): Promise<string> {
    const { value } = await ledger.rpc<{ value: { pubkey: string }[] }>('getTokenAccountsByOwner', [
      owner,
      { mint },
      { encoding: 'base64', commitment: 'confirmed' },
    ]);
    return value[0]?.pubkey ?? '';
  }
});
