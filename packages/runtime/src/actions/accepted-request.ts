import type { Queries } from '@ledger-ops/store';
import { answerBody } from './send.ts';

/** The response to a request, rebuilt from its actions. */
export interface AcceptedRequest {
  readonly fingerprint: string;
  /** The response to the request. For a batch: an {@link AcceptedBatch}. */
  readonly answer: object;
}

/**
 * Response to a batch. It contains only the accepted operations, without their names, because refused operations and
 * names are not stored.
 */
export interface AcceptedBatch {
  /** `position` counts the operations of the request from 0. */
  readonly actions: readonly { readonly position: number; readonly answer: object }[];
}

interface RequestRow {
  id: string;
  given_id: string | null;
  intent: string;
  overrides: string | null;
  request_fingerprint: string;
  request_position: number;
}

/**
 * Rebuilds the response to a request from its actions, for example if the stored response was deleted. Returns null if
 * no action has the request's key.
 *
 * @param requestKey from `requestKeyOf`
 */
export async function readAcceptedRequest(
  read: Pick<Queries, 'all'>,
  requestKey: string,
): Promise<AcceptedRequest | null> {
  const rows = await read.all<RequestRow & Record<string, string | number | null>>(
    `SELECT id, given_id, intent, overrides, request_fingerprint, request_position FROM action
      WHERE request_key = $1 ORDER BY request_position`,
    [requestKey],
  );
  const [first] = rows;
  if (first === undefined) return null;
  const fingerprint = first.request_fingerprint;
  if (first.request_position === 0) return { fingerprint, answer: answerOf(first) };
  const actions = rows.map((row) => ({ position: row.request_position - 1, answer: answerOf(row) }));
  return { fingerprint, answer: { actions } satisfies AcceptedBatch };
}

function answerOf({ id, given_id, intent, overrides }: RequestRow): object {
  return answerBody({
    actionId: given_id ?? id,
    intent: intent === '' ? null : intent,
    status: 'PENDING',
    overrides: overrides === null ? [] : JSON.parse(overrides),
  });
}
