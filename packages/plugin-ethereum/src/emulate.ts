import {
  AdapterError,
  adapterError,
  type Emulated,
  type EmulateRequest,
  type Json,
} from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/outbound';
import type { FunctionFragment } from 'ethers';
import { decodeValues, namedValues } from './abi/decode.ts';
import { type EncodedOperation, encodeOperation } from './abi/encode.ts';
import type { ErrorRegistry } from './abi/error-registry.ts';
import type { AbiCache } from './abi/interface.ts';
import type { LedgerView, LedgerViews } from './blocks/ledger-view.ts';
import { isUndeployed } from './check.ts';
import { chooseFee } from './gas/fees.ts';
import { withHeadroom } from './gas/gas-limit.ts';
import { readNative } from './native.ts';
import type { EthereumProperties } from './properties.ts';
import { callObject } from './rpc/call-object.ts';
import { problemOf } from './rpc/errors.ts';
import type { RpcAnswer } from './rpc/node.ts';
import type { Nodes } from './rpc/nodes.ts';
import { readQuantity } from './rpc/quantity.ts';
import { requireAddress } from './transactions/address.ts';
import { highestPrice } from './transactions/fee.ts';

/** The part of a session that emulating needs. */
export interface EmulateContext {
  nodes: Nodes;
  views: LedgerViews;
  abis: AbiCache;
  registry: ErrorRegistry;
  properties: EthereumProperties;
}

const phase = 'emulate';

/**
 * Plays an operation on the newest block without changing anything. With a wallet it is played from there,
 * and gas and fee are estimated.
 * @throws AdapterError `reverted`, `insufficient-funds`, `invalid-argument` and as `check`.
 */
export async function emulateOperation(
  { wallet, operation }: EmulateRequest,
  context: EmulateContext,
): Promise<Emulated> {
  const { accessList, gasPrice, maxFeePerGas, maxPriorityFeePerGas } = readNative(operation, phase);
  if (isUndeployed(operation)) {
    throw adapterError('unknown-contract', 'The contract is not deployed yet: there is nothing to emulate.', {
      phase,
    });
  }
  const encoded = encodeOperation(operation, context.abis, phase);
  context.registry.learn(encoded.errors);
  const from = wallet === undefined ? undefined : requireAddress(wallet.address, phase, '/wallet/address');
  const call = callObject(from, { ...encoded, accessList });
  const calls = operation.type === 'contract_call' ? [{ method: 'eth_call', params: [call, 'latest'] }] : [];
  const estimates =
    from === undefined
      ? []
      : [
          { method: 'eth_estimateGas', params: [call] },
          { method: 'eth_getBalance', params: [from, 'latest'] },
        ];
  const { answers, view } = await context.nodes.onNode(phase, async (node) => {
    const [found, current] = await Promise.all([
      node.batch([...calls, ...estimates]),
      context.views.current(phase),
    ]);
    return { answers: found, view: current };
  });
  const results = answers.map((answer) => requireAnswer(answer, context.registry));
  const result = calls.length === 0 ? null : decode(encoded, results[0]);
  if (from === undefined) return { result };
  const gas = withHeadroom(readQuantity(results.at(-2), 'an estimate'), view.head.gasLimit);
  const balance = readQuantity(results.at(-1), 'a balance');
  const given = {
    ...(gasPrice === undefined ? {} : { gasPrice }),
    ...(maxFeePerGas === undefined ? {} : { maxFeePerGas }),
    ...(maxPriorityFeePerGas === undefined ? {} : { maxPriorityFeePerGas }),
  };
  const chosen = chooseFee(view, given, undefined, phase);
  const fee =
    gas * ('fee' in chosen ? goingPrice(view, highestPrice(chosen.fee)) : (view.head.baseFee ?? 0n));
  if (balance < encoded.value + fee) {
    const detail = `${from} holds ${balance} wei, the operation needs about ${encoded.value + fee}.`;
    throw adapterError('insufficient-funds', detail, { phase });
  }
  return { result, fee, figures: { gas: gas.toString(), baseFee: (view.head.baseFee ?? 0n).toString() } };
}

/** The price that would be paid now: less than the most that a transaction allows. */
function goingPrice({ mode, head, priorityFee, gasPrice }: LedgerView, highest: bigint): bigint {
  const going = mode === 'legacy' ? gasPrice : (head.baseFee ?? 0n) + priorityFee;
  return going < highest ? going : highest;
}

function requireAnswer(answer: RpcAnswer, registry: ErrorRegistry): unknown {
  if (answer.ok) return answer.result;
  throw new AdapterError(problemOf(answer.error, phase, registry, { otherwise: 'unavailable' }));
}

function decode({ method, to }: EncodedOperation, result: unknown): Json {
  if (typeof result !== 'string') throw new NodeError('unavailable', 'A node gave no result of a call.');
  if (method === undefined) return result;
  if (result === '0x' && method.outputs.length > 0) {
    throw new AdapterError({
      code: 'unknown-contract',
      phase,
      detail: `Nothing came back from ${to}: there is no contract, or it does not have this method.`,
    });
  }
  return decodeOutputs(method, result);
}

function decodeOutputs({ outputs }: FunctionFragment, result: string): Json {
  try {
    const values = decodeValues(outputs, result);
    return outputs.length > 1 ? namedValues(outputs, values) : (values[0] ?? null);
  } catch (cause) {
    throw new AdapterError(
      {
        code: 'invalid-argument',
        phase,
        detail: 'What came back does not fit the outputs that the interface declares.',
        issues: [
          { pointer: '/contract_instance/interface', detail: 'does not fit what the contract answers' },
        ],
      },
      { cause },
    );
  }
}
