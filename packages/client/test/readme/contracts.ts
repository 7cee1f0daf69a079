import type { LedgerClient, Sender } from '@ledger-ops/client';

const rent = { name: 'rent', type: 'uint256' } as const;
const abi = [
  { type: 'function', name: 'pay', inputs: [rent], outputs: [], stateMutability: 'payable' },
  { type: 'function', name: 'due', inputs: [], outputs: [rent], stateMutability: 'view' },
] as const;

export async function payRent(ledger: LedgerClient, sender: Sender): Promise<bigint> {
  const flat = ledger.contract({ contract: 'my-flat', interface: abi, sender });
  const ethereum = { version: '1', native_transaction_content: { value: '5000' } };
  const paid = await flat.pay.with({ tag: 'rent', meta: { ledger: { ethereum } } })(11n);
  await ledger.waitFor(paid);
  return await flat.due();
}
