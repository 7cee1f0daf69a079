import type { LedgerClient, Transfer } from '@ledger-ops/client';

export async function payInvoice(ledger: LedgerClient, invoice: string, transfer: Transfer): Promise<string> {
  return (await ledger.transfer({ ...transfer, reference: invoice })).actionId;
}
