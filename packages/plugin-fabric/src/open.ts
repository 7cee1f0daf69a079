import type { AdapterHost, LedgerConfig, LedgerSession } from '@ledger-ops/adapter';
import { withChainOfAll } from './chain-of-all.ts';
import { openSession } from './session.ts';

/**
 * Opens a session on a Fabric ledger; nothing is asked of it yet.
 * @throws AdapterError `invalid-argument` for a wrong property or node
 */
export async function open(ledger: LedgerConfig, host: AdapterHost): Promise<LedgerSession> {
  return withChainOfAll(await openSession(ledger, host), ledger, host);
}
