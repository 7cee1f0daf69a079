import type { AdapterProblem, Phase } from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/adapter/outbound';
import type { ErrorRegistry } from '../abi/error-registry.ts';
import { classify, problemOf } from '../rpc/errors.ts';
import type { RpcNode } from '../rpc/node.ts';
import { isQuantity, toHex } from '../rpc/quantity.ts';
import { plainFailure, type Receipt } from './receipt.ts';

/**
 * Maximum number of failed transactions whose reason is queried in one call. The others get a generic
 * problem.
 */
const bound = 25;

/**
 * Names, in nodes' errors, of faults that use all gas although it has not run out: an invalid opcode (`assert` before
 * Solidity 0.8), an invalid jump, a stack fault, or a write in a static call.
 */
const halt =
  /invalid[ _]?(?:fe)?opcode|opcode ?not ?found|bad[ _]?instruction|invalid[ _]?instruction|(?:invalid|bad)[ _]?jump|stack[ _]?(?:over|under)flow|stack limit|write protection|state ?change ?during ?static/i;

/**
 * Determines why transactions failed: either a transaction used all its gas, or a replay of its call on the
 * previous block reverts with a reason. The reason may be wrong, because the state within the block may have
 * differed.
 */
export async function failureReasons(
  node: RpcNode,
  failed: readonly Receipt[],
  phase: Phase,
  registry: ErrorRegistry,
): Promise<Map<string, AdapterProblem>> {
  const problems = new Map(failed.map(({ txId }) => [txId, plainFailure(txId, phase)]));
  const asked = failed.slice(0, bound);
  try {
    const transactions = await node.batch(
      asked.map(({ txId }) => ({ method: 'eth_getTransactionByHash', params: [txId] })),
    );
    const replays = asked.flatMap((receipt, index) => {
      const answer = transactions[index];
      const replay = answer?.ok === true ? readReplay(answer.result) : undefined;
      return replay === undefined ? [] : [{ receipt, ...replay }];
    });
    for (const { receipt, gas } of replays) {
      if (receipt.gasUsed === gas) problems.set(receipt.txId, outOfGas(receipt, gas, phase));
    }
    const answers = await node.batch(
      replays.map(({ receipt, call }) => ({
        method: 'eth_call',
        params: [call, toHex(Math.max(0, receipt.height - 1))],
      })),
    );
    for (const [index, { receipt, gas }] of replays.entries()) {
      const answer = answers[index];
      if (answer?.ok !== false || classify(answer.error) !== 'reverted') continue;
      const problem = problemOf(answer.error, phase, registry, { txId: receipt.txId });
      const isCertain = problem.data?.revertData !== undefined || halt.test(answer.error.message);
      if (receipt.gasUsed !== gas || isCertain) problems.set(receipt.txId, problem);
    }
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
  }
  return problems;
}

function outOfGas({ txId }: Receipt, gas: bigint, phase: Phase): AdapterProblem {
  const detail = `The transaction ran out of gas: its limit was ${gas}. Set a higher gasLimit.`;
  return { code: 'out-of-gas', phase, txId, detail, data: { gas: gas.toString() } };
}

function readReplay(value: unknown): { gas: bigint; call: Record<string, unknown> } | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { from, to, input, data, value: amount, gas }: Record<string, unknown> = { ...value };
  if (typeof from !== 'string' || !isQuantity(gas)) return undefined;
  const call = {
    from,
    ...(typeof to === 'string' ? { to } : {}),
    ...(typeof (input ?? data) === 'string' ? { data: input ?? data } : {}),
    ...(typeof amount === 'string' ? { value: amount } : {}),
    gas,
  };
  return { call, gas: BigInt(gas) };
}
