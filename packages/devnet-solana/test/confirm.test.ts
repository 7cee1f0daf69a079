import {
  assertIsSendableTransaction,
  assertIsTransactionWithBlockhashLifetime,
  assertIsTransactionWithDurableNonceLifetime,
  isSolanaError,
  SOLANA_ERROR__BLOCK_HEIGHT_EXCEEDED,
  SOLANA_ERROR__INVALID_NONCE,
  sendAndConfirmDurableNonceTransactionFactory,
  sendAndConfirmTransactionFactory,
} from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openNonce } from './nonces.ts';
import { failureOf, openStage, type Stage, signer } from './stage.ts';

// These tests send and confirm transactions with the official client's own functions.

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ slotTime: 10 });
});
afterAll(() => stage.ledger.stop());

async function makeTransfer(name: string) {
  const [payer, to] = await Promise.all([signer(`${name} payer`), signer(`${name} to`)]);
  await stage.fund(payer.address, 1);
  const instructions = [
    getTransferSolInstruction({ source: payer, destination: to.address, amount: 5_000_000n }),
  ];
  const { transaction } = await stage.make({ payer, instructions });
  assertIsSendableTransaction(transaction);
  assertIsTransactionWithBlockhashLifetime(transaction);
  return { to, transaction };
}

const sendAndConfirm = () =>
  sendAndConfirmTransactionFactory({ rpc: stage.rpc, rpcSubscriptions: stage.subscriptions });

test('the official client sends and confirms a transaction', async () => {
  const { to, transaction } = await makeTransfer('confirmed');
  await sendAndConfirm()(transaction, { commitment: 'confirmed' });
  expect(await stage.balance(to.address)).toBe(5_000_000n);
});

test('a dropped transaction expires', async () => {
  const { to, transaction } = await makeTransfer('expired');
  await stage.ledger.rpc('devnet_setDropping', [true]);
  const failed = failureOf(sendAndConfirm()(transaction, { commitment: 'confirmed' }));
  await stage.ledger.rpc('devnet_mine', [160]);
  const failure = await failed;
  expect(isSolanaError(failure, SOLANA_ERROR__BLOCK_HEIGHT_EXCEEDED)).toBe(true);
  await stage.ledger.rpc('devnet_setDropping', [false]);
  expect(await stage.balance(to.address)).toBe(0n);
});

test('a transaction with a nonce is confirmed, and a second transaction with the same nonce expires', async () => {
  const { to, read, using } = await openNonce(stage, 'confirm');
  const nonce = await read();
  const send = sendAndConfirmDurableNonceTransactionFactory({
    rpc: stage.rpc,
    rpcSubscriptions: stage.subscriptions,
  });
  const make = async (amount: bigint) => {
    const { transaction } = await stage.make(using(nonce, amount));
    assertIsSendableTransaction(transaction);
    assertIsTransactionWithDurableNonceLifetime(transaction);
    return transaction;
  };
  const [first, second] = [await make(5_000_000n), await make(7_000_000n)];
  await send(first, { commitment: 'confirmed' });
  const failure = await failureOf(send(second, { commitment: 'confirmed', skipPreflight: true }));
  expect(isSolanaError(failure, SOLANA_ERROR__INVALID_NONCE)).toBe(true);
  expect(await stage.balance(to.address)).toBe(5_000_000n);
});
