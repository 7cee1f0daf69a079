import { AdapterError } from '@ledger-ops/adapter';
import { createCloudWalletClient, type RemoteSend, remoteAdapter } from '@ledger-ops/cloud-wallet';

/** Drives one action whose row is durable: a host calls this until there is an end. */
export async function drive(url: string, ledgerId: string, action: RemoteSend) {
  const client = createCloudWalletClient({ url, fetch, timeoutMs: 10_000 });
  const ledger = (await remoteAdapter(client)).open(ledgerId);
  try {
    // Sent as often as need be: `actionId` is the idempotency key.
    const sent = await ledger.send(action);
    if (sent.status !== 'PROCESSING') return sent;
    const [status] = await ledger.status([sent.txId]);
    return status;
  } catch (error) {
    const proof = error instanceof AdapterError ? error.code : 'adapter-fault';
    // No answer proves nothing: call again. Any other problem is a refusal: nothing was executed.
    if (['unavailable', 'timeout', 'adapter-fault'].includes(proof)) return undefined;
    throw error;
  }
}
