import type { AdapterHost, LedgerNode, OutboundPolicy, RequestResult } from '@ledger-ops/adapter';
import {
  AnswerError,
  createGuardedFetch,
  isNotOpened,
  NodeError,
  nodeAnswers,
  OutboundError,
  readAnswer,
  readNodeAddress,
} from '@ledger-ops/outbound';
import { createSolanaRpcFromTransport, isSolanaError, type RpcTransport } from '@solana/kit';
import { stringifyJsonWithBigInts } from '@solana/rpc-spec-types';
import type { SolanaProperties } from '../properties.ts';

export type SolanaRpc = ReturnType<typeof createSolanaRpcFromTransport<RpcTransport>>;

/** One node of a ledger. */
export interface SolanaNode {
  nodeId: string;
  /** Calls of it. They throw NodeError, and SolanaError where the node answers an error. */
  rpc: SolanaRpc;
  close(): Promise<void>;
}

/**
 * Opens a node; connects when first used.
 * @throws AdapterError `invalid-argument` when the address is not http(s), or would show credentials to a network
 */
export function openNode(
  node: LedgerNode,
  { rpcTimeout, allowUnencrypted }: Pick<SolanaProperties, 'rpcTimeout' | 'allowUnencrypted'>,
  outbound: OutboundPolicy | undefined,
  end: AbortSignal,
  requested?: AdapterHost['requested'],
): SolanaNode {
  const { url, headers } = readNodeAddress(node, { allowUnencrypted });
  const { nodeId } = node;
  const guarded = outbound === undefined ? undefined : createGuardedFetch(outbound, { timeout: rpcTimeout });
  const send: (address: string, init: RequestInit) => Promise<Response> =
    guarded === undefined ? (address, init) => fetch(address, { ...init, redirect: 'error' }) : guarded.fetch;

  async function post(body: string): Promise<string> {
    const late = AbortSignal.timeout(rpcTimeout);
    try {
      const answer = await send(url.href, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        signal: AbortSignal.any([late, end]),
      });
      const text = await readAnswer(answer.body ?? [], nodeAnswers);
      if (answer.ok || text.startsWith('{"jsonrpc"')) return text;
      throw new NodeError('unavailable', `Node ${nodeId} answered with HTTP status ${answer.status}.`);
    } catch (error) {
      if (error instanceof NodeError) throw error;
      if (error instanceof AnswerError)
        throw new NodeError('unavailable', `Node ${nodeId} ${error.message}.`);
      if (late.aborted && !end.aborted) {
        throw new NodeError('timeout', `Node ${nodeId} did not answer within ${rpcTimeout} ms.`);
      }
      if (isNotOpened(error) || (error instanceof Error && isNotOpened(error.cause))) {
        const { message } = new OutboundError(url.hostname);
        throw new NodeError('not-opened', `Node ${nodeId} cannot be used: ${message}`);
      }
      // Without the message of the failure: it may quote the address.
      throw new NodeError('unavailable', `Node ${nodeId} cannot be reached.`);
    }
  }

  const transport: RpcTransport = async <Answer>({ payload }: Parameters<RpcTransport>[0]) => {
    const started = performance.now();
    const tell = (result: RequestResult) => {
      const method = methodOf(payload);
      if (method !== undefined && !end.aborted) requested?.(method, result, performance.now() - started);
    };
    const text = await post(stringifyJsonWithBigInts(payload)).catch((error: unknown) => {
      tell(error instanceof NodeError && error.code === 'timeout' ? 'timeout' : 'unavailable');
      throw error;
    });
    try {
      // The client library looks at the answer of the node, and says which type it has.
      const answer = parseWithBigInts(text) as Answer;
      tell(typeof answer === 'object' && answer !== null && 'error' in answer ? 'refused' : 'ok');
      return answer;
    } catch {
      tell('unavailable');
      throw new NodeError('unavailable', `Node ${nodeId} answered with something that is not JSON.`);
    }
  };
  return {
    nodeId,
    rpc: createSolanaRpcFromTransport(transport),
    close: async () => guarded?.close(),
  };
}

/** Integers as they are written, for 64 bits. The client library's own reader looks at each character, for seconds. */
function parseWithBigInts(text: string): unknown {
  return JSON.parse(text, (_, value: unknown, written?: { source?: string }) => {
    const source = typeof value === 'number' ? written?.source : undefined;
    return source !== undefined && /^-?\d{1,20}$/.test(source) ? BigInt(source) : value;
  });
}

/** The method of a call in JSON-RPC. */
function methodOf(payload: unknown): string | undefined {
  if (typeof payload !== 'object' || payload === null || !('method' in payload)) return undefined;
  return typeof payload.method === 'string' ? payload.method : undefined;
}

/** Codes of JSON-RPC by which a node says that a slot has no block. */
const withoutBlock = new Set([-32007, -32009]);

/** Whether a node said that there is no block in a slot. */
export function isWithoutBlock(error: unknown): boolean {
  return isSolanaError(error) && withoutBlock.has(error.context.__code);
}

/** Codes of JSON-RPC by which a node says that it is not where it is needed. */
const behind = new Set([-32004, -32005, -32014, -32016]);

/** The failure of the node behind an error that a call threw; an error of this module is thrown on. */
export function failureOf(error: unknown, nodeId: string): NodeError {
  if (error instanceof NodeError) return error;
  if (isSolanaError(error)) {
    const { __code: code } = error.context;
    const detail = `Node ${nodeId} answered with error ${code}: ${error.message.slice(0, 500)}`;
    return new NodeError(behind.has(code) ? 'behind' : 'unavailable', detail);
  }
  // Answers of another shape than the client library reads.
  if (error instanceof TypeError) {
    return new NodeError(
      'unavailable',
      `Node ${nodeId} answered with something that is no answer to the call.`,
    );
  }
  throw error;
}
