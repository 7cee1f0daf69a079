import { AdapterError } from '@ledger-ops/adapter';
import {
  createCloudWalletClient,
  exchangeWith,
  type RemoteSend,
  remoteAdapter,
} from '@ledger-ops/cloud-wallet';

/** Drives one stored action. The host calls this until the action is final. */
export async function drive(url: string, ledgerId: string, action: RemoteSend) {
  const client = createCloudWalletClient({ url, exchange: exchangeWith(fetch), timeoutMs: 10_000 });
  const ledger = (await remoteAdapter(client)).open(ledgerId);
  try {
    // May be sent repeatedly: `actionId` is the idempotency key.
    const sent = await ledger.send(action);
    if (sent.status !== 'PROCESSING') return sent;
    const [status] = await ledger.status([sent.txId]);
    return status;
  } catch (error) {
    const proof = error instanceof AdapterError ? error.code : 'adapter-fault';
    // Without a response the outcome is unknown: call again. After any other problem, nothing was executed.
    if (['unavailable', 'timeout', 'adapter-fault'].includes(proof)) return undefined;
    throw error;
  }
}
