import type { Nonce } from '@solana/kit';
import {
  fetchNonce,
  getCreateAccountInstruction,
  getInitializeNonceAccountInstruction,
  getNonceSize,
  getTransferSolInstruction,
  SYSTEM_PROGRAM_ADDRESS,
} from '@solana-program/system';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStage, type Stage, signer } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.ledger.stop());

async function openNonce(name: string) {
  const [payer, account, to] = await Promise.all([
    signer(`${name} payer`),
    signer(`${name} nonce`),
    signer(`${name} to`),
  ]);
  await stage.fund(payer.address, 2);
  const space = BigInt(getNonceSize());
  await stage.send({
    payer,
    instructions: [
      getCreateAccountInstruction({
        payer,
        newAccount: account,
        lamports: await stage.rpc.getMinimumBalanceForRentExemption(space).send(),
        space,
        programAddress: SYSTEM_PROGRAM_ADDRESS,
      }),
      getInitializeNonceAccountInstruction({
        nonceAccount: account.address,
        nonceAuthority: payer.address,
      }),
    ],
  });
  const read = async () =>
    (await fetchNonce(stage.rpc, account.address, { commitment: 'confirmed' })).data.blockhash;
  const using = (nonce: string, amount: bigint) => ({
    payer,
    nonce: { nonceAccountAddress: account.address, nonceAuthority: payer, nonce: nonce as Nonce },
    instructions: [getTransferSolInstruction({ source: payer, destination: to.address, amount })],
  });
  return { payer, to, read, using };
}

test('a transaction with a nonce is good for as long as nobody uses the nonce, and once', async () => {
  const { to, read, using } = await openNonce('durable');
  const nonce = await read();
  const { wire, signature } = await stage.make(using(nonce, 1_000_000n));
  await stage.ledger.rpc('devnet_mine', [400]);
  await stage.submit(wire);
  expect((await stage.landed(signature)).err).toBeNull();
  expect(await stage.balance(to.address)).toBe(1_000_000n);
  const next = await read();
  expect(next).not.toBe(nonce);
  await stage.ledger.rpc('devnet_mine');
  const other = await stage.make(using(nonce, 2_000_000n));
  await stage.submit(other.wire, { skipPreflight: true });
  await stage.submit(wire, { skipPreflight: true });
  await stage.ledger.rpc('devnet_mine', [2]);
  expect(await stage.status(other.signature)).toBeNull();
  expect(await stage.balance(to.address)).toBe(1_000_000n);
  expect(await read()).toBe(next);
});

test('a nonce advances and the fee is paid when its transaction fails', async () => {
  const { payer, to, read, using } = await openNonce('failing');
  await stage.ledger.rpc('devnet_mine');
  const nonce = await read();
  const before = await stage.balance(payer.address);
  const sent = await stage.send(using(nonce, 50_000_000_000n), { skipPreflight: true });
  expect(sent.err).toEqual({ InstructionError: [1n, { Custom: 1n }] });
  expect(await stage.balance(payer.address)).toBe(before - 5000n);
  const next = await read();
  expect(next).not.toBe(nonce);
  await stage.ledger.rpc('devnet_mine');
  expect((await stage.send(using(next, 3_000_000n))).err).toBeNull();
  expect(await stage.balance(to.address)).toBe(3_000_000n);
});
