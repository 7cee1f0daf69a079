import { JsonRpcProvider, NonceManager, Wallet } from 'ethers';
import { fundedKeys } from './node.ts';
import type { Load, Product } from './product.ts';

/** A simple script: ethers with its NonceManager sends all transfers without waiting, and then waits for each receipt. Returns transfers per second. */
export async function runEthersScript({ rpcUrl }: Product, load: Load): Promise<number> {
  const keys = await fundedKeys(rpcUrl, load.wallets);
  const provider = new JsonRpcProvider(rpcUrl, undefined, { pollingInterval: 50 });
  try {
    const signers = keys.map((key) => new NonceManager(new Wallet(key, provider)));
    const to = Wallet.createRandom().address;
    const start = performance.now();
    await Promise.all(
      Array.from({ length: load.transfers }, async (_, index) => {
        const signer = signers[index % signers.length];
        const sent = await signer?.sendTransaction({ to, value: 1n });
        const receipt = await sent?.wait();
        if (receipt?.status !== 1) throw new Error('A transfer of the ethers script failed.');
      }),
    );
    return load.transfers / ((performance.now() - start) / 1_000);
  } finally {
    provider.destroy();
  }
}
