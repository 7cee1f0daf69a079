import { DevnetError } from '@ledger-ops/devnet';
import { parseJson, writeJson } from './json.ts';

/**
 * Makes one JSON-RPC call. The caller defines the type of the result.
 * @throws DevnetError with the node's message
 */
export async function call<Result>(url: string, method: string, params: readonly unknown[]): Promise<Result> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: writeJson({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const text = await response.text();
  if (!response.ok) throw new DevnetError(`${method}: ${text.trim()}`);
  // Every JSON-RPC response has this type.
  const answer = parseJson(text) as { result: Result; error?: { message: string } };
  if (answer.error !== undefined) throw new DevnetError(`${method}: ${answer.error.message}`);
  return answer.result;
}
