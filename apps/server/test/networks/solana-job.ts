import { profileFault, type RpcProxy, startProxy } from '@ledger-ops/devnet';
import { type SolanaProcess, startSolanaProcess } from '@ledger-ops/devnet-solana';
import { expect, vi } from 'vitest';
import type { Product } from '../job/product.ts';
import {
  freshAddress,
  instructionGlo,
  least,
  memoInstruction,
  transferGlo,
  walletPassword,
} from '../job/solana-ledger.ts';
import type { SolanaNetwork } from './solana-network.ts';

const parallel = 50;
const final = { commitment: 'finalized' };
const noText = Uint8Array.of(0xff, 0xfe);
/** Without a simulation, the transaction fails in a block. */
const unseen = { computeUnitLimit: 200_000, computeUnitPrice: '0' };
const longest = 120_000;

/** One ledger: a development node that answers by the profiles, and a wallet with 100 SOL. */
interface Scene extends AsyncDisposable {
  ledger: SolanaProcess;
  walletId: string;
  address: string;
}

async function openScene(product: Product, network: SolanaNetwork): Promise<Scene> {
  const ledger = await startSolanaProcess({ slotTime: 50, confirmed: 0, finalized: 2 });
  const proxies: RpcProxy[] = [];
  const close = async () => {
    await Promise.all(proxies.map((proxy) => proxy.close()));
    await ledger.stop();
  };
  try {
    for (const profile of network.nodes()) {
      const proxy = await startProxy(ledger.url);
      proxy.setFault(profileFault(profile));
      proxies.push(proxy);
    }
    const ledgerId = network.name;
    const made = await product.call('POST', '/v1/admin/ledgers', {
      ledgerId,
      name: ledgerId,
      technology: 'solana',
      properties: { polling_interval: 100, ...network.properties },
      nodes: proxies.map(({ url }, index) => ({ nodeId: `${ledgerId}-${index + 1}`, uri: url })),
    });
    expect(made).toMatchObject({ status: 201 });
    const walletId = `${ledgerId}-wallet`;
    const { status, body } = await product.call('POST', '/v1/cloud-wallet/wallets', {
      walletId,
      ledgerId,
      pluginParameters: { walletPassword },
    });
    expect({ status, body }).toMatchObject({ status: 201 });
    const address = String(body.walletAddress);
    await ledger.rpc('requestAirdrop', [address, 100_000_000_000]);
    await vi.waitFor(async () => expect(await balanceOf(ledger, address)).toBeGreaterThan(0), longest);
    return { ledger, walletId, address, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function balanceOf(ledger: SolanaProcess, address: string): Promise<number> {
  return (await ledger.rpc<{ value: number }>('getBalance', [address, final])).value;
}

async function feeOf(ledger: SolanaProcess, signature: string): Promise<number> {
  const options = [signature, { ...final, maxSupportedTransactionVersion: 0 }];
  return (await ledger.rpc<{ meta: { fee: number } }>('getTransaction', options)).meta.fee;
}

/**
 * Does everything that users do with a ledger, with one kind of node. Checks on the ledger that each step is
 * executed exactly once.
 */
export async function runSolanaJob(product: Product, network: SolanaNetwork): Promise<void> {
  await using scene = await openScene(product, network);
  const { ledger, walletId, address } = scene;
  const send = async (glo: object) => {
    const body = { walletId, walletPassword, glo };
    const { status, body: answer } = await product.call('POST', '/v1/ledger-ops/send', body);
    expect({ status, answer }).toMatchObject({ status: 201 });
    return String(answer.actionId);
  };
  const ended = async (id: string) => (await product.ended([id]))[0];

  const target = freshAddress();
  expect(await ended(await send(transferGlo(target, least)))).toMatchObject({ status: 'SUCCEEDED' });
  expect(await balanceOf(ledger, target)).toBe(least);
  expect(await ended(await send(instructionGlo(memoInstruction('hello'))))).toMatchObject({
    status: 'SUCCEEDED',
  });

  // The estimate refuses the first operation, the second one fails in a block, and the third one pays too
  // little for a new account.
  const refused = await ended(await send(instructionGlo(memoInstruction(noText))));
  expect(refused).toMatchObject({ status: 'FAILED', problem: { detail: expect.stringContaining('utf-8') } });
  const failed = await ended(await send(instructionGlo(memoInstruction(noText), unseen)));
  expect(failed).toMatchObject({ status: 'FAILED', problem: { detail: expect.stringContaining('utf-8') } });
  const tooLittle = await ended(await send(transferGlo(freshAddress(), least - 1)));
  expect(tooLittle).toMatchObject({ status: 'FAILED', problem: { detail: expect.stringContaining('rent') } });

  await expireOne(product, ledger, () => send(transferGlo(target, 11)), ended);
  expect(await balanceOf(ledger, target)).toBe(least + 11);

  const crowd = freshAddress();
  await ended(await send(transferGlo(crowd, least)));
  const ids = await Promise.all(
    Array.from({ length: parallel }, (_, index) => send(transferGlo(crowd, index + 1))),
  );
  await product.kill();
  await product.start();
  const ends = await product.ended(ids);
  expect(ends.filter(({ status }) => status !== 'SUCCEEDED')).toEqual([]);
  expect(new Set(ends.map(({ locator }) => locator)).size).toBe(parallel);
  expect(await balanceOf(ledger, crowd)).toBe(least + (parallel * (parallel + 1)) / 2);
  const listed = await ledger.rpc<unknown[]>('getSignaturesForAddress', [crowd, { ...final, limit: 1_000 }]);
  expect(listed).toHaveLength(parallel + 1);
  expect(await balanceOf(ledger, address)).toBeGreaterThan(0);
}

/** A transaction that the node drops until its blockhash expires. Its fee is raised in the meantime. */
async function expireOne(
  product: Product,
  ledger: SolanaProcess,
  send: () => Promise<string>,
  ended: (id: string) => Promise<{ status: string; locator?: string | null | undefined } | undefined>,
): Promise<void> {
  await ledger.rpc('devnet_setDropping', [true]);
  const id = await send();
  await vi.waitFor(async () => {
    const { status, body } = await product.call('POST', `/v1/ledger-ops/actions/${id}/hurry`, {});
    expect({ status, body }).toMatchObject({ status: 202 });
  }, longest);
  await ledger.rpc('devnet_mine', [155]);
  await ledger.rpc('devnet_setDropping', [false]);
  const end = await ended(id);
  expect(end).toMatchObject({ status: 'SUCCEEDED' });
  expect(await feeOf(ledger, String(end?.locator))).toBeGreaterThan(25_000);
}
