import { NodeError, type NodeErrorCode } from '@ledger-ops/adapter/outbound';

/** A node returned an error or a malformed result. The node works, and may answer other calls. */
export class UnusableAnswer extends NodeError {
  /** The returned error; undefined for a malformed result. */
  readonly error: RpcErrorAnswer | undefined;

  constructor(code: NodeErrorCode, detail: string, error?: RpcErrorAnswer) {
    super(code, detail);
    this.error = error;
  }
}

/** A JSON-RPC error. */
export interface RpcErrorAnswer {
  code: number;
  message: string;
  data?: unknown;
}

/** JSON-RPC codes of a node that is behind. */
const behind = new Set([-32004, -32005, -32014, -32016]);

const longestMessage = 500;

const methodNotFound = -32601;
/** JSON-RPC code of a node that keeps no transaction history. */
const withoutHistory = -32011;
const remedies = new Map([
  [methodNotFound, 'The node or its provider does not have this method. Add a node that has it.'],
  [
    withoutHistory,
    'Start the node with --enable-rpc-transaction-history, or add a node that has the history.',
  ],
]);

/** Returns the error that a node returned for a method. */
export function errorAnswer(nodeId: string, method: string, error: RpcErrorAnswer): UnusableAnswer {
  const message = error.message.slice(0, longestMessage).replace(/\.$/, '');
  const sentence = `Node ${nodeId} answered ${method} with error ${error.code}: ${message}.`;
  const remedy = remedies.get(error.code);
  const detail = remedy === undefined ? sentence : `${sentence} ${remedy}`;
  return new UnusableAnswer(behind.has(error.code) ? 'behind' : 'unavailable', detail, error);
}

/** Whether the error refers to the method itself, regardless of the parameters. */
export function refusesMethod({ error }: UnusableAnswer): boolean {
  return error?.code === methodNotFound || error?.code === withoutHistory;
}

/** Codes for a slot that has no block or that the node lacks. */
const withoutBlock = new Set([-32007, -32009]);

/** Whether a node reported that a slot has no block. */
export function isWithoutBlock(error: unknown): boolean {
  return error instanceof UnusableAnswer && error.error !== undefined && withoutBlock.has(error.error.code);
}

/**
 * Returns an unusable answer instead of throwing it, because the node has not failed if it cannot answer for one slot
 * or transaction.
 * @throws NodeError
 */
export async function readable<Answer>(reading: Promise<Answer>): Promise<Answer | UnusableAnswer> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof UnusableAnswer) return error;
    throw error;
  }
}
