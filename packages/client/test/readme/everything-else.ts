import { answer, type LedgerClient } from '@ledger-ops/client';

export async function watch(ledger: LedgerClient, url: string): Promise<void> {
  const { secret } = await answer(ledger.http.POST('/v1/webhooks', { body: { url } }));
  console.log(`${url} gets events, signed with a secret of ${secret.length} characters.`);
  for await (const { walletId } of ledger.each('/v1/cloud-wallet/wallets')) console.log(walletId);
  const failures = ledger.events({ types: ['action.failed'] });
  for await (const { place, event } of failures) console.log(place, event.data);
}
