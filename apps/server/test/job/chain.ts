import type { Anvil } from '@ledger-ops/devnet';
import { Interface, Wallet } from 'ethers';

const tokenAbi = new Interface([
  'function balanceOf(address) view returns (uint256)',
  'function transfer(address,uint256) returns (bool)',
]);

export async function balanceOf(anvil: Anvil, address: string): Promise<bigint> {
  return BigInt(await anvil.rpc<string>('eth_getBalance', [address, 'latest']));
}

export async function nonceOf(anvil: Anvil, address: string): Promise<number> {
  return Number(await anvil.rpc<string>('eth_getTransactionCount', [address, 'latest']));
}

export async function tokenBalanceOf(anvil: Anvil, token: string, address: string): Promise<bigint> {
  const data = tokenAbi.encodeFunctionData('balanceOf', [address]);
  const result = await anvil.rpc<string>('eth_call', [{ to: token, data }, 'latest']);
  return BigInt(tokenAbi.decodeFunctionResult('balanceOf', result)[0]);
}

/** Returns the number of transactions that wait, or that can never be mined because an earlier one is missing. */
export async function poolSize(anvil: Anvil): Promise<number> {
  const { pending, queued } = await anvil.rpc<{ pending: string; queued: string }>('txpool_status');
  return Number(pending) + Number(queued);
}

/** Returns an unused address. */
export function freshAddress(): string {
  return Wallet.createRandom().address;
}
