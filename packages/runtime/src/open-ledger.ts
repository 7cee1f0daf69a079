import type { ChainIdentity, LedgerSession } from '@ledger-ops/adapter';
import { Problem } from '@ledger-ops/base';
import type { LedgerRecord } from '@ledger-ops/registry';
import { problemFrom, retryAfter } from './adapter-problem.ts';
import type { LedgerDefinition } from './ledger-definition.ts';
import { NodeLatency } from './node-latency.ts';

/**
 * An open ledger: its record and a session on it. When the record changes, a new object replaces this one. `#identity`
 * is the chain's identity, read on first use and again after a failure.
 */
export class OpenLedger {
  readonly record: LedgerRecord;
  readonly definition: LedgerDefinition;
  readonly session: LedgerSession;
  /**
   * The plugin of the session: the uid of the plugin's record or, for a built-in plugin, `built-in:` and the adapter's
   * name.
   */
  readonly pluginUid: string;
  readonly latency: NodeLatency;
  #identity: Promise<ChainIdentity> | undefined;

  constructor({
    record,
    definition,
    session,
    pluginUid,
    latency = new NodeLatency(),
  }: Pick<OpenLedger, 'record' | 'definition' | 'session' | 'pluginUid'> & { latency?: NodeLatency }) {
    this.record = record;
    this.definition = definition;
    this.session = session;
    this.pluginUid = pluginUid;
    this.latency = latency;
  }

  /**
   * Returns the chain that the ledger is on. With `everyNode`, reads it again from all nodes, which must
   * agree.
   * @throws Problem `ledger-unavailable`
   */
  chain(request?: { everyNode: true }): Promise<ChainIdentity> {
    if (request !== undefined) return this.#chainOfEveryNode();
    this.#identity ??= this.session.chain().catch((error: unknown) => {
      this.#identity = undefined;
      throw problemFrom(error);
    });
    return this.#identity;
  }

  async #chainOfEveryNode(): Promise<ChainIdentity> {
    const answer = this.session.chain({ everyNode: true }).catch((error: unknown) => {
      throw problemFrom(error);
    });
    // The cached identity comes from a single node. It is replaced, whatever the nodes return now.
    const all = await answer.finally(() => {
      this.#identity = undefined;
    });
    if (all.unsure !== undefined) {
      const detail = `A node of the ledger ${this.record.ledgerId} reports a different chain than the one that pending actions were signed for. The actions are kept until every node reports the new chain. Not confirmed yet: ${all.unsure} Check the ledger's nodes.`;
      throw new Problem('ledger-unavailable', detail, { retryAfter });
    }
    this.#identity = answer;
    return all;
  }
}
