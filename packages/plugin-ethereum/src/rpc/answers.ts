import {
  ConnectionClosed,
  NodeError,
  type NodeErrorCode,
  redirectHint,
  StatusError,
} from '@ledger-ops/adapter/outbound';
import { classify, readable } from './errors.ts';
import type { RpcAnswer, RpcError } from './json-rpc.ts';

/**
 * The node refused a request of several calls because of their number or the size of their answers. It may
 * answer the same calls in smaller requests.
 */
export class BatchRefused extends NodeError {
  /**
   * One error per call, if the node refused the calls individually and always with the same unknown error.
   * Undefined if it refused the batch as a whole.
   */
  readonly answers: readonly RpcAnswer[] | undefined;

  constructor(code: NodeErrorCode, detail: string, answers?: readonly RpcAnswer[]) {
    super(code, detail);
    this.answers = answers;
  }
}

/** Maximum number of characters of a node's error message that are read. */
const longestMessage = 2_000;
/** HTTP statuses with other causes than the number of calls: credentials, addresses, rate limits, outages. */
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
  if (answers.length === ids.length) {
    const common = isBatch ? commonError(answers) : undefined;
    if (common === undefined) return answers;
    const detail = `Node ${nodeId} refused each call of a request${of}: ${readable(common.message)} (${common.code}).`;
    throw new BatchRefused('unavailable', detail, answers);
  }
  const detail = isBatch
    ? `Node ${nodeId} omitted responses to a request${of} or returned them with wrong ids.`
    : `Node ${nodeId} omitted a response or returned it with a wrong id.`;
  throw new (isBatch ? BatchRefused : NodeError)('unavailable', detail);
}

/** Returns the unknown error with which a node answered every call; undefined if the answers differ. */
function commonError(answers: readonly RpcAnswer[]): RpcError | undefined {
  const [first] = answers;
  if (first === undefined || first.ok || classify(first.error) !== 'other') return undefined;
  return answers.every((answer) => isSameError(answer, first)) ? first.error : undefined;
}

/** Whether both answers are errors with the same code and message. */
export function isSameError(one: RpcAnswer | undefined, other: RpcAnswer | undefined): boolean {
  if (one === undefined || other === undefined || one.ok || other.ok) return false;
  return one.error.code === other.error.code && one.error.message === other.error.message;
}

/**
 * Returns the error for a failed request with this many calls. Contains the node's message for an HTTP
 * status.
 */
export function readFailure(error: unknown, nodeId: string, calls: number): unknown {
  if (error instanceof ConnectionClosed && calls > 1) {
    const detail = `Node ${nodeId} closed the connection twice instead of answering a request of ${calls} calls.`;
    return new BatchRefused('unavailable', detail);
  }
  if (!(error instanceof StatusError)) return error;
  const words = wordsOf(error.content);
  const said = words === '' ? '' : ` It said: ${words}.`;
  const of = calls > 1 ? ` to a request with ${calls} calls` : '';
  const hint = redirectHint(error.status);
  const what = error.status === 200 ? 'something that is not JSON' : `HTTP status ${error.status}`;
  const detail = `Node ${nodeId} answered with ${what}${of}${hint}.${said}`;
  const isOfBatch = (hint === '' && !otherCauses.includes(error.status)) || /\bbatch/i.test(words);
  return new (calls > 1 && isOfBatch ? BatchRefused : NodeError)('unavailable', detail);
}

/**
 * Returns a node's message from the body of an HTTP error: the error message of a JSON body, empty for an
 * HTML page.
 */
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
