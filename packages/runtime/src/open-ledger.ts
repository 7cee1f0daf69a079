import type { ChainIdentity, LedgerSession } from '@ledger-ops/adapter';
import type { LedgerRecord, NodeRecord } from '@ledger-ops/registry';
import type { LedgerDefinition } from './ledger-definition.ts';

/** An open ledger: its record and the session on it. Replaced, never changed, when the record changes. */
export interface OpenLedger {
  record: LedgerRecord;
  definition: LedgerDefinition;
  session: LedgerSession;
  /** The plugin that serves it here: uid of its record, or `built-in:` and the adapter's name. */
  pluginUid: string;
  /**
   * Known after first contact. With `everyNode` it is asked anew, and only what all nodes say is answered.
   * @throws Problem `ledger-unavailable`
   */
  chain(request?: { everyNode: true }): Promise<ChainIdentity>;
}

/** A ledger as far as it is described when its nodes are asked. */
export type ProbedLedger = Pick<LedgerRecord, 'ledgerId' | 'projectUid' | 'technology' | 'properties'>;

export interface Ledgers {
  /**
   * Opens or reuses, with the plugin that is named or, without one (or an empty one), that fits best.
   * `projectUid`: whose wallet it is for; default the ledger's own project.
   * @throws Problem `not-found`, `no-plugin`, `plugin-fault`
   */
  open(ledgerUid: string, wanted?: { pluginId?: string; projectUid?: string }): Promise<OpenLedger>;
  /**
   * With the plugin that planned what was accepted; null when it was deleted or, unless `inactive` is given, is not
   * active.
   * @throws Problem `not-found`, `no-plugin`, `plugin-fault`
   */
  reopen(ledgerUid: string, pluginUid: string, options?: { inactive?: boolean }): Promise<OpenLedger | null>;
  /**
   * The adapter that reads contracts of a technology for a project, where no ledger is named.
   * @throws Problem `no-plugin`, `plugin-fault`
   */
  reader(technology: string, projectUid: string): Promise<LedgerDefinition>;
  /**
   * Asks one node which chain it is on, over the plugin that would serve the ledger. Neither has to be recorded.
   * @throws Problem `no-plugin`, `plugin-fault`, `ledger-unavailable`, `ledger-timeout`
   */
  probe(
    ledger: ProbedLedger,
    node: Pick<NodeRecord, 'nodeId' | 'uri' | 'properties'>,
  ): Promise<ChainIdentity>;
  /** False when there is no such ledger, or no more. */
  isRecorded(ledgerUid: string): Promise<boolean>;
  /** False when the ledger's record or the plugin has changed since, or is there no more. */
  isCurrent(open: OpenLedger): Promise<boolean>;
  /** Closes what was replaced and is not in use, and ends the plugins that nobody needs any more. */
  sweep(inUse: (open: OpenLedger) => boolean): Promise<void>;
  close(): Promise<void>;
}
