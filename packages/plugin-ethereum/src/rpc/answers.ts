import { ConnectionClosed, NodeError, StatusError } from '@ledger-ops/adapter/outbound';
import { classify, readable } from './errors.ts';
import type { RpcAnswer, RpcError } from './json-rpc.ts';

/**
 * A node refused a request of several calls because of their number or the size of their answers. It may
 * answer the same calls in smaller requests.
 */
export class BatchRefused extends NodeError {}

/** Maximum characters of a node's error message that are read. */
const longestMessage = 2_000;
/** Statuses with other causes than the number of calls: credentials, addresses, rate limits, outages. */
const otherCauses: readonly number[] = [401, 402, 403, 404, 407, 408, 425, 429, 502, 503, 504];

/**
 * Reads the answers to the calls with these ids, in their order.
 *
 * @throws NodeError, or BatchRefused if smaller requests may help
 */
export function readAnswers(answer: unknown, nodeId: string, ids: readonly number[]): RpcAnswer[] {
  const isBatch = ids.length > 1;
  const of = isBatch ? ` of ${ids.length} calls` : '';
  const list: unknown[] = Array.isArray(answer) ? answer : [answer];
  const found = new Map<number, RpcAnswer>();
  for (const one of list) {
    if (typeof one !== 'object' || one === null) continue;
    const { id, result, error }: { id?: unknown; result?: unknown; error?: unknown } = one;
    const isOfCall = typeof id === 'number' && (!isBatch || Array.isArray(answer));
    if (error !== undefined && error !== null) {
      const read = readError(error);
      const kind = isBatch || !isOfCall ? classify(read) : undefined;
      if (!isOfCall || kind === 'batch-refused') {
        const Refusal = isBatch && kind !== 'busy' ? BatchRefused : NodeError;
        const words = `${readable(read.message)} (${read.code})`;
        throw new Refusal('unavailable', `Node ${nodeId} refused a request${of}: ${words}.`);
      }
      found.set(id, { ok: false, error: read });
    } else if (typeof id === 'number' && result !== undefined) found.set(id, { ok: true, result });
  }
  const answers = ids.flatMap((id) => found.get(id) ?? []);
  if (answers.length === ids.length) return answers;
  const detail = isBatch
    ? `Node ${nodeId} omitted responses to a request${of} or returned them with wrong ids.`
    : `Node ${nodeId} omitted a response or returned it with a wrong id.`;
  throw new (isBatch ? BatchRefused : NodeError)('unavailable', detail);
}

/** The failure of a request with this many calls, with the node's message for an HTTP status. */
export function readFailure(error: unknown, nodeId: string, calls: number): unknown {
  if (error instanceof ConnectionClosed && calls > 1) {
    const detail = `Node ${nodeId} closed the connection twice, without an answer to a request of ${calls} calls.`;
    return new BatchRefused('unavailable', detail);
  }
  if (!(error instanceof StatusError)) return error;
  const words = wordsOf(error.content);
  const said = words === '' ? '' : ` It said: ${words}.`;
  const of = calls > 1 ? ` to a request with ${calls} calls` : '';
  const detail = `Node ${nodeId} answered with HTTP status ${error.status}${of}.${said}`;
  const Refusal = calls > 1 && !otherCauses.includes(error.status) ? BatchRefused : NodeError;
  return new Refusal('unavailable', detail);
}

/** A node's message in the body of an HTTP error: the error message of JSON, nothing of an HTML page. */
function wordsOf(content: string): string {
  const text = content.trim();
  if (text.startsWith('<')) return '';
  if (!text.startsWith('{') && !text.startsWith('[')) return readable(text);
  try {
    const parsed: unknown = JSON.parse(text);
    const [first] = [parsed].flat();
    const { error, message }: { error?: unknown; message?: unknown } = Object(first);
    const inner: { message?: unknown } = Object(error);
    const said = [inner.message, error, message].find((one) => typeof one === 'string');
    return typeof said === 'string' ? readable(said) : '';
  } catch {
    return '';
  }
}

function readError(error: unknown): RpcError {
  if (typeof error !== 'object' || error === null)
    return { code: 0, message: String(error).slice(0, longestMessage), data: undefined };
  const { code, message, data }: { code?: unknown; message?: unknown; data?: unknown } = error;
  return {
    code: typeof code === 'number' ? code : 0,
    message: typeof message === 'string' ? message.slice(0, longestMessage) : 'no message',
    data,
  };
}
