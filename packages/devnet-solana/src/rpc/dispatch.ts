import { parseJson, writeJson } from '../json.ts';
import { accountMethods } from '../methods/accounts.ts';
import { blockMethods } from '../methods/blocks.ts';
import { controlMethods } from '../methods/control.ts';
import type { Method, Node } from '../methods/node.ts';
import { transactionMethods } from '../methods/transactions.ts';
import { codes, RpcError } from './error.ts';
import { Params } from './params.ts';

const methods = new Map<string, Method>(
  Object.entries({ ...blockMethods, ...accountMethods, ...transactionMethods, ...controlMethods }),
);
const mostParams = 4;
const mostCalls = 100;

/** Executes one call. @throws RpcError */
export type Call = (method: string, params: Params) => unknown;

export const callsOf =
  (node: Node): Call =>
  (name, params) => {
    const method = methods.get(name);
    if (method === undefined) throw new RpcError(codes.method, `Method not found: ${name.slice(0, 100)}`);
    return method(node, params);
  };

/** Answers a request: a JSON string with one or several calls. Returns undefined if no call needs an answer. */
export function answer(text: string, call: Call): string | undefined {
  let request: unknown;
  try {
    request = parseJson(text);
  } catch {
    return writeJson(failure(null, new RpcError(codes.parse, 'Parse error: the request is not JSON')));
  }
  if (!Array.isArray(request)) {
    const one = answerOne(request, call);
    return one === undefined ? undefined : writeJson(one);
  }
  if (request.length === 0 || request.length > mostCalls)
    return writeJson(
      failure(
        null,
        new RpcError(codes.request, `Invalid request: a batch must have 1 to ${mostCalls} calls`),
      ),
    );
  const answers = request.flatMap((one) => answerOne(one, call) ?? []);
  return answers.length === 0 ? undefined : writeJson(answers);
}

function answerOne(request: unknown, call: Call): object | undefined {
  if (typeof request !== 'object' || request === null)
    return failure(null, new RpcError(codes.request, 'Invalid request: a call must be an object'));
  const id = 'id' in request ? request.id : undefined;
  const method = 'method' in request ? request.method : undefined;
  if (typeof method !== 'string')
    return failure(id ?? null, new RpcError(codes.request, 'Invalid request: method must be a string'));
  // A call without an id gets no response. Clients use it to keep connections alive.
  if (id === undefined) return undefined;
  try {
    const params = new Params('params' in request ? request.params : undefined, mostParams);
    return { jsonrpc: '2.0', result: call(method, params), id };
  } catch (error) {
    return failure(id, error);
  }
}

function failure(id: unknown, error: unknown): object {
  const known =
    error instanceof RpcError
      ? error
      : new RpcError(codes.internal, `Internal error: ${error instanceof Error ? error.message : error}`);
  const data = known.data === undefined ? {} : { data: known.data };
  return { jsonrpc: '2.0', error: { code: known.code, message: known.message, ...data }, id };
}
