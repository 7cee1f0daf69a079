import type { AdapterHost, LedgerConfig, LedgerSession } from '@ledger-ops/adapter';
import { toAdapterError } from './errors.ts';
import { createFirstBlocks } from './first-blocks.ts';
import { openObserver } from './observer.ts';
import { PeerFailure } from './peer-failure.ts';
import { createPeers, type Peers } from './peers.ts';
import { readProperties } from './properties.ts';

/**
 * The session, whose `chain()` asks every gateway when it is told to: over connections made for it, since those of the
 * session may be to a peer as it was before it was made anew.
 */
export function withChainOfAll(
  session: LedgerSession,
  ledger: LedgerConfig,
  host: AdapterHost,
): LedgerSession {
  const properties = readProperties(ledger);
  const asked = new Set<Peers>();
  const end = () => {
    for (const peers of asked) peers.close();
  };

  async function firstBlockOfAll() {
    const peers = createPeers(ledger, properties, () => host.now());
    asked.add(peers);
    host.signal.addEventListener('abort', end, { once: true });
    try {
      const blocks = createFirstBlocks(peers, openObserver(properties), properties.rpcTimeout);
      return await blocks.ofAll(properties.channel);
    } catch (error) {
      if (error instanceof PeerFailure) throw toAdapterError(error, 'open');
      throw error;
    } finally {
      peers.close();
      asked.delete(peers);
      if (asked.size === 0) host.signal.removeEventListener('abort', end);
    }
  }

  return {
    ...session,
    async chain({ everyNode = false } = {}) {
      if (!everyNode) return session.chain();
      const [{ id }, found] = await Promise.all([session.chain(), firstBlockOfAll()]);
      return { id, ...found };
    },
    async close() {
      end();
      await session.close();
    },
  };
}
