import type { AdapterDefinition, LedgerConfig } from '@ledger-ops/adapter';
import { listen, serveAdapter } from '@ledger-ops/cloud-wallet';

/** A module adapter as a remote plugin, which keeps its own keys. */
export async function serve(definition: AdapterDefinition, ledger: LedgerConfig, masterKey: Uint8Array) {
  const database = '/var/lib/my-plugin/plugin.db';
  const served = await serveAdapter({ definition, ledgers: [ledger], database, masterKey });
  return listen(served.handle, { port: 8080 });
}
