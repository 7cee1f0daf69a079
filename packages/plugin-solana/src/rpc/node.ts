import type { AdapterHost, LedgerNode, OutboundPolicy, RequestResult } from '@ledger-ops/adapter';
import {
  type AnswerLimits,
  NodeClient,
  NodeError,
  readNodeAddress,
  StatusError,
} from '@ledger-ops/adapter/outbound';
import { parseAnswer } from '@ledger-ops/glo-core';
import { z } from 'zod';
import type { SolanaProperties } from '../properties.ts';
import { errorAnswer, UnusableAnswer } from './unusable-answer.ts';

/** One node of a ledger. */
export interface SolanaNode {
  nodeId: string;
  /**
   * Calls a method and validates the result.
   * @throws NodeError; UnusableAnswer if the node returned an error or a malformed result
   */
  ask<Answer>(method: string, params: readonly unknown[], schema: z.ZodType<Answer>): Promise<Answer>;
  close(): Promise<void>;
}

/**
 * Limits for the largest answers of the used methods: an account of 10 MiB in base64, 1,000 signatures, or a
 * transaction with all its logs and inner instructions. Each value blocks the event loop for about a
 * microsecond.
 */
const mostValues = 50_000;
const answerLimits: AnswerLimits = { bytes: 16 * 2 ** 20, values: mostValues };

/**
 * Opens a node. Connects when it is first used.
 * @throws AdapterError `invalid-argument` if the address is not http(s), or would send credentials unencrypted
 */
export function openNode(
  node: LedgerNode,
  { rpcTimeout, allowUnencrypted }: Pick<SolanaProperties, 'rpcTimeout' | 'allowUnencrypted'>,
  outbound: OutboundPolicy | undefined,
  end: AbortSignal,
  host: Pick<AdapterHost, 'now' | 'requested'>,
): SolanaNode {
  const { url, headers } = readNodeAddress(node, { allowUnencrypted });
  const { nodeId } = node;
  const client = new NodeClient({
    ...{ nodeId, url, headers, policy: outbound, timeoutMs: rpcTimeout, limits: answerLimits },
    now: () => host.now(),
    parse: (content) => parseAnswer(content, { pause, limits: { values: mostValues }, bigIntegers: true }),
  });

  /** Returns a JSON-RPC answer, with any HTTP status. */
  async function post(method: string, body: string): Promise<unknown> {
    try {
      return await client.post(body, end);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      const answer = errorAnswerIn(error.content);
      if (answer !== undefined) return answer;
      if (!methodRefusals.has(error.status)) throw error;
      const detail = `Node ${nodeId} answered ${method} with HTTP status ${error.status}.`;
      throw new UnusableAnswer('unavailable', detail);
    }
  }

  let lastId = 0;

  /** Returns the JSON-RPC result of a call. */
  async function call(method: string, params: readonly unknown[]): Promise<unknown> {
    const started = performance.now();
    const report = (result: RequestResult) => {
      if (!end.aborted) host.requested?.(method, result, performance.now() - started);
    };
    lastId += 1;
    const body = JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params });
    const answer = await post(method, body).catch((error: unknown) => {
      report(error instanceof NodeError && error.code === 'timeout' ? 'timeout' : 'unavailable');
      throw error;
    });
    const parsed = envelope.safeParse(answer);
    if (!parsed.success) {
      report('unavailable');
      const detail = `Node ${nodeId} answered ${method} with a response that does not follow JSON-RPC.`;
      throw new NodeError('unavailable', detail);
    }
    const { error, result } = parsed.data;
    report(error === undefined ? 'ok' : 'refused');
    if (error !== undefined) throw errorAnswer(nodeId, method, error);
    return result;
  }

  return {
    nodeId,
    async ask(method, params, schema) {
      const parsed = schema.safeParse(await call(method, params));
      if (parsed.success) return parsed.data;
      const place = parsed.error.issues[0]?.path.join('.') ?? '';
      const where = place === '' ? '' : ` (at ${place})`;
      const detail = `Node ${nodeId} answered ${method} with a malformed result${where}.`;
      throw new UnusableAnswer('unavailable', detail);
    },
    close: () => client.close(),
  };
}

/** HTTP statuses with which providers refuse single methods. */
const methodRefusals = new Set([400, 403, 404, 405, 410, 501]);

/** Returns the JSON-RPC error in the body of a refusal, which is more specific than the HTTP status. */
function errorAnswerIn(text: string): unknown {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const answer: unknown = JSON.parse(text);
    const parsed = envelope.safeParse(answer);
    return parsed.success && parsed.data.error !== undefined ? answer : undefined;
  } catch {
    return undefined;
  }
}

const envelope = z.union([
  z.object({
    error: z.object({ code: z.int(), message: z.string(), data: z.unknown().optional() }),
    result: z.undefined().optional(),
  }),
  z.object({ error: z.null().optional(), result: z.unknown() }).transform(({ result }) => ({
    error: undefined,
    result,
  })),
]);

const pause = () => new Promise<void>((resolve) => setImmediate(resolve));
