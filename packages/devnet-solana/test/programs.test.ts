import {
  AccountRole,
  type Address,
  address,
  fetchAddressesForLookupTables,
  getAddressEncoder,
  getProgramDerivedAddress,
  type KeyPairSigner,
} from '@solana/kit';
import {
  getCreateAccountInstruction,
  getTransferSolInstruction,
  SYSTEM_PROGRAM_ADDRESS,
} from '@solana-program/system';
import {
  fetchMint,
  fetchToken,
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  getInitializeMint2Instruction,
  getMintSize,
  getMintToInstruction,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeProgram, deployProgram, upgradeProgram, writeAccount } from './loader.ts';
import { openStage, type Stage, signer } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.ledger.stop());

const memoProgram = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const token2022 = address('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');

test.each([
  ['SPL Token', TOKEN_PROGRAM_ADDRESS],
  ['Token-2022', token2022],
])(
  '%s: creates a mint and token accounts, and transfers tokens between the accounts',
  async (name, program) => {
    const [payer, mint, bob] = await Promise.all([
      signer(`${name} payer`),
      signer(`${name} mint`),
      signer(`${name} bob`),
    ]);
    await stage.fund(payer.address, 5);
    const space = getMintSize();
    const rent = await stage.rpc.getMinimumBalanceForRentExemption(BigInt(space)).send();
    const ataOf = async (owner: Address) =>
      (await findAssociatedTokenPda({ mint: mint.address, owner, tokenProgram: program }))[0];
    const [mine, his] = await Promise.all([ataOf(payer.address), ataOf(bob.address)]);
    const createAta = (ata: Address, owner: Address) =>
      getCreateAssociatedTokenIdempotentInstruction({
        payer,
        ata,
        owner,
        mint: mint.address,
        tokenProgram: program,
      });
    await stage.send({
      payer,
      instructions: [
        getCreateAccountInstruction({
          payer,
          newAccount: mint,
          lamports: rent,
          space,
          programAddress: program,
        }),
        getInitializeMint2Instruction(
          { mint: mint.address, decimals: 6, mintAuthority: payer.address },
          { programAddress: program },
        ),
        createAta(mine, payer.address),
        getMintToInstruction(
          { mint: mint.address, token: mine, mintAuthority: payer, amount: 1_500_000n },
          { programAddress: program },
        ),
      ],
    });
    const { signature } = await stage.send({
      payer,
      instructions: [
        createAta(his, bob.address),
        getTransferCheckedInstruction(
          {
            source: mine,
            mint: mint.address,
            destination: his,
            authority: payer,
            amount: 250_000n,
            decimals: 6,
          },
          { programAddress: program },
        ),
      ],
    });
    const config = { commitment: 'confirmed' } as const;
    if (program === TOKEN_PROGRAM_ADDRESS) {
      expect((await fetchToken(stage.rpc, his, config)).data.amount).toBe(250_000n);
      expect((await fetchMint(stage.rpc, mint.address, config)).data.supply).toBe(1_500_000n);
    }
    const balance = (await stage.rpc.getTokenAccountBalance(his, config).send()).value;
    expect(balance).toEqual({ amount: '250000', decimals: 6, uiAmount: 0.25, uiAmountString: '0.25' });
    expect((await stage.rpc.getTokenSupply(mint.address, config).send()).value.uiAmountString).toBe('1.5');
    const owned = await stage.rpc
      .getTokenAccountsByOwner(bob.address, { mint: mint.address }, { ...config, encoding: 'jsonParsed' })
      .send();
    expect(owned.value.map(({ pubkey }) => pubkey)).toEqual([his]);
    expect(owned.value[0]?.account.data.parsed.info.tokenAmount.amount).toBe('250000');

    const found = await stage.rpc
      .getTransaction(signature, { ...config, encoding: 'json', maxSupportedTransactionVersion: 0 })
      .send();
    const amounts = (
      balances: readonly { owner?: Address; uiTokenAmount: { amount: string } }[] | undefined,
    ) => Object.fromEntries((balances ?? []).map((one) => [one.owner, one.uiTokenAmount.amount]));
    expect(amounts(found?.meta?.preTokenBalances)).toEqual({ [payer.address]: '1500000' });
    expect(amounts(found?.meta?.postTokenBalances)).toEqual({
      [payer.address]: '1250000',
      [bob.address]: '250000',
    });
    // The creation of the account calls the token program and the system program.
    expect(found?.meta?.innerInstructions?.[0]?.instructions.length).toBeGreaterThan(1);

    const accounts = await stage.rpc
      .getProgramAccounts(program, {
        ...config,
        encoding: 'base64',
        filters: [{ memcmp: { offset: 0n, bytes: mint.address as never, encoding: 'base58' } }],
      })
      .send();
    expect(accounts.map(({ pubkey }) => pubkey).sort()).toEqual([mine, his].sort());
  },
);

