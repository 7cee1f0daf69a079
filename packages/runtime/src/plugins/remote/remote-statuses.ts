import type { AdapterHost, Confirmed, ConfirmRequest, Outcome, Remark } from '@ledger-ops/adapter';
import { plainWords } from '@ledger-ops/adapter/words';
import type { RemoteLedger, RemoteStatus } from '@ledger-ops/cloud-wallet';

/**
 * Placeholder for the newest block of a ledger behind a remote plugin, because the protocol does not report blocks.
 * Never displayed.
 */
export const nowhere = { height: 0, hash: 'remote' };

/**
 * Determines outcomes from the statuses that the plugin reports. `#lost` contains the accepted requests that the plugin
 * no longer knows, so that each is logged only once, until the plugin knows it again.
 */
export class RemoteStatuses {
  readonly #name: string;
  readonly #plugin: RemoteLedger;
  readonly #host: AdapterHost;
  readonly #lost = new Set<string>();

  constructor(name: string, plugin: RemoteLedger, host: AdapterHost) {
    this.#name = name;
    this.#plugin = plugin;
    this.#host = host;
  }

  async confirm({ pending }: ConfirmRequest): Promise<Confirmed> {
    const noted = [...pending].flatMap(([txId, { note }]) => (note === undefined ? [] : [{ txId, note }]));
    const answers = noted.length === 0 ? [] : await this.#plugin.status(noted.map(({ note }) => note));
    const outcomes: Outcome[] = [];
    const remarks: Remark[] = [];
    for (const [index, { txId, note }] of noted.entries()) {
      const answer = answers[index];
      this.reportRequests(answer);
      const outcome = this.#outcomeOf(txId, answer);
      if (outcome !== null) outcomes.push(outcome);
      if (answer?.status === 'UNKNOWN') remarks.push({ txId, detail: this.#forgotten(txId, note, answer) });
      else this.#lost.delete(txId);
    }
    return { cursor: nowhere, head: nowhere, outcomes, reorganised: false, remarks };
  }

  reportRequests(answer: Pick<RemoteStatus, 'requests'> | undefined): void {
    for (const { method, result, milliseconds } of answer?.requests ?? [])
      this.#host.requested?.(method, result, milliseconds);
  }

  /**
   * Returns the remark about a request that the plugin accepted but no longer knows. The request is not sent again,
   * because that could execute it twice. An operator must investigate.
   */
  #forgotten(txId: string, note: string, { problem }: RemoteStatus): string {
    if (!this.#lost.has(txId)) this.#host.log('error', 'remote.lost', { actionId: txId });
    this.#lost.add(txId);
    const words = problem === undefined ? '' : ` ${problem.detail}`;
    return `The plugin ${this.#name} accepted the transaction as ${plainWords(note, 200)} but no longer knows it. It is not sent again, because that could execute it twice. Ask the operator of the plugin what happened to it.${words}`;
  }

  #outcomeOf(txId: string, answer: RemoteStatus | undefined): Outcome | null {
    if (answer === undefined || answer.status === 'PROCESSING' || answer.status === 'UNKNOWN') return null;
    const { locator, contractAddress, blockHeight, blockTime, fee, transactions, problem } = answer;
    const where = {
      txId,
      ...(locator === undefined ? {} : { locator }),
      ...(blockHeight === undefined ? {} : { height: blockHeight }),
      ...(blockTime === undefined ? {} : { blockTime }),
      ...(fee === undefined ? {} : { fee }),
      ...(transactions === undefined ? {} : { details: { transactions } }),
    };
    if (answer.status === 'SUCCEEDED') {
      return { ...where, status: 'succeeded', ...(contractAddress === undefined ? {} : { contractAddress }) };
    }
    return { ...where, status: 'failed', problem: problem ?? unexplained(this.#name) };
  }
}

function unexplained(name: string) {
  const detail = `The plugin ${name} reports that the transaction failed, without a reason.`;
  return { code: 'adapter-fault', phase: 'confirm', detail } as const;
}
