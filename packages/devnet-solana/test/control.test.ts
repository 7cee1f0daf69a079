import { getTransferSolInstruction } from '@solana-program/system';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStage, type Stage, signer } from './stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await openStage({ finalized: 8 });
});
afterEach(() => stage.ledger.stop());

async function transferring() {
  const [from, to] = await Promise.all([signer('control from'), signer('control to')]);
  await stage.fund(from.address, 10);
  const transfer = (amount: bigint) => ({
    payer: from,
    instructions: [getTransferSolInstruction({ source: from, destination: to.address, amount })],
  });
  return { from, to, transfer };
}

const control = <Result>(method: string, ...params: unknown[]) =>
  stage.ledger.rpc<Result>(`devnet_${method}`, params);

test('creates blocks only on request while paused', async () => {
  const { to, transfer } = await transferring();
  const { height } = await control<{ height: number }>('pause');
  const { wire, signature } = await stage.make(transfer(1_000_000n));
  await stage.submit(wire);
  expect(await control('status')).toMatchObject({ height, pending: 1, paused: true });
  expect(await control('mine', 2)).toMatchObject({ height: height + 2, pending: 0 });
  expect(await stage.balance(to.address)).toBe(1_000_000n);
  const again = await stage.make(transfer(2_000_000n));
  await stage.submit(again.wire);
  expect(await control('dropTransaction', again.signature)).toBe(true);
  expect(await control('dropTransaction', signature)).toBe(false);
  await control('resume');
  expect(await control('status')).toMatchObject({ pending: 0, paused: false });
  await stage.send(transfer(4_000_000n));
  expect(await stage.balance(to.address)).toBe(5_000_000n);
});

test('after devnet_drop, submitted transactions are dropped silently', async () => {
  const { to, transfer } = await transferring();
  await control('setDropping', true);
  const { wire, signature } = await stage.make(transfer(1_000_000n));
  expect(await stage.submit(wire)).toBe(signature);
  await control('mine', 3);
  expect(await stage.status(signature)).toBeNull();
  await control('setDropping', false);
  await stage.submit(wire);
  await stage.landed(signature);
  expect(await stage.balance(to.address)).toBe(1_000_000n);
});

test('devnet_fork removes blocks with their effects and blockhashes', async () => {
  const { to, transfer } = await transferring();
  const { rpc } = stage;
  const kept = await stage.send(transfer(1_000_000n));
  const base = await stage.latest();
  const lost = await stage.send(transfer(2_000_000n));
  const own = await stage.latest();
  const onIt = await stage.make({ ...transfer(4_000_000n), lifetime: own });
  expect(await control('fork', 1)).toEqual([lost.signature]);
  expect(await stage.balance(to.address)).toBe(1_000_000n);
  expect(await stage.status(lost.signature)).toBeNull();
  expect(await stage.status(kept.signature)).toMatchObject({ slot: kept.slot });
  expect(await stage.latest()).toEqual(base);
  expect((await rpc.isBlockhashValid(own.blockhash).send()).value).toBe(false);
  // The same bytes are executed again, in a slot that was not used before.
  await control('pause');
  await stage.submit(onIt.wire, { skipPreflight: true });
  await stage.submit(lost.wire);
  await control('resume');
  const again = await stage.landed(lost.signature);
  expect(again.slot).toBeGreaterThan(lost.slot);
  expect(await stage.balance(to.address)).toBe(3_000_000n);
  expect(await stage.status(onIt.signature)).toBeNull();
  const block = await rpc.getBlock(again.slot, { transactionDetails: 'signatures', rewards: false }).send();
  expect(block).toMatchObject({ parentSlot: kept.slot, signatures: [lost.signature] });
  await expect(control('fork', 100)).rejects.toThrow('blocks are not finalized, so 100 cannot be removed');
});

test('skipped slots do not count toward the age of a blockhash', async () => {
  const { rpc } = stage;
  const [slot, height] = [await rpc.getSlot().send(), await rpc.getBlockHeight().send()];
  const { blockhash } = await stage.latest();
  await control('skipSlots', 1000);
  await control('mine');
  expect(await rpc.getSlot().send()).toBe(slot + 1001n);
  expect(await rpc.getBlockHeight().send()).toBe(height + 1n);
  expect((await rpc.isBlockhashValid(blockhash).send()).value).toBe(true);
  await expect(stage.ledger.rpc('getBlock', [Number(slot) + 5, { commitment: 'confirmed' }])).rejects.toThrow(
    'was skipped',
  );
});

test('a lagging node returns an earlier state of the chain, and reports itself unhealthy if it lags too far', async () => {
  const { to, transfer } = await transferring();
  await control('mine', 2);
  const before = await stage.latest();
  await control('setBehind', 2);
  const { wire, signature } = await stage.make(transfer(1_000_000n));
  await stage.submit(wire);
  await expect.poll(() => control('status')).toMatchObject({ pending: 0, slotsBehind: 2 });
  expect(await stage.status(signature)).toBeNull();
  expect(await stage.balance(to.address)).toBe(0n);
  await control('mine', 2);
  expect(await stage.status(signature)).not.toBeNull();
  expect(await stage.balance(to.address)).toBe(1_000_000n);
  expect((await stage.latest()).lastValidBlockHeight).toBe(before.lastValidBlockHeight + 1n);
  await control('setBehind', 200);
  await control('mine', 200);
  expect(await stage.ledger.rpc('getHealth').catch(String)).toContain('Node is behind by 200 slots');
  await control('setBehind', 0);
  expect(await stage.ledger.rpc('getHealth')).toBe('ok');
  expect((await stage.latest()).lastValidBlockHeight).toBe(before.lastValidBlockHeight + 203n);
  expect(await stage.balance(to.address)).toBe(1_000_000n);
  expect((await stage.send(transfer(2_000_000n))).err).toBeNull();
});
