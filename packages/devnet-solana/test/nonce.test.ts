import { afterAll, beforeAll, expect, test } from 'vitest';
import { openNonce } from './nonces.ts';
import { openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.ledger.stop());

test('a transaction with a nonce is valid once, until the nonce is used', async () => {
  const { to, read, using } = await openNonce(stage, 'durable');
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

test('a failed transaction advances its nonce and pays its fee', async () => {
  const { payer, to, read, using } = await openNonce(stage, 'failing');
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
