import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { address, lamports, type Signature } from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startSolana, startSolanaProcess, UnsupportedPlatformError } from '../src/index.ts';
import { deployProgram } from './loader.ts';
import { signer, stageOf } from './stage.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'devnet-solana-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('a killed ledger restarts with every block that it had reported', async () => {
  const options = {
    stateFile: join(folder, 'ledger.sqlite'),
    slotTime: 'on-demand',
    confirmed: 1,
    finalized: 3,
  } as const;
  const [alice, bob, program, buffer] = await Promise.all([
    signer('restart alice'),
    signer('restart bob'),
    signer('restart program'),
    signer('restart buffer'),
  ]);
  let stage = stageOf(await startSolanaProcess(options));
  try {
    await stage.fund(alice.address, 20);
    await stage.ledger.rpc('devnet_mine', [5]);
    const memo = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
    const [elf] = (await stage.rpc.getAccountInfo(memo, { encoding: 'base64' }).send()).value?.data ?? [''];
    const mining = { ...stage, send: sendAndMine };
    async function sendAndMine(making: Parameters<typeof stage.send>[0]) {
      const sent = await stage.send(making);
      await stage.ledger.rpc('devnet_mine');
      return sent;
    }
    await deployProgram(mining, { payer: alice, program, buffer, elf: Buffer.from(elf, 'base64') });
    const transfer = (amount: bigint) => ({
      payer: alice,
      instructions: [getTransferSolInstruction({ source: alice, destination: bob.address, amount })],
    });
    const kept = await stage.send(transfer(1_000_000_000n));
    const before = await picture();
    await stage.ledger.kill();

    stage = stageOf(await startSolanaProcess(options));
    expect(await picture()).toEqual(before);
    expect(await stage.status(kept.signature)).toMatchObject({ slot: kept.slot, err: null });
    await stage.submit(kept.wire, { skipPreflight: true });
    await stage.send(transfer(2_000_000_000n));
    expect(await stage.balance(bob.address)).toBe(3_000_000_000n);
    const said = await sendAndMine({
      payer: alice,
      instructions: [{ programAddress: program.address, data: Buffer.from('still here') }],
    });
    expect(said.err).toBeNull();

    async function picture() {
      const { rpc } = stage;
      const commitment = 'processed';
      const slot = await rpc.getSlot({ commitment: 'confirmed' }).send();
      return {
        genesis: await rpc.getGenesisHash().send(),
        tip: await rpc.getLatestBlockhash({ commitment }).send(),
        block: await rpc.getBlock(slot, { maxSupportedTransactionVersion: 0, rewards: false }).send(),
        blocks: await rpc.getBlocks(await rpc.getFirstAvailableBlock().send()).send(),
        balances: await Promise.all(
          (['processed', 'confirmed', 'finalized'] as const).flatMap((level) =>
            [alice, bob].map(({ address }) => rpc.getBalance(address, { commitment: level }).send()),
          ),
        ),
      };
    }
  } finally {
    await stage.ledger.kill();
  }
});

test('confirmed transactions survive a kill at any moment', async () => {
  const options = { stateFile: join(folder, 'ledger.sqlite'), slotTime: 2, confirmed: 1, finalized: 3 };
  const { address } = await signer('killed');
  const seen = new Map<Signature, bigint>();
  let stage = stageOf(await startSolanaProcess(options));
  try {
    for (let kills = 0; kills < 2; kills += 1) {
      const { rpc, ledger } = stage;
      for (let sent = 0; sent < 8; sent += 1) {
        const signature = await rpc.requestAirdrop(address, lamports(1_000_000_000n)).send();
        await expect.poll(() => stage.status(signature)).toBeTruthy();
        const status = await stage.status(signature);
        if (status && status.confirmationStatus !== 'processed') seen.set(signature, status.slot);
      }
      // The process is killed while it creates blocks.
      await Promise.all([ledger.kill(), ledger.rpc('devnet_mine', [500]).catch(() => undefined)]);
      stage = stageOf(await startSolanaProcess(options));
      for (const [signature, slot] of seen)
        expect(await stage.status(signature)).toMatchObject({ slot, err: null });
      expect(await stage.balance(address)).toBeGreaterThanOrEqual(BigInt(seen.size) * 1_000_000_000n);
    }
    expect(seen.size).toBeGreaterThan(0);
  } finally {
    await stage.ledger.kill();
  }
});

test('blocks that are not finalized for a long time survive a restart', async () => {
  const options = {
    stateFile: join(folder, 'ledger.sqlite'),
    slotTime: 'on-demand',
    confirmed: 0,
    finalized: 1,
  } as const;
  const { address } = await signer('behind');
  let stage = stageOf(await startSolana(options));
  await stage.ledger.rpc('devnet_setBehind', [900]);
  const signature = await stage.rpc.requestAirdrop(address, lamports(1_000_000_000n)).send();
  await stage.ledger.rpc('devnet_mine', [800]);
  await stage.ledger.stop();
  stage = stageOf(await startSolana(options));
  try {
    const balanceAt = async (commitment: 'processed' | 'finalized') =>
      (await stage.rpc.getBalance(address, { commitment }).send()).value;
    expect(await stage.status(signature)).toMatchObject({ err: null });
    expect(await balanceAt('processed')).toBe(1_000_000_000n);
    await stage.ledger.rpc('devnet_mine');
    expect(await balanceAt('finalized')).toBe(1_000_000_000n);
  } finally {
    await stage.ledger.stop();
  }
});

test('fails to start if the state file is in use or the port is taken', async () => {
  const stateFile = join(folder, 'ledger.sqlite');
  const first = await startSolana({ stateFile });
  try {
    await expect(startSolana({ stateFile })).rejects.toThrow(/state file .* cannot be used/);
    await expect(startSolana({ port: first.port })).rejects.toThrow(/cannot listen/);
    await expect(startSolanaProcess({ port: first.port })).rejects.toThrow(
      /ended before it was ready.*EADDRINUSE/s,
    );
  } finally {
    await first.stop();
  }
});

test('reports a platform without a runtime binary', async () => {
  // The binary's loader searches this location first.
  vi.stubEnv('NAPI_RS_NATIVE_LIBRARY_PATH', join(folder, 'none.node'));
  try {
    await expect(startSolanaProcess()).rejects.toBeInstanceOf(UnsupportedPlatformError);
  } finally {
    vi.unstubAllEnvs();
  }
});
