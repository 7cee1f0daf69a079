import { Wallet } from 'ethers';
import { chunks, fundedKeys, rpcBatch } from './node.ts';
import { type Load, type Product, waitFor } from './product.ts';

const batch = 200;

/**
 * Returns the maximum transfers per second of this node with one client. Transactions are signed before the measurement,
 * and sent in batches. The measurement ends when all receipts have been read.
 */
export async function runPresigned({ rpcUrl }: Product, load: Load): Promise<number> {
  const keys = await fundedKeys(rpcUrl, load.wallets);
  const [chainId] = await rpcBatch(rpcUrl, [['eth_chainId', []]]);
  const to = Wallet.createRandom().address;
  const signed: string[] = [];
  const hashes: string[] = [];
  const each = Math.ceil(load.transfers / load.wallets);
  for (const [index, key] of keys.entries()) {
    const wallet = new Wallet(key);
    for (let nonce = 0; nonce < each && index * each + nonce < load.transfers; nonce += 1) {
      const raw = await wallet.signTransaction({
        type: 2,
        chainId: BigInt(String(chainId)),
        nonce,
        to,
        value: 1n,
        gasLimit: 21_000n,
        maxFeePerGas: 10n ** 11n,
        maxPriorityFeePerGas: 10n ** 9n,
      });
      signed.push(raw);
    }
  }
  const start = performance.now();
  for (const part of chunks(signed, batch)) {
    const results = await rpcBatch(
      rpcUrl,
      part.map((raw) => ['eth_sendRawTransaction', [raw]]),
    );
    hashes.push(...results.map(String));
  }
  for (const part of chunks(hashes, batch)) {
    await waitFor(async () => {
      const receipts = await rpcBatch(
        rpcUrl,
        part.map((hash) => ['eth_getTransactionReceipt', [hash]]),
      );
      return receipts.every((receipt) => receipt !== null) ? true : undefined;
    }, 10);
  }
  return signed.length / ((performance.now() - start) / 1_000);
}
