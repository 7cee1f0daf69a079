import type { AdapterDefinition, ChainIdentity } from '@ledger-ops/adapter';
import { Problem } from '@ledger-ops/base';
import type { LedgerRecord } from '@ledger-ops/registry';
import { problemFrom } from './adapter-problem.ts';
import type { Catalogue } from './catalogue.ts';
import type { Ledgers, Log, OpenLedger } from './types.ts';

export interface LedgersOptions {
  catalogue: Pick<Catalogue, 'ledgerByUid'>;
  adapters: readonly AdapterDefinition[];
  log: Log;
  now: () => number;
}

interface Opened {
  revision: number;
  open: Promise<OpenLedger>;
  abort: AbortController;
}

/** Opens each ledger once, with the adapter of its technology, and again when its record changes. */
export function createLedgers(options: LedgersOptions): Ledgers {
  const { catalogue, adapters, log, now } = options;
  const opened = new Map<string, Opened>();
  const retired: Opened[] = [];

  function choose(record: LedgerRecord, pluginId: string | undefined): AdapterDefinition {
    const definition = adapters.find(
      ({ technology, name }) =>
        technology === record.technology && (pluginId === undefined || name === pluginId),
    );
    if (definition === undefined) {
      const wanted = pluginId === undefined ? '' : ` and the id "${pluginId}"`;
      throw new Problem(
        'no-plugin',
        `No active plugin with the tag "${record.technology}"${wanted} serves the ledger ${record.ledgerId}.`,
      );
    }
    return definition;
  }

  async function openRecord(
    record: LedgerRecord,
    definition: AdapterDefinition,
    signal: AbortSignal,
  ): Promise<OpenLedger> {
    const session = await definition
      .open(
        {
          ledgerId: record.ledgerId,
          technology: record.technology,
          properties: { ...record.properties },
          nodes: record.nodes.map(({ nodeId, uri }) => ({ nodeId, uri })),
        },
        {
          now,
          signal,
          log: (level, event, fields) =>
            log(level, `plugin.${event}`, { ledgerId: record.ledgerId, ...plain(fields) }),
        },
      )
      .catch((error: unknown) => {
        throw problemFrom(error);
      });
    let identity: Promise<ChainIdentity> | undefined;
    return {
      record,
      definition,
      session,
      chain() {
        identity ??= session.chain().catch((error: unknown) => {
          identity = undefined;
          throw problemFrom(error);
        });
        return identity;
      },
    };
  }

  return {
    async open(ledgerUid, pluginId) {
      const record = await catalogue.ledgerByUid(ledgerUid);
      if (record === null) throw new Problem('not-found', 'There is no such ledger.');
      const definition = choose(record, pluginId);
      const known = opened.get(ledgerUid);
      if (known !== undefined && known.revision === record.revision) return known.open;
      // The engine moves its line to the new session; the former one stays open until then.
      if (known !== undefined) retired.push(known);
      const abort = new AbortController();
      const open = openRecord(record, definition, abort.signal);
      opened.set(ledgerUid, { revision: record.revision, open, abort });
      open.catch(() => {
        if (opened.get(ledgerUid)?.open === open) opened.delete(ledgerUid);
      });
      return open;
    },
    async close() {
      for (const { open, abort } of [...opened.values(), ...retired]) {
        abort.abort();
        await open.then(({ session }) => session.close()).catch(() => {});
      }
      opened.clear();
      retired.length = 0;
    },
  };
}

/** Log fields that are plain values; the rest is not for logs. */
function plain(fields: Record<string, unknown> = {}): Record<string, string | number | boolean | null> {
  return Object.fromEntries(
    Object.entries(fields).filter(
      (entry): entry is [string, string | number | boolean | null] =>
        entry[1] === null || ['string', 'number', 'boolean'].includes(typeof entry[1]),
    ),
  );
}
