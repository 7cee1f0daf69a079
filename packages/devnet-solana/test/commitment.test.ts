import { lamports } from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { expect, test } from 'vitest';
import { failureOf, openStage, signer } from './stage.ts';

test("a query returns the chain at the requested commitment level, and a status contains the transaction's level", async () => {
  const stage = await openStage({ confirmed: 2, finalized: 4 });
  try {
    const { rpc, ledger } = stage;
    const { address } = await signer('alice');
    await ledger.rpc('devnet_pause');
    const signature = await rpc.requestAirdrop(address, lamports(1_000_000_000n)).send();
    expect(await stage.status(signature)).toBeNull();
    const seen: unknown[] = [];
    for (let blocks = 0; blocks < 6; blocks += 1) {
      await ledger.rpc('devnet_mine');
      const status = await stage.status(signature);
      const at = async (commitment: 'processed' | 'confirmed' | 'finalized') =>
        Number((await rpc.getBalance(address, { commitment }).send()).value) / 1e9;
      const balances = [await at('processed'), await at('confirmed'), await at('finalized')];
      seen.push([status?.confirmationStatus, status?.confirmations, balances]);
    }
    expect(seen).toEqual([
      ['processed', 0n, [1, 0, 0]],
      ['processed', 1n, [1, 0, 0]],
      ['confirmed', 2n, [1, 1, 0]],
      ['confirmed', 3n, [1, 1, 0]],
      ['finalized', null, [1, 1, 1]],
      ['finalized', null, [1, 1, 1]],
    ]);
    const slots = await Promise.all(
      (['processed', 'confirmed', 'finalized'] as const).map((commitment) =>
        rpc.getSlot({ commitment }).send(),
      ),
    );
    expect(slots.map((slot) => Number((slots[0] ?? 0n) - slot))).toEqual([0, 2, 4]);
    const tip = slots[0] ?? 0n;
    expect((await failureOf(rpc.getBlock(tip, { commitment: 'confirmed' }).send())).message).toContain(
      `${tip}`,
    );
    const later = rpc.getBalance(address, { minContextSlot: tip, commitment: 'finalized' }).send();
    expect((await failureOf(later)).context).toMatchObject({ contextSlot: tip - 4n });
  } finally {
    await stage.ledger.stop();
  }
});

test('a blockhash is valid for 150 blocks, and the ledger still accepts it one block later', async () => {
  const stage = await openStage();
  try {
    const { rpc, ledger } = stage;
    const [from, to] = await Promise.all([signer('expiry-from'), signer('expiry-to')]);
    await stage.fund(from.address, 1);
    const lifetime = await stage.latest();
    const height = await rpc.getBlockHeight().send();
    expect(lifetime.lastValidBlockHeight).toBe(height + 150n);
    const make = (amount: bigint) =>
      stage.make({
        payer: from,
        lifetime,
        instructions: [getTransferSolInstruction({ source: from, destination: to.address, amount })],
      });
    const [last, late] = [await make(1_000_000n), await make(2_000_000n)];
    const isValid = async () => (await rpc.isBlockhashValid(lifetime.blockhash).send()).value;
    await ledger.rpc('devnet_mine', [149]);
    expect(await isValid()).toBe(true);
    await ledger.rpc('devnet_mine', [1]);
    expect(await rpc.getBlockHeight().send()).toBe(lifetime.lastValidBlockHeight);
    // Like a validator, this ledger computes the age of a blockhash as of the previous block.
    expect(await isValid()).toBe(true);
    await stage.submit(last.wire);
    await stage.landed(last.signature);
    expect(await rpc.getBlockHeight().send()).toBe(lifetime.lastValidBlockHeight + 1n);
    expect(await isValid()).toBe(false);
    const message = await ledger
      .rpc('sendTransaction', [late.wire, { encoding: 'base64', preflightCommitment: 'processed' }])
      .catch(String);
    expect(message).toContain('Blockhash not found');
    await stage.submit(late.wire, { skipPreflight: true });
    await ledger.rpc('devnet_mine', [3]);
    expect(await stage.status(late.signature)).toBeNull();
    expect(await stage.balance(to.address)).toBe(1_000_000n);
    const replaced = { encoding: 'base64', replaceRecentBlockhash: true } as const;
    const { value } = await rpc.simulateTransaction(late.wire, replaced).send();
    expect(value.err).toBeNull();
    expect(value.replacementBlockhash).toEqual(await stage.latest());
  } finally {
    await stage.ledger.stop();
  }
});