test('creates, extends and uses an address lookup table in a version 0 transaction', async () => {
  const [payer, bob] = await Promise.all([signer('table payer'), signer('table bob')]);
  await stage.fund(payer.address, 2);
  const programAddress = address('AddressLookupTab1e1111111111111111111111111');
  const recentSlot = await stage.rpc.getSlot({ commitment: 'finalized' }).send();
  const slotBytes = Buffer.alloc(8);
  slotBytes.writeBigUInt64LE(recentSlot);
  const [table, bump] = await getProgramDerivedAddress({
    programAddress,
    seeds: [getAddressEncoder().encode(payer.address), slotBytes],
  });
  const create = Buffer.concat([Buffer.alloc(4), slotBytes, Buffer.from([bump])]);
  const extend = Buffer.concat([
    Buffer.from([2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]),
    Buffer.from(getAddressEncoder().encode(bob.address)),
  ]);
  const accounts = [
    writeAccount(table),
    { address: payer.address, role: AccountRole.READONLY_SIGNER, signer: payer },
    { address: payer.address, role: AccountRole.WRITABLE_SIGNER, signer: payer },
    { address: SYSTEM_PROGRAM_ADDRESS, role: AccountRole.READONLY },
  ];
  await stage.send({
    payer,
    instructions: [
      { programAddress, accounts, data: create },
      { programAddress, accounts, data: extend },
    ],
  });
  await stage.ledger.rpc('devnet_mine');
  const tables = await fetchAddressesForLookupTables([table], stage.rpc, { commitment: 'confirmed' });
  expect(tables).toEqual({ [table]: [bob.address] });
  const { signature } = await stage.send({
    payer,
    tables,
    instructions: [
      getTransferSolInstruction({ source: payer, destination: bob.address, amount: 3_000_000n }),
    ],
  });
  expect(await stage.balance(bob.address)).toBe(3_000_000n);
  const config = { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0 } as const;
  const found = await stage.rpc.getTransaction(signature, config).send();
  expect(found?.meta?.loadedAddresses).toEqual({ writable: [bob.address], readonly: [] });
  expect(found?.transaction.message.accountKeys).not.toContain(bob.address);
  expect(found?.meta?.postBalances).toHaveLength(3);
});

const memo = (text: string, payer: KeyPairSigner, programAddress: Address = memoProgram) => ({
  payer,
  instructions: [{ programAddress, data: Buffer.from(text) }],
});

test("a memo is in the transaction's logs and in the result of getSignaturesForAddress", async () => {
  const payer = await signer('memo payer');
  await stage.fund(payer.address, 1);
  const { signature } = await stage.send(memo('good morning', payer));
  const config = { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0 } as const;
  const found = await stage.rpc.getTransaction(signature, config).send();
  expect(found?.meta?.logMessages?.join('\n')).toContain('good morning');
  const [listed] = await stage.rpc.getSignaturesForAddress(memoProgram, { commitment: 'confirmed' }).send();
  expect(listed?.memo).toBe('[12] good morning');
});

test("a program is written in chunks, deployed, executed, upgraded and closed with the loader's instructions", async () => {
  const [payer, program, buffer] = await Promise.all([
    signer('deploy payer'),
    signer('deploy program'),
    signer('deploy buffer'),
  ]);
  await stage.fund(payer.address, 10);
  const [encoded] = (await stage.rpc.getAccountInfo(memoProgram, { encoding: 'base64' }).send()).value
    ?.data ?? [''];
  const elf = Buffer.from(encoded, 'base64');
  const { transactions, programData } = await deployProgram(stage, { payer, program, buffer, elf });
  expect(transactions).toBeGreaterThan(3);
  const account = (await stage.rpc.getAccountInfo(program.address, { encoding: 'base64' }).send()).value;
  expect(account).toMatchObject({ executable: true, owner: 'BPFLoaderUpgradeab1e11111111111111111111111' });
  const { signature } = await stage.send(memo('from a program of my own', payer, program.address));
  const config = { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0 } as const;
  const found = await stage.rpc.getTransaction(signature, config).send();
  expect(found?.meta?.logMessages?.join('\n')).toContain('from a program of my own');

  const next = { payer, program, buffer: await signer('upgrade buffer'), elf };
  await upgradeProgram(stage, next);
  expect((await stage.send(memo('still here', payer, program.address))).err).toBeNull();
  await stage.ledger.rpc('devnet_mine', [3]);
  await stage.send({ payer, instructions: [closeProgram(payer, program, programData)] });
  expect(await stage.balance(programData)).toBe(0n);
  const after = await stage.send(memo('nobody', payer, program.address), { skipPreflight: true });
  expect(after.err).not.toBeNull();
});

test('a deployment removed by a fork can be repeated', async () => {
  const staged = await openStage({ finalized: 50 });
  try {
    const [payer, program] = await Promise.all([signer('again payer'), signer('again program')]);
    await staged.fund(payer.address, 10);
    const [encoded] = (await staged.rpc.getAccountInfo(memoProgram, { encoding: 'base64' }).send()).value
      ?.data ?? [''];
    const elf = Buffer.from(encoded, 'base64');
    const deploy = async (name: string) =>
      deployProgram(staged, { payer, program, buffer: await signer(name), elf });
    const say = () => staged.send(memo('again', payer, program.address), { skipPreflight: true });
    const { transactions } = await deploy('first buffer');
    expect((await say()).err).toBeNull();
    await staged.ledger.rpc('devnet_fork', [transactions + 1]);
    expect((await say()).err).toBe('ProgramAccountNotFound');
    await deploy('second buffer');
    expect((await say()).err).toBeNull();
  } finally {
    await staged.ledger.stop();
  }
});
