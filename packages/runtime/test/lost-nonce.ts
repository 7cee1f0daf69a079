import type { MemoryLedger } from '@ledger-ops/adapter-kit/memory';
import type { Store } from '@ledger-ops/store';
import { expect, vi } from 'vitest';
import { type EngineHarness, type TestWallet, transfer } from './engine-harness.ts';

const patience = { timeout: 30_000 };

/** Returns a server clock that a test can advance. */
export function clock() {
  let ahead = 0;
  return {
    now: () => Date.now() + ahead,
    passed: () => ahead,
    forward: (milliseconds: number) => {
      ahead += milliseconds;
    },
  };
}

/**
 * Makes an action fail with `nonce-taken`: another program's transaction for the same transfer uses nonce 0 and is in
 * one of the last three blocks.
 */
export async function loseNonce(harness: EngineHarness, from: TestWallet, to: TestWallet): Promise<string> {
  const { ledger } = harness;
  await harness.share(from);
  ledger.autoMine = false;
  const forgotten = ledger.script({ kind: 'acceptButForget' });
  const id = await harness.send(from, transfer(to.address, 5n));
  await vi.waitFor(() => expect(forgotten.fired).toBe(1), patience);
  ledger.outsideTransaction({
    ...{ privateKey: from.privateKey, sequence: 0n, recipient: to.address, amount: 5n },
  });
  ledger.mine(3);
  const [end] = await harness.ended([id]);
  expect(end?.problem).toContain('nonce-taken');
  return id;
}

/** Makes an action wait with nonce 1. A reorg has removed another program's transaction with nonce 0. */
export async function waitAboveReleasedNonce(
  harness: EngineHarness,
  from: TestWallet,
  to: TestWallet,
): Promise<string> {
  const { ledger } = harness;
  await loseNonce(harness, from, to);
  const waiting = await harness.send(from, transfer(to.address, 1n));
  await vi.waitFor(() => expect(ledger.pool.length).toBe(1), patience);
  ledger.reorganise(3, 'vanish');
  ledger.mine(4);
  return waiting;
}

/** Advances the clock until the condition is met. */
export async function passUntil(
  time: ReturnType<typeof clock>,
  condition: () => boolean | Promise<boolean>,
): Promise<void> {
  await vi.waitFor(
    async () => {
      time.forward(4_000);
      expect(await condition()).toBe(true);
    },
    { ...patience, interval: 200 },
  );
}

/** Returns the empty transactions that were signed to fill nonces. */
export function fillersOf(store: Store) {
  return store.read.all<{ action_id: string; sequence: number | null; bytes: Uint8Array | null }>(
    "SELECT action_id, sequence, bytes, settled_at FROM attempt WHERE kind = 'filler' ORDER BY created_at, n",
  );
}

export const emptyTransactions = ({ pool }: MemoryLedger) => pool.filter(({ value }) => value === 0n);
