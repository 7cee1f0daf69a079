import { type Anvil, type AnvilOptions, startAnvil } from '@ledger-ops/devnet';
import { afterAll, beforeAll, beforeEach } from 'vitest';

/**
 * Returns a node that all tests of a file share and that mines on demand. Each test starts from its initial
 * state.
 */
export function shareAnvil(options: AnvilOptions = {}): () => Anvil {
  let node: Anvil | undefined;
  let snapshot: string;
  let baseFee: string | undefined;
  beforeAll(async () => {
    node = await startAnvil({ mining: 'manual', ...options });
    snapshot = await node.rpc('evm_snapshot');
    const { baseFeePerGas } = await node.rpc<{ baseFeePerGas: string[] }>('eth_feeHistory', [
      ...['0x1', 'latest', []],
    ]);
    baseFee = baseFeePerGas.at(-1);
  });
  beforeEach(async () => {
    await node?.rpc('anvil_dropAllTransactions');
    await node?.rpc('evm_setAutomine', [false]);
    await node?.rpc('evm_revert', [snapshot]);
    // A snapshot can be used only once, and does not include the next base fee.
    snapshot = (await node?.rpc('evm_snapshot')) ?? '';
    await node?.rpc('anvil_setNextBlockBaseFeePerGas', [baseFee]);
  });
  afterAll(() => node?.stop());
  return () => {
    if (node === undefined) throw new TypeError('The node is started before the tests.');
    return node;
  };
}
