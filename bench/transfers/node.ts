import { Wallet } from 'ethers';

interface Answer {
  id: number;
  result?: unknown;
  error?: { message: string };
}

/** Sends one JSON-RPC batch. Returns the results in the order of the calls. */
export async function rpcBatch(
  url: string,
  calls: readonly [method: string, params: unknown[]][],
): Promise<unknown[]> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }))),
  });
  // The response to a JSON-RPC batch is an array.
  const answers = (await response.json()) as Answer[];
  const results: unknown[] = [];
  for (const { id, result, error } of answers) {
    if (error !== undefined) throw new Error(error.message);
    results[id] = result;
  }
  return results;
}

/** Creates keys with enough ether for the run. */
export async function fundedKeys(url: string, count: number): Promise<string[]> {
  const wallets = Array.from({ length: count }, () => Wallet.createRandom());
  await rpcBatch(
    url,
    wallets.map(({ address }) => ['anvil_setBalance', [address, `0x${(10n ** 22n).toString(16)}`]]),
  );
  return wallets.map(({ privateKey }) => privateKey);
}

export function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
