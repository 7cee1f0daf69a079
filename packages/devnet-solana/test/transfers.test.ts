import { getTransferSolInstruction } from '@solana-program/system';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { failureOf, openStage, type Stage, signer } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.ledger.stop());

async function pair(name: string) {
  const [from, to] = await Promise.all([signer(`${name}-from`), signer(`${name}-to`)]);
  await stage.fund(from.address, 2);
  const transfer = (amount: bigint) => [
    getTransferSolInstruction({ source: from, destination: to.address, amount }),
  ];
  return { from, to, transfer };
}

test("a transfer moves lamports, costs its fee, and is returned in a validator's format", async () => {
  const { from, to, transfer } = await pair('transfer');
  const { signature, slot } = await stage.send({ payer: from, instructions: transfer(500_000_000n) });
  expect(await stage.balance(from.address)).toBe(1_499_995_000n);
  expect(await stage.balance(to.address)).toBe(500_000_000n);
  const config = { maxSupportedTransactionVersion: 0, encoding: 'json', commitment: 'confirmed' } as const;
  const found = await stage.rpc.getTransaction(signature, config).send();
  expect(found).toMatchObject({
    slot,
    version: 0,
    meta: {
      err: null,
      fee: 5000n,
      preBalances: [2_000_000_000n, 0n, 1n],
      postBalances: [1_499_995_000n, 500_000_000n, 1n],
      logMessages: [
        'Program 11111111111111111111111111111111 invoke [1]',
        'Program 11111111111111111111111111111111 success',
      ],
      loadedAddresses: { writable: [], readonly: [] },
      computeUnitsConsumed: 150n,
    },
  });
  expect(found?.transaction.signatures).toEqual([signature]);
  const asked = stage.rpc.getTransaction(signature, { encoding: 'json', commitment: 'confirmed' }).send();
  expect((await failureOf(asked)).message).toContain('version');
  const statements = await stage.rpc.getSignaturesForAddress(to.address, { commitment: 'confirmed' }).send();
  expect(statements.map((one) => one.signature)).toEqual([signature]);
});

test('preflight refuses repeated bytes, and repeated bytes without preflight are executed only once', async () => {
  const { from, to, transfer } = await pair('again');
  const { wire, signature } = await stage.send({ payer: from, instructions: transfer(10_000_000n) });
  const failure = await failureOf(stage.submit(wire));
  expect(failure.context).toMatchObject({ logs: [], unitsConsumed: 0n });
  const plain = await stage.ledger.rpc('sendTransaction', [wire, { encoding: 'base64' }]).catch(String);
  // The client requests the commitment `confirmed`; the default is `finalized`.
  expect(plain).toContain('Blockhash not found');
  const again = { encoding: 'base64', preflightCommitment: 'confirmed' };
  expect(await stage.ledger.rpc('sendTransaction', [wire, again]).catch(String)).toContain(
    'This transaction has already been processed',
  );
  expect(await stage.submit(wire, { skipPreflight: true })).toBe(signature);
  await stage.ledger.rpc('devnet_mine', [2]);
  expect(await stage.balance(to.address)).toBe(10_000_000n);
});

test("does not send a transaction that fails preflight, and returns the program's logs", async () => {
  const { from, transfer } = await pair('preflight');
  const { wire, signature } = await stage.make({ payer: from, instructions: transfer(5_000_000_000n) });
  const failure = await failureOf(stage.submit(wire));
  expect(failure).toMatchObject({
    context: {
      logs: [
        'Program 11111111111111111111111111111111 invoke [1]',
        'Transfer: insufficient lamports 1999995000, need 5000000000',
        'Program 11111111111111111111111111111111 failed: custom program error: 0x1',
      ],
      unitsConsumed: 150n,
    },
    cause: { context: { code: 1, index: 0 } },
  });
  await stage.ledger.rpc('devnet_mine');
  expect(await stage.status(signature)).toBeNull();
  const { value } = await stage.rpc.simulateTransaction(wire, { encoding: 'base64', sigVerify: true }).send();
  expect(value.err).toEqual({ InstructionError: [0n, { Custom: 1n }] });
  expect(await stage.balance(from.address)).toBe(2_000_000_000n);
});

test('a transaction that fails in a block is stored with its error and pays its fee', async () => {
  const { from, transfer } = await pair('failed');
  const sent = await stage.send(
    { payer: from, instructions: transfer(5_000_000_000n) },
    { skipPreflight: true },
  );
  expect(sent.err).toEqual({ InstructionError: [0n, { Custom: 1n }] });
  expect(await stage.balance(from.address)).toBe(1_999_995_000n);
});

test('a transaction that calls a missing program pays its fee', async () => {
  const { from } = await pair('missing');
  const { address: programAddress } = await signer('no program');
  const making = { payer: from, instructions: [{ programAddress, data: new Uint8Array([1]) }] };
  const { wire } = await stage.make(making);
  expect((await failureOf(stage.submit(wire))).message).toContain('simulation failed');
  const sent = await stage.send(making, { skipPreflight: true });
  expect(sent.err).toBe('ProgramAccountNotFound');
  expect(await stage.balance(from.address)).toBe(1_999_995_000n);
});

test('preflight refuses an invalid signature, and without preflight the transaction is dropped silently', async () => {
  const { from, to, transfer } = await pair('forged');
  const { wire } = await stage.make({ payer: from, instructions: transfer(1_000_000n) });
  const bytes = Buffer.from(wire, 'base64');
  bytes[1] = (bytes[1] ?? 0) ^ 1;
  const config = { encoding: 'base64', preflightCommitment: 'processed' };
  const send = (more: object) =>
    stage.ledger.rpc('sendTransaction', [bytes.toString('base64'), { ...config, ...more }]);
  expect(await send({}).catch(String)).toContain('Transaction signature verification failure');
  await send({ skipPreflight: true });
  await stage.ledger.rpc('devnet_mine');
  expect(await stage.balance(to.address)).toBe(0n);
});

test('getFeeForMessage returns the priority fee that is charged, with and without a compute unit limit', async () => {
  const { from, transfer } = await pair('priority');
  const programAddress = 'ComputeBudget111111111111111111111111111111' as typeof from.address;
  const price = Buffer.alloc(9, 3);
  price.writeBigUInt64LE(1_234_567n, 1);
  const limit = Buffer.alloc(5, 2);
  limit.writeUInt32LE(20_000, 1);
  for (const more of [[], [{ programAddress, data: limit }]]) {
    const instructions = [{ programAddress, data: price }, ...more, ...transfer(1_000_000n)];
    const before = await stage.balance(from.address);
    const sent = await stage.send({ payer: from, instructions });
    const paid = before - (await stage.balance(from.address)) - 1_000_000n;
    const message = Buffer.from(sent.wire, 'base64').subarray(65).toString('base64');
    const { value } = await stage.rpc.getFeeForMessage(message as never).send();
    expect(value).toBe(paid);
    expect(paid).toBe(5000n + BigInt(Math.ceil((1_234_567 * (more.length === 0 ? 6000 : 20_000)) / 1e6)));
  }
  const fees = await stage.rpc.getRecentPrioritizationFees([from.address]).send();
  expect(fees.at(-1)?.prioritizationFee).toBe(1_234_567n);
});
